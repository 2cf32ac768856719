//! Panics of threads under control: what they said is noted, and not printed.

use std::any::Any;
use std::panic::{self, PanicHookInfo};
use std::sync::Once;

use raddle_finding::Location;

use crate::world::{Here, PanicNote, location};

/// Puts a hook before the one there is, once in a process.
pub(crate) fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if note(info) {
                before(info);
            }
        }));
    });
}

/// Notes a panic; whether it is to be shown.
fn note(info: &PanicHookInfo<'_>) -> bool {
    let Some(here) = Here::find() else { return true };
    let place = info.location().map_or_else(|| Location::named("nowhere"), location);
    let message = text(info.payload()).to_owned();
    here.with(|world| {
        let shows = world.rules.shows_panics && !world.is_torn();
        let n_told = world.n_told();
        let me = world.me();
        me.unwinds = true;
        me.panic = Some(PanicNote { place, message, n_told });
        shows
    })
}

/// What a panic said.
pub(crate) fn text(payload: &(dyn Any + Send)) -> &str {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text,
        _ => "a panic with a value that is not text",
    }
}
