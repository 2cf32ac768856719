//! The calls of `raddle.h`: they do nothing, and say something.

use raddle_cfront::ir::{FunctionId, Reg};
use raddle_vm::shadow::{Piece, Step};

use super::Recorder;
use crate::statement::Candidate;

impl Recorder<'_> {
    /// Takes note of a call, if it is one of them.
    pub(super) fn annotation(&mut self, s: &Step<'_>, callee: FunctionId, arguments: &[Reg]) {
        let called = self.recording.program.function(callee);
        if !called.library || !called.name.starts_with("raddle_") {
            return;
        }
        let value = |n: usize| arguments.get(n).map_or(0, |r| s.registers[r.0 as usize]);
        match &*called.name {
            "raddle_begin_iteration" => self.cut(s.thread, true),
            "raddle_end_iteration" => self.cut(s.thread, false),
            "raddle_begin_atomic" if self.recording.marked => self.cut(s.thread, true),
            "raddle_end_atomic" if self.recording.marked => self.cut(s.thread, false),
            "raddle_focus_on" => {
                if let Some((object, offset)) = s.view.resolve(value(0)) {
                    self.focus.push(Piece::new(s, object, offset, value(1) as u32));
                }
            }
            "raddle_may_skip_next" if !s.function.library => {
                if let Some((list, position)) = self.recording.outline.place(s.site) {
                    let next = position + 1;
                    let run = Candidate { list, first: next, last: next };
                    if self.recording.outline.lists.allows(&run) && !self.given.contains(&run) {
                        self.given.push(run);
                    }
                }
            }
            _ => {}
        }
    }
}
