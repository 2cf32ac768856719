//! A race in words, the same for every engine.

/// One side of a race.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// What is done: `read`, `written`, ….
    pub does: &'a str,
    /// By which thread.
    pub thread: &'a str,
    /// Where: `file:line`.
    pub place: &'a str,
}

/// What to say of a race whose accesses happened in this order.
pub fn message(object: &str, sides: [Side<'_>; 2]) -> String {
    let [first, second] =
        sides.map(|Side { does, thread, place }| format!("{does} by {thread} ({place})"));
    format!("`{object}` is {first} and {second}, and nothing orders them")
}
