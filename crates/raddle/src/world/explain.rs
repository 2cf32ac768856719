//! Explanations: why nobody goes on, and why an execution is not like the one before.

use super::{Announced, Divergence, Guard, NONE, What, World};

impl World {
    /// What a thread waits for, and who has it.
    pub(crate) fn waits_for(&self, thread: u32) -> String {
        let pending = &self.threads[thread as usize].pending;
        let name = self.thread_name(thread);
        let object = match pending.what {
            what if what.is_about_thread() => match pending.object {
                other if other == thread => String::new(),
                other => self.thread_name(other),
            },
            _ => self.object_name(pending.object),
        };
        let what = match pending.what {
            What::Join => "to join".to_owned(),
            What::Park => "to be unparked".to_owned(),
            What::Poll => "to be woken".to_owned(),
            What::Wake => "to be notified on".to_owned(),
            what => format!("where it {}", what.words()),
        };
        let holder = self.holder(thread);
        let holder = holder.map_or(String::new(), |holder| format!(", {holder}"));
        format!("{name} waits {what} {object} at {}{holder}", pending.site)
    }

    fn holder(&self, thread: u32) -> Option<String> {
        let lock = self.objects.get(self.lock_of(thread)? as usize)?;
        if lock.owner == NONE {
            return (lock.count > 0).then(|| format!("which {} have for reading", lock.count));
        }
        let since = lock.taken.map_or(String::new(), |site| format!(" since {site}"));
        Some(match lock.owner == thread {
            true => format!("which it has itself{since}"),
            false => format!("which {} has{since}", self.thread_name(lock.owner)),
        })
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
            Guard::Free | Guard::Readable | Guard::Settled => Some(at.pending.object),
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
             that keeps what an earlier execution did",
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
