//! Sites: where in the program something happened.

use raddle_cfront::ir::FunctionId;

/// A transition of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Site {
    /// The function it belongs to.
    pub function: FunctionId,
    /// Its index in the function's code.
    pub op: u32,
}

impl Site {
    /// Stands for no site at all.
    pub(crate) const NONE: Site = Site { function: FunctionId(u32::MAX), op: u32::MAX };

    /// The site, unless it stands for none.
    pub(crate) fn known(self) -> Option<Site> {
        (self != Site::NONE).then_some(self)
    }
}

/// One frame of a call stack.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FrameSite {
    /// The transition that runs, or the call that has not returned.
    pub site: Site,
    /// Whether the function belongs to the embedded library.
    pub library: bool,
}
