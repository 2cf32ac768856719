//! Reading STD text: each line becomes one event.

use std::io::Read;
use std::ops::Range;

use super::lines::{Lines, MAX_LINE, Next};
use super::settle::{self, BeginEnd};
use super::waits::{self, Explicit};
use crate::events::Events;
use crate::format::input::Text;
use crate::format::notation;
use crate::format::{LineError, Monitor, ReadError, Syntax, check_memory, report};
use crate::id::{EventId, NONE, ThreadId};
use crate::names::{Key, Names};
use crate::op::{Kind, ObjectClass, OpCode};
use crate::source::{LineMap, Source};

/// Lines that are taken apart before the first of them is looked up; see [`Names::touch`].
const BATCH: usize = 32;

/// Reads events, with the meaning that `begin` and `end` turned out to have.
pub(in crate::format) fn read(
    text: Text<'_>,
    begin_end: BeginEnd,
    limit: u64,
    monitor: &mut dyn Monitor,
) -> Result<(Events, Option<BeginEnd>), ReadError> {
    let mut lines = Lines::new(text.stream);
    let mut reader = Reader::default();
    lines.fill()?;
    if let Some(size) = text.size {
        let n_events = estimate(lines.buffered(), size);
        check_memory(n_events, limit)?;
        reader.events.reserve(n_events as usize);
    }
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        let next = reader.gather(&mut lines, &mut batch)?;
        reader.touch(&batch);
        for fields in batch.drain(..) {
            reader.event(lines.bytes(fields.start, fields.end), &fields)?;
        }
        let n_events = reader.events.len() as u64;
        match next {
            Next::Line(..) => {}
            Next::TooLong => return Err(too_long(lines.number())),
            Next::End => break,
            Next::Fill => {
                check_memory(n_events, limit)?;
                report(monitor, text.consumed.get(), n_events)?;
                lines.fill()?;
            }
        }
        if n_events > (Events::MAX_LEN - BATCH) as u64 {
            return Err(ReadError::TooManyEvents);
        }
    }
    reader.finish(begin_end)
}

/// How many events `size` bytes hold, if all are like the first.
fn estimate(first: &[u8], size: u64) -> u64 {
    let n_lines = memchr::memchr_iter(b'\n', first).count() as u64 + 1;
    let n_bytes = (first.len() as u64).max(1);
    (u128::from(size) * u128::from(n_lines) / u128::from(n_bytes)) as u64
}

/// A syntax error and the bytes of the line that it is about.
struct At(usize, usize, Syntax);

impl At {
    #[cold]
    fn into_error(self, line: &[u8], number: u64) -> ReadError {
        const EXCERPT: usize = 160;
        let At(start, end, syntax) = self;
        let excerpt_start =
            if start < EXCERPT / 2 { 0 } else { (start - EXCERPT / 4).min(line.len()) };
        let excerpt = &line[excerpt_start..line.len().min(excerpt_start + EXCERPT)];
        ReadError::Line(Box::new(LineError {
            line: number,
            column: start + 1,
            length: end.saturating_sub(start),
            syntax,
            excerpt: String::from_utf8_lossy(excerpt).into_owned(),
            excerpt_start,
        }))
    }
}

fn too_long(line: u64) -> ReadError {
    At(MAX_LINE, MAX_LINE, Syntax::TooLong(MAX_LINE)).into_error(b"", line)
}

/// A line, taken apart. `start` and `end` are places in the buffer, the others in the line.
struct Fields {
    start: usize,
    end: usize,
    number: u64,
    /// Where the thread ends.
    thread: usize,
    code: OpCode,
    object: Range<usize>,
    object_key: Key,
    /// Where the location begins.
    location: usize,
    location_key: Key,
}

impl Fields {
    /// Takes a line apart; `None` for a line that is no event.
    #[inline]
    fn new(line: &[u8]) -> Result<Option<Fields>, At> {
        let Some(bar) = line.iter().position(|&b| b == b'|') else {
            let blank = line.trim_ascii().is_empty() || line[0] == b'#';
            return if blank { Ok(None) } else { Err(At(0, line.len(), Syntax::NoFields)) };
        };
        if line[0] == b'#' {
            return Ok(None);
        }
        if bar == 0 {
            return Err(At(0, 1, Syntax::NoThread));
        }
        let start = bar + 1;
        let Some(length) = line[start..].iter().position(|&b| b == b'|') else {
            return Err(At(line.len(), line.len(), Syntax::NoLocation));
        };
        let end = start + length;
        let (code, object) = operation(line, start..end)?;
        Ok(Some(Fields {
            start: 0,
            end: 0,
            number: 0,
            thread: bar,
            code,
            object_key: Key::new(&line[object.clone()]),
            object,
            location: end + 1,
            location_key: Key::new(&line[end + 1..]),
        }))
    }
}

/// The operation in a field of the line, and where its object stands.
#[inline]
fn operation(line: &[u8], field: Range<usize>) -> Result<(OpCode, Range<usize>), At> {
    let Range { start, end } = field;
    let length = line[field.clone()].iter().position(|&b| b == b'(').unwrap_or(field.len());
    let name = &line[start..start + length];
    let Some(code) = notation::code(name) else {
        let unknown = String::from_utf8_lossy(&name[..name.len().min(40)]).into_owned();
        return Err(At(start, start + length, Syntax::UnknownOperation(unknown)));
    };
    match line[start + length..end] {
        [b'(', .., b')'] => Ok((code, start + length + 1..end - 1)),
        [] => match code.kind().class() {
            ObjectClass::None | ObjectClass::Transaction => Ok((code, end..end)),
            _ => Err(At(end, end, Syntax::NoObject)),
        },
        _ => Err(At(end - 1, end, Syntax::Unclosed)),
    }
}

