//! Branches: what a thread decided, and what it is pinned to.

use raddle_cfront::ir::{Function, Kind, Op, Primitive, Reg, Unary};
use raddle_vm::Transition;

use super::events::Follower;
use crate::ctp::{Guard, Line, Otherwise};
use crate::expr::ExprId;

impl Follower {
    /// C2: a register is what it was in the run.
    pub(super) fn fix(&mut self, t: &Transition<'_>, register: Reg) {
        if let Some(value) = self.thread(t.thread).get(register) {
            self.fix_value(t, value, t.registers[register.0 as usize]);
            self.set(t, register, None);
        }
    }

    pub(super) fn fix_value(&mut self, t: &Transition<'_>, value: ExprId, to: u64) {
        let to = self.ctp.exprs.value(to);
        let condition = self.ctp.exprs.equal(value, to);
        self.guard(t, condition, Otherwise::Other);
    }

    pub(super) fn guard(&mut self, t: &Transition<'_>, condition: ExprId, otherwise: Otherwise) {
        let trivial = self.ctp.exprs.constant(condition).is_some();
        let line = own_line(t);
        let thread = self.thread(t.thread);
        if !trivial && thread.quiet.is_none() && thread.known.insert(condition) {
            thread.guards.push(Guard { condition, line, otherwise });
        }
    }

    pub(super) fn branch(
        &mut self,
        t: &Transition<'_>,
        function: &Function,
        condition: Reg,
        yes: u32,
        no: u32,
    ) {
        let Some(value) = self.thread(t.thread).get(condition) else { return };
        let is_first = self.thread(t.thread).top().decided.insert(t.site.op);
        if !is_first && !function.library {
            let text = "a loop that depends on shared values is repeated as often as in the run";
            self.notice(text.to_owned(), own_line(t));
        }
        let taken = t.registers[condition.0 as usize] != 0;
        let other = if taken { no } else { yes };
        let otherwise = match leads_to_failure(t, function, other) {
            true => Otherwise::Fails,
            false => Otherwise::Elsewhere(line_at(t, function, other)),
        };
        let condition = match taken {
            true => value,
            false => self.ctp.exprs.unary(Unary::IsZero, Kind::I64, value),
        };
        self.guard(t, condition, otherwise);
    }
}

/// The line of the program that a transition belongs to, not that of the library.
pub(super) fn own_line(t: &Transition<'_>) -> Option<Line> {
    let own = t.view.stack().find(|frame| !frame.library);
    // The innermost frame may not know yet where it is.
    let site = match own {
        Some(frame) if frame.site.function != t.site.function => frame.site,
        _ => t.site,
    };
    super::line(t.view.program(), site)
}

fn line_at(t: &Transition<'_>, function: &Function, op: u32) -> Option<Line> {
    let span = function.spans.get(op as usize)?;
    let location = t.view.program().sources.locate(span.start);
    Some(Line { file: location.file, line: location.line })
}

/// Whether nothing but a failed assertion, or an error that must not be reached, comes next.
fn leads_to_failure(t: &Transition<'_>, function: &Function, mut op: u32) -> bool {
    for _ in 0..16 {
        match function.code.get(op as usize) {
            Some(Op::Jump { to }) => op = *to,
            Some(Op::Const { .. } | Op::Copy { .. } | Op::Address { .. } | Op::Convert { .. }) => {
                op += 1
            }
            Some(Op::Call { function, .. }) => {
                let callee = t.view.program().function(*function);
                return callee.library && is_failure(&callee.name);
            }
            Some(Op::Primitive { call, .. }) => {
                return matches!(
                    call,
                    Primitive::AssertFail | Primitive::ReachError | Primitive::Abort
                );
            }
            _ => return false,
        }
    }
    false
}

fn is_failure(name: &str) -> bool {
    ["__assert_fail", "__assert", "__assert_perror_fail", "abort", "reach_error"].contains(&name)
}
