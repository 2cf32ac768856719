//! Has the referee judge every witness before it leaves this crate.

use raddle_referee::{Claim, Objection, judge};
use raddle_trace::{Sequence, Trace};

/// A witness that the referee refused: a mistake in this program.
#[derive(Debug, thiserror::Error)]
#[error("internal error: the referee refused the witness for {claim:?}: {objection}")]
pub struct Refused {
    /// What was claimed.
    pub claim: Claim,
    /// What the referee said.
    pub objection: Objection,
}

/// Has the referee judge a witness.
pub(crate) fn confirm(trace: &Trace, claim: Claim, witness: &Sequence) -> Result<(), Refused> {
    judge(trace, &claim, witness).map_err(|objection| Refused { claim, objection })
}

#[cfg(test)]
mod tests {
    use raddle_trace::EventId;
    use raddle_trace::check::Mode;
    use raddle_trace::format::sketch;

    use super::*;

    /// Whether a witness with the first events of two writes is accepted as a race between these.
    fn is_confirmed(text: &str, n_events: u32) -> bool {
        let events = sketch(text).expect("the text is a sketch");
        let trace = Trace::new(events, Mode::Strict).expect("it is well-formed");
        let mut witness = Sequence::default();
        (0..n_events).for_each(|event| witness.push(EventId(event)));
        let claim = Claim::Race { first: EventId(0), second: EventId(1) };
        confirm(&trace, claim, &witness).is_ok()
    }

    #[test]
    fn a_witness_that_shows_a_race_is_confirmed() {
        assert!(is_confirmed("T1 w x\nT2 w x", 0));
    }

    #[test]
    fn a_witness_that_shows_nothing_is_refused() {
        assert!(!is_confirmed("T1 w x\nT2 w x", 1));
        assert!(!is_confirmed("T1 w x\nT2 w y", 0));
    }
}
