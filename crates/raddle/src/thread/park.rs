//! Parking: a thread waits for a token that others leave for it.

use std::panic::Location;
use std::time::Duration;

use crate::world::{Guard, Here, Pending, Site, What};

/// Waits until another thread unparks this thread.
#[track_caller]
pub fn park() {
    park_at(None, Location::caller());
}

/// Waits until another thread unparks this thread, with a time limit.
#[track_caller]
pub fn park_timeout(time: Duration) {
    park_at(Some(time), Location::caller());
}

fn park_at(time: Option<Duration>, site: Site) {
    let here = Here::get();
    let deadline = time.map(|time| here.with(|world| world.after(time)));
    let me = here.current();
    here.with(|world| world.table.add_wait());
    here.reach(Pending {
        is_timed: time.is_some() || here.may_end_for_no_reason(),
        ..Pending::guarded(What::Park, Guard::Token, me, site)
    });
    here.with(|world| {
        let had_token = std::mem::take(&mut world.me().has_token);
        world.see(had_token.into());
        if !had_token {
            world.now = deadline.map_or(world.now, |deadline| deadline.max(world.now));
            return world.tell_value(|| "no thread unparked it".to_owned());
        }
        world.changed();
        if world.follows_clocks {
            world.orders.take_left(me);
        }
    });
}

pub(super) fn unpark_at(thread: u32, site: Site) {
    let here = Here::get();
    here.reach(Pending::open(What::Unpark, thread, site));
    here.with(|world| {
        if world.follows_clocks {
            world.orders.leave_for(world.current, thread);
        }
        let had_token = std::mem::replace(&mut world.threads[thread as usize].has_token, true);
        if !had_token {
            world.changed();
        }
        world.tell_thread(thread);
    });
}

/// Leaves a token for a thread.
#[track_caller]
pub(super) fn unpark(thread: u32) {
    unpark_at(thread, Location::caller());
}
