//! Condition variables: a wait, then a wake-up that a notify explains.

use rustc_hash::FxHashSet;

use super::{Fault, Fix, Rule, Step};
use crate::events::Events;
use crate::id::{CondId, EventId, ThreadId};
use crate::op::{Op, WakeReason};

pub(super) struct Waits {
    /// Per thread, the wait that is under way.
    waiting: Vec<Option<(CondId, EventId)>>,
    /// Single notifies that have woken a thread.
    used: FxHashSet<EventId>,
    /// Single notifies that were changed to notify all.
    broadened: FxHashSet<EventId>,
}

impl Waits {
    pub(super) fn new(events: &Events) -> Waits {
        Waits {
            waiting: vec![None; events.tables.threads.len()],
            used: FxHashSet::default(),
            broadened: FxHashSet::default(),
        }
    }

    #[inline]
    pub(super) fn is_idle(&self, thread: ThreadId) -> bool {
        self.waiting[thread.index()].is_none()
    }

    pub(super) fn fault(&self, step: &Step, events: &Events) -> Option<Fault> {
        match (step.op, self.waiting[step.thread.index()]) {
            (Op::Wake { cond, reason }, Some((waited, wait))) if cond == waited => {
                self.wake_fault(step, cond, reason, wait, events)
            }
            (Op::Wake { .. }, None) => {
                let detail = format!("{} is not waiting", events.tables.thread(step.thread));
                Some(Fault { rule: Rule::WakeAfterWait, detail, fix: Fix::Drop })
            }
            (Op::Release { .. } | Op::Request { .. } | Op::Acquire { .. }, _) | (_, None) => None,
            (_, Some((cond, _))) => {
                let name = events.tables.conditions.get(cond.0).unwrap_or("?");
                let detail =
                    format!("{} is still waiting on {name}", events.tables.thread(step.thread));
                let wake = Op::Wake { cond, reason: WakeReason::Spurious };
                Some(Fault {
                    rule: Rule::OneWait,
                    detail,
                    fix: Fix::Insert { before: step.id, thread: step.thread, op: wake },
                })
            }
        }
    }

    fn wake_fault(
        &self,
        step: &Step,
        cond: CondId,
        reason: WakeReason,
        wait: EventId,
        events: &Events,
    ) -> Option<Fault> {
        if reason != WakeReason::Notified || !step.observed {
            return None;
        }
        let notify = events.waker(step.id).filter(|&notify| {
            let same = match events.op(notify) {
                Op::Notify { cond: c } | Op::NotifyAll { cond: c } => c == cond,
                _ => false,
            };
            same && events.thread(notify) != step.thread && wait < notify && notify < step.id
        });
        let Some(notify) = notify else {
            let name = events.tables.conditions.get(cond.0).unwrap_or("?");
            let detail = format!("no notify of {name} by another thread explains it");
            let fix = Fix::Change(Op::Wake { cond, reason: WakeReason::Spurious });
            return Some(Fault { rule: Rule::Notified, detail, fix });
        };
        let spent = self.used.contains(&notify) && !self.broadened.contains(&notify);
        spent.then(|| Fault {
            rule: Rule::NotifyWakesOne,
            detail: format!("it also wakes {}", events.tables.thread(step.thread)),
            fix: Fix::ChangeOther(notify, Op::NotifyAll { cond }),
        })
    }

    pub(super) fn commit(&mut self, step: &Step, events: &Events) {
        match step.op {
            Op::Wait { cond } => self.waiting[step.thread.index()] = Some((cond, step.id)),
            Op::Wake { reason, .. } => {
                self.waiting[step.thread.index()] = None;
                if reason == WakeReason::Notified && step.observed {
                    let notify = events.waker(step.id);
                    self.used.extend(notify.filter(|&n| matches!(events.op(n), Op::Notify { .. })));
                }
            }
            _ => {}
        }
    }

    /// A single notify was changed to notify all.
    pub(super) fn notify_changed(&mut self, notify: EventId) {
        self.broadened.insert(notify);
    }
}
