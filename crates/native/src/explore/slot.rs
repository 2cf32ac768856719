//! Plans, as the runtime reads them.

use raddle_explore::{Plan, Policy};
use raddle_wire::board::{LIST_MAX, Layout, PREFIX_MAX, PolicyCode, Slot, Wants};
use raddle_wire::policy::NO_THREAD;

/// Writes a plan, whose choices are `words`, into the slot of its number. What is too long for it is cut: the run then is
/// another one, and says so.
pub(super) fn write(plan: &Plan, words: &[u32], layout: &Layout, base: *mut u8, number: u32) {
    let words = &words[..words.len().min(PREFIX_MAX)];
    let (code, seed, steps, creators): (_, _, &[u32], Vec<u32>) = match &plan.policy {
        Policy::Continue => (PolicyCode::Continue, 0, &[], Vec::new()),
        Policy::Random { seed } => (PolicyCode::Random, *seed, &[], Vec::new()),
        Policy::Pct { seed, .. } => (PolicyCode::Pct, *seed, &[], Vec::new()),
        Policy::Pos { seed } => (PolicyCode::Pos, *seed, &[], Vec::new()),
        Policy::Walk { seed, n_steps, creators, .. } => {
            let creators = creators.iter().map(|creator| creator.unwrap_or(NO_THREAD));
            (PolicyCode::Walk, *seed, n_steps, creators.collect())
        }
        Policy::Pause { seed, .. } => (PolicyCode::Pause, *seed, &[], Vec::new()),
        Policy::Ranked { order, falls } => {
            (PolicyCode::Ranked, 0, order, falls.as_flattened().to_vec())
        }
        Policy::Awake { asleep } => (PolicyCode::Awake, 0, asleep, Vec::new()),
        _ => (PolicyCode::Continue, 0, &[], Vec::new()),
    };
    let steps = &steps[..steps.len().min(LIST_MAX / 2)];
    let creators = &creators[..creators.len().min(LIST_MAX / 2)];
    let (target, depth, n_points) = match plan.policy {
        Policy::Pct { depth, n_points, .. } => (None, depth, n_points),
        Policy::Walk { target, n_points, .. } => (target, 0, n_points),
        Policy::Pause { target, .. } => (Some(target), 0, 0),
        _ => (None, 0, 0),
    };
    let enumerates = matches!(plan.policy, Policy::Continue | Policy::Awake { .. });
    let wants = bit(Wants::OPERATIONS, plan.observe.operations)
        | bit(Wants::RACES, plan.observe.races)
        | bit(Wants::ALTERNATIVES, enumerates);
    // SAFETY: the layout says where there is a slot, which stays there.
    let slot = unsafe { &*base.add(layout.slot(number)).cast::<Slot>() };
    slot.n_prefix.set(words.len() as u32);
    slot.policy.set(code as u32);
    slot.seed.set(seed);
    slot.target.set(target.unwrap_or(0));
    slot.has_target.set(target.is_some().into());
    slot.depth.set(depth);
    slot.n_points_expected.set(n_points);
    slot.n_steps.set(steps.len() as u32);
    slot.n_creators.set(creators.len() as u32);
    slot.n_points_max.set(plan.n_points_max.unwrap_or(0));
    slot.wants.set(wants);
    slot.control.outcome.set(0);
    // SAFETY: the layout says where there is room for each, and the lengths were cut to it. The
    // runtime does not look at them before the slot is posted.
    unsafe {
        let prefix = base.add(layout.prefix(number)).cast::<u32>();
        prefix.copy_from_nonoverlapping(words.as_ptr(), words.len());
        let list = base.add(layout.list(number)).cast::<u32>();
        list.copy_from_nonoverlapping(steps.as_ptr(), steps.len());
        list.add(steps.len()).copy_from_nonoverlapping(creators.as_ptr(), creators.len());
    }
}

fn bit(bit: u32, on: bool) -> u32 {
    if on { bit } else { 0 }
}