#[derive(Default)]
struct Reader {
    events: Events,
    lines: LineMap,
    /// The threads that forks and joins name, which may lack the prefix of the other names.
    children: Names,
    /// The forks and joins; their objects are ids of `children` for now.
    family: Vec<EventId>,
    /// Waits and wake-ups that say more than usual.
    explicit: Explicit,
    /// Some transaction is called `tx.begin`, which leaves no doubt.
    explicit_transactions: bool,
    /// The thread of the last line: most lines are of the same thread as the line before.
    last_thread: ThreadId,
}

impl Reader {
    /// Takes apart the lines in the buffer, up to a batch of them, and says why it stopped.
    #[inline]
    fn gather<R: Read>(
        &mut self,
        lines: &mut Lines<R>,
        batch: &mut Vec<Fields>,
    ) -> Result<Next, ReadError> {
        loop {
            let next = lines.next();
            let Next::Line(start, end) = next else { return Ok(next) };
            let line = lines.bytes(start, end);
            let number = lines.number();
            match Fields::new(line) {
                Ok(None) => {}
                Ok(Some(fields)) => {
                    batch.push(Fields { start, end, number, ..fields });
                }
                Err(at) => {
                    // A line before this one may be wrong too, in a way that shows later.
                    for fields in batch.drain(..) {
                        self.event(lines.bytes(fields.start, fields.end), &fields)?;
                    }
                    return Err(at.into_error(line, number));
                }
            }
            if batch.len() == BATCH {
                return Ok(next);
            }
        }
    }

    /// Has the names of a batch brought near; a loop of its own, so that the look-ups overlap.
    fn touch(&self, batch: &[Fields]) {
        for fields in batch {
            self.events.tables.variables.touch(fields.object_key);
        }
        for fields in batch {
            self.events.tables.locations.touch(fields.location_key);
        }
    }

    #[inline]
    fn event(&mut self, line: &[u8], fields: &Fields) -> Result<(), ReadError> {
        self.append(line, fields).map_err(|at| at.into_error(line, fields.number))
    }

    #[inline]
    fn append(&mut self, line: &[u8], fields: &Fields) -> Result<(), At> {
        let thread = self.thread(&line[..fields.thread])?;
        let object = self.object(line, fields)?;
        let location = match &line[fields.location..] {
            [] => NONE,
            name => {
                let locations = &mut self.events.tables.locations;
                let id = locations.intern_keyed(fields.location_key, name);
                id.map_err(|e| At(fields.location, line.len(), e.into()))?
            }
        };
        let event = self.events.push_raw(thread, fields.code, object, location);
        self.lines.push(event.0, fields.number);
        if !fields.code.is_access() {
            self.remember(event, fields.code.kind(), &line[fields.thread + 1..]);
        }
        Ok(())
    }

    /// Notes what has to be settled when all lines are read.
    fn remember(&mut self, event: EventId, kind: Kind, operation: &[u8]) {
        match kind {
            Kind::Fork | Kind::Join => self.family.push(event),
            Kind::Wait if operation.starts_with(b"wait.pre") => {
                self.explicit.waits.insert(event);
            }
            Kind::Wake => {
                let name = operation.split(|&b| b == b'(').next().unwrap_or_default();
                self.explicit.wakes.extend(notation::wake_rank(name).map(|n| (event, n)));
            }
            Kind::TxBegin if operation.starts_with(b"tx.") => self.explicit_transactions = true,
            _ => {}
        }
    }

    #[inline]
    fn thread(&mut self, name: &[u8]) -> Result<ThreadId, At> {
        let threads = &mut self.events.tables.threads;
        if threads.get(self.last_thread.0).is_some_and(|last| last.as_bytes() == name) {
            return Ok(self.last_thread);
        }
        let id = threads.intern(name).map_err(|e| At(0, name.len(), e.into()))?;
        if id as usize >= Events::MAX_THREADS {
            return Err(At(0, name.len(), Syntax::TooManyThreads));
        }
        self.last_thread = ThreadId(id);
        Ok(self.last_thread)
    }

    #[inline]
    fn object(&mut self, line: &[u8], fields: &Fields) -> Result<u32, At> {
        let name = &line[fields.object.clone()];
        let at = |syntax| At(fields.object.start, fields.object.end, syntax);
        let names = match fields.code.kind().class() {
            ObjectClass::Variable => &mut self.events.tables.variables,
            ObjectClass::Thread => &mut self.children,
            class => match self.events.tables.names_mut(class) {
                Some(names) => names,
                None => return Ok(0),
            },
        };
        let id = names.intern_keyed(fields.object_key, name).map_err(|e| at(e.into()))?;
        if self.children.len() > Events::MAX_THREADS {
            return Err(at(Syntax::TooManyThreads));
        }
        Ok(id)
    }

    fn finish(self, begin_end: BeginEnd) -> Result<(Events, Option<BeginEnd>), ReadError> {
        let Reader { mut events, lines, children, family, explicit, .. } = self;
        if events.is_empty() {
            return Err(ReadError::Empty);
        }
        events.source = Source::identity(lines);
        settle::name_children(&mut events, &children, &family).map_err(|(event, syntax)| {
            At(0, 0, syntax).into_error(b"", events.source.line(event).unwrap_or(1))
        })?;
        let asked = if self.explicit_transactions { BeginEnd::Transaction } else { begin_end };
        let meaning = settle::begin_end(&mut events, asked);
        Ok((waits::settle(events, &explicit), meaning))
    }
}
