//! The calls of `raddle.h`: they do nothing, and say something.

use raddle_cfront::ir::{Function, Reg};
use raddle_vm::Transition;

use super::Recorder;
use super::observe::piece;
use crate::statement::Candidate;

impl Recorder<'_> {
    /// Takes note of a call, if it is one of them.
    pub(super) fn annotation(
        &mut self,
        t: &Transition<'_>,
        callee: u32,
        function: &Function,
        arguments: &[Reg],
    ) {
        let program = self.recording.program;
        let called = &program.functions[callee as usize];
        if !called.library || !called.name.starts_with("raddle_") {
            return;
        }
        let value = |n: usize| arguments.get(n).map_or(0, |r| t.registers[r.0 as usize]);
        match &*called.name {
            "raddle_begin_iteration" => self.cut(t.thread, true),
            "raddle_end_iteration" => self.cut(t.thread, false),
            "raddle_begin_atomic" if self.recording.marked => self.cut(t.thread, true),
            "raddle_end_atomic" if self.recording.marked => self.cut(t.thread, false),
            "raddle_focus_on" => {
                if let Some((object, offset)) = t.view.resolve(value(0)) {
                    self.focus.push(piece(t, object, offset, value(1) as u32));
                }
            }
            "raddle_may_skip_next" if !function.library => {
                if let Some((list, position)) = self.recording.outline.place(t.site) {
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
