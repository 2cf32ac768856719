//! Branches: what a thread decided, and what it is pinned to.

use raddle_cfront::ir::{Kind, Op, Primitive, Reg, Unary};
use raddle_vm::Site;
use raddle_vm::shadow::Step;

use super::events::Follower;
use super::line;
use crate::ctp::{Guard, Line, Otherwise};
use crate::expr::ExprId;

impl Follower {
    /// C2: a register is what it was in the run.
    pub(super) fn fix(&mut self, s: &Step<'_>, register: Reg) {
        if let Some(value) = self.get(s, register) {
            self.fix_value(s, value, s.registers[register.0 as usize]);
            self.shadow.set(s.thread, register, None);
        }
    }

    pub(super) fn fix_value(&mut self, s: &Step<'_>, value: ExprId, to: u64) {
        let to = self.ctp.exprs.value(to);
        let condition = self.ctp.exprs.equal(value, to);
        self.guard(s, condition, Otherwise::Other);
    }

    pub(super) fn guard(&mut self, s: &Step<'_>, condition: ExprId, otherwise: Otherwise) {
        let trivial = self.ctp.exprs.constant(condition).is_some();
        let line = own_line(s);
        let thread = self.thread(s.thread);
        if !trivial && thread.quiet.is_none() && thread.known.insert(condition) {
            thread.guards.push(Guard { condition, line, otherwise });
        }
    }

    pub(super) fn branch(&mut self, s: &Step<'_>, condition: Reg, yes: u32, no: u32) {
        let Some(value) = self.get(s, condition) else { return };
        let is_first = self.shadow.top(s.thread).own.insert(s.site.op);
        if !is_first && !s.function.library {
            let text = "a loop that depends on shared values is repeated as often as in the run";
            self.notice(text.to_owned(), own_line(s));
        }
        let taken = s.registers[condition.0 as usize] != 0;
        let other = if taken { no } else { yes };
        let otherwise = match leads_to_failure(s, other) {
            true => Otherwise::Fails,
            false => Otherwise::Elsewhere(line(s.view.program(), Site { op: other, ..s.site })),
        };
        let condition = match taken {
            true => value,
            false => self.ctp.exprs.unary(Unary::IsZero, Kind::I64, value),
        };
        self.guard(s, condition, otherwise);
    }
}

/// The line of the program that a transition belongs to, not that of the library.
pub(super) fn own_line(s: &Step<'_>) -> Option<Line> {
    let own = s.view.stack().find(|frame| !frame.library);
    // The innermost frame may not know yet where it is.
    let site = match own {
        Some(frame) if frame.site.function != s.site.function => frame.site,
        _ => s.site,
    };
    line(s.view.program(), site)
}

/// Whether nothing but a failed assertion, or an error that must not be reached, comes next.
fn leads_to_failure(s: &Step<'_>, mut op: u32) -> bool {
    for _ in 0..16 {
        match s.function.code.get(op as usize) {
            Some(Op::Jump { to }) => op = *to,
            Some(Op::Const { .. } | Op::Copy { .. } | Op::Address { .. } | Op::Convert { .. }) => {
                op += 1
            }
            Some(Op::Call { function, .. }) => {
                let callee = s.view.program().function(*function);
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
