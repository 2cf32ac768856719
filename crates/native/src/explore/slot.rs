//! Plans, as the runtime reads them.

use raddle_explore::Plan;
use raddle_wire::board::{Layout, PREFIX_MAX, Slot, Wants};
use raddle_wire::policy::PolicyRecord;

/// Writes a plan, whose choices are `words`, into the slot of its number. What is too long for it is cut: the run then is
/// another one, and says so.
pub(super) fn write(plan: &Plan, words: &[u32], layout: &Layout, base: *mut u8, number: u32) {
    let words = &words[..words.len().min(PREFIX_MAX)];
    let (policy, numbers) = PolicyRecord::of(&plan.policy);
    let wants = bit(Wants::OPERATIONS, plan.observe.operations)
        | bit(Wants::RACES, plan.observe.races)
        | bit(Wants::ALTERNATIVES, plan.policy.is_enumerated());
    // SAFETY: the layout says where there is a slot, which stays there.
    let slot = unsafe { &*base.add(layout.slot(number)).cast::<Slot>() };
    slot.n_prefix.set(words.len() as u32);
    slot.policy.set(policy);
    slot.n_points_max.set(plan.n_points_max.unwrap_or(0));
    slot.wants.set(wants);
    slot.control.outcome.set(0);
    // SAFETY: the layout says where there is room for each, and the lengths were cut to it. The
    // runtime does not look at them before the slot is posted.
    unsafe {
        let prefix = base.add(layout.prefix(number)).cast::<u32>();
        prefix.copy_from_nonoverlapping(words.as_ptr(), words.len());
        let list = base.add(layout.list(number)).cast::<u32>();
        list.copy_from_nonoverlapping(numbers.as_ptr(), numbers.len());
    }
}

fn bit(bit: u32, on: bool) -> u32 {
    if on { bit } else { 0 }
}
