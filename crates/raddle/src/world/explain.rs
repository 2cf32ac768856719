//! Explanations: why no thread goes on, and why an execution is not like the one before.

use std::fmt::Write;
use std::panic::Location;

use raddle_finding::push_number;

use super::{Announced, Divergence, Guard, NONE, What, World};

impl World {
    /// Writes behind a text what a thread waits for, and who has it.
    pub(super) fn write_waits_for(&self, thread: u32, text: &mut String) {
        let pending = &self.threads[thread as usize].pending;
        self.write_thread_name(thread, text);
        *text += " waits ";
        match pending.what {
            What::Join => *text += "to join ",
            What::Park => *text += "to be unparked ",
            What::Poll => *text += "to be woken ",
            What::Wake => *text += "to be notified on ",
            what => text.extend(["where it ", what.words(), " "]),
        }
        match pending.what.is_about_thread() {
            true if pending.object == thread => {}
            true => self.write_thread_name(pending.object, text),
            false => self.write_object_name(pending.object, text),
        }
        *text += " at ";
        write_site(pending.site, text);
        self.write_holder(thread, text);
    }

    fn write_holder(&self, thread: u32, text: &mut String) {
        let lock = self.lock_of(thread).and_then(|lock| self.objects.get(lock as usize));
        let Some(lock) = lock else { return };
        if lock.owner == NONE {
            if lock.count > 0 {
                // Writing into a text cannot fail.
                let _ = write!(text, ", which {} hold for reading", lock.count);
                if lock.n_writers_waiting > 0 && pending_reads(self, thread) {
                    *text += ", and a writer waits for it";
                }
            }
            return;
        }
        *text += ", which ";
        match lock.owner == thread {
            true => *text += "it holds itself",
            false => {
                self.write_thread_name(lock.owner, text);
                *text += " holds";
            }
        }
        if let Some(site) = lock.taken {
            *text += ", taken at ";
            write_site(site, text);
        }
    }

    /// The thread that another one waits for, if there is just one.
    fn waits_for_thread(&self, thread: u32) -> Option<u32> {
        let pending = &self.threads[thread as usize].pending;
        match pending.guard {
            Guard::Ended => Some(pending.object),
            _ => self.lock_of(thread).map(|lock| self.objects[lock as usize].owner),
        }
        .filter(|&other| other != NONE)
    }

    /// The lock that a thread waits for.
    pub(super) fn lock_of(&self, thread: u32) -> Option<u32> {
        let at = &self.threads[thread as usize];
        match at.pending.guard {
            Guard::Free | Guard::Roused | Guard::Settled => Some(at.pending.object),
            Guard::Notified if at.is_woken => Some(at.pending.mutex),
            _ => None,
        }
    }

    /// Threads that wait for each other, from the first of them back to it.
    pub(super) fn circle(&self) -> Option<String> {
        for first in (0..self.n_threads).filter(|&t| self.threads[t as usize].is_live()) {
            let mut path = vec![first];
            while let Some(next) = self.waits_for_thread(path[path.len() - 1]) {
                path.push(next);
                if next == first {
                    let names: Vec<_> = path.iter().map(|&t| self.thread_name(t)).collect();
                    return Some(names.join(" \u{2192} "));
                }
                if path.len() > self.n_threads as usize {
                    break;
                }
            }
        }
        None
    }

    /// Why an execution did not repeat what it should.
    pub(crate) fn explain(&self, divergence: &Divergence) -> String {
        let Divergence { point, before, now, .. } = divergence;
        let says = |it: &Announced| {
            let (name, words) = (self.thread_name(it.thread), it.what.words());
            format!("{name} {words} {} ({})", self.about(it), it.site)
        };
        let before = before.as_ref().map_or_else(|| "something else".to_owned(), says);
        format!(
            "two executions with the same choices differ at step {point}:\n  before: {before}\n  \
             now:    {}\nThe closure depends on something that raddle does not control: the order \
             of a hash map, the clock, random numbers, a real thread or lock of std, or a static \
             that keeps state of an earlier execution",
            says(now)
        )
    }

    fn about(&self, it: &Announced) -> String {
        match it.what {
            what if what.is_about_thread() => format!("thread {}", it.object),
            _ if it.object == NONE => String::new(),
            _ => self.object_name(it.object),
        }
    }
}

/// Whether a thread wants a lock for reading.
fn pending_reads(world: &World, thread: u32) -> bool {
    world.threads[thread as usize].pending.what == What::ReadLock
}

/// A place as text, in one piece of memory.
pub(crate) fn place(site: &Location<'_>) -> String {
    let mut text = String::with_capacity(site.file().len() + 12);
    write_site(site, &mut text);
    text
}

/// The same, as findings have it.
pub(crate) fn location(site: &Location<'_>) -> raddle_finding::Location {
    raddle_finding::Location {
        name: place(site),
        file: Some(site.file().to_owned()),
        line: Some(site.line()),
        column: Some(site.column()),
        function: None,
    }
}

/// Writes a place behind a text.
pub(super) fn write_site(site: &Location<'_>, text: &mut String) {
    *text += site.file();
    for number in [site.line(), site.column()] {
        text.push(':');
        push_number(text, number.into());
    }
}
