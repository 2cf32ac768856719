//! Notation: the names of operations in STD text.
//!
//! RAPID knows `r w acq rel fork join begin end`; its dialects add `req wait notify`. The other
//! names are Raddle's own, so that any trace can be written as text and read back.

use crate::events::Events;
use crate::id::ThreadId;
use crate::op::{Kind, Op, OpCode};

macro_rules! notation {
    ($($name:literal $kind:ident $detail:literal,)+) => {
        /// The operation with a name.
        #[inline]
        pub(super) fn code(name: &[u8]) -> Option<OpCode> {
            match name {
                b"r" => Some(OpCode::new(Kind::Read, 0)),
                b"w" => Some(OpCode::new(Kind::Write, 0)),
                b"acq" => Some(OpCode::new(Kind::Acquire, 0)),
                b"rel" => Some(OpCode::new(Kind::Release, 0)),
                _ => uncommon(name),
            }
        }

        fn uncommon(name: &[u8]) -> Option<OpCode> {
            let (kind, detail) = match name {
                $($name => (Kind::$kind, $detail),)+
                b"notifyall" => (Kind::NotifyAll, 0),
                b"wait.pre" => (Kind::Wait, 0),
                b"tx.begin" => (Kind::TxBegin, 0),
                b"tx.end" => (Kind::TxEnd, 0),
                _ => (wake_rank(name).map(|_| Kind::Wake)?, 0),
            };
            Some(OpCode::new(kind, detail))
        }

        /// The name of an operation.
        pub(super) fn name(code: OpCode) -> &'static str {
            let name: &'static [u8] = match (code.kind(), code.byte() >> 5) {
                $((Kind::$kind, $detail) => $name,)+
                _ => unreachable!("every code has a name; a test says so"),
            };
            std::str::from_utf8(name).expect("names are ASCII")
        }
    };
}

notation! {
    b"r" Read 0,
    b"r.rlx" Read 1,
    b"r.acq" Read 2,
    b"r.rel" Read 3,
    b"r.ar" Read 4,
    b"r.sc" Read 5,
    b"w" Write 0,
    b"w.rlx" Write 1,
    b"w.acq" Write 2,
    b"w.rel" Write 3,
    b"w.ar" Write 4,
    b"w.sc" Write 5,
    b"rmw.plain" ReadModifyWrite 0,
    b"rmw.rlx" ReadModifyWrite 1,
    b"rmw.acq" ReadModifyWrite 2,
    b"rmw.rel" ReadModifyWrite 3,
    b"rmw.ar" ReadModifyWrite 4,
    b"rmw" ReadModifyWrite 5,
    b"acq" Acquire 0,
    b"acq.sh" Acquire 1,
    b"tryacq" Acquire 2,
    b"tryacq.sh" Acquire 3,
    b"rel" Release 0,
    b"rel.sh" Release 1,
    b"req" Request 0,
    b"req.sh" Request 1,
    b"tryfail" TryFail 0,
    b"tryfail.sh" TryFail 1,
    b"fork" Fork 0,
    b"join" Join 0,
    b"start" Begin 0,
    b"exit" End 0,
    b"wait" Wait 0,
    b"wake" Wake 0,
    b"wake.timeout" Wake 1,
    b"wake.spurious" Wake 2,
    b"notify" Notify 0,
    b"notifyAll" NotifyAll 0,
    b"post" Post 0,
    b"take" Take 0,
    b"arrive" Arrive 0,
    b"leave" Leave 0,
    b"begin" TxBegin 0,
    b"end" TxEnd 0,
    b"branch" Branch 0,
    b"assert.fails" Assert 0,
    b"assert.holds" Assert 1,
    b"alloc" Alloc 0,
    b"free" Free 0,
}

/// The n of `wake.n`, a wake-up by the n-th last notify; plain `wake` is `wake.1`.
pub(super) fn wake_rank(name: &[u8]) -> Option<usize> {
    let digits = std::str::from_utf8(name.strip_prefix(b"wake.")?).ok()?;
    digits.parse().ok().filter(|&n| n > 0)
}

/// An operation of a thread as it stands in an STD file, without the location.
pub fn notation(events: &Events, thread: ThreadId, op: Op) -> String {
    let (code, object) = op.encode();
    let object = events.tables.names(code.kind().class()).and_then(|names| names.get(object));
    format!("{}|{}({})", events.tables.thread(thread), name(code), object.unwrap_or("0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_name_that_reads_back() {
        for byte in 0..=255u8 {
            let Some(op) = OpCode::from_byte(byte) else { continue };
            assert_eq!(code(name(op).as_bytes()), Some(op), "{}", name(op));
        }
    }
}
