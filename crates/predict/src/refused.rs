//! Every witness passes the referee before anybody sees it.

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
