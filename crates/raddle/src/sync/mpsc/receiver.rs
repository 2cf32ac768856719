//! The ends of channels that receive.

use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use super::{Channel, RecvError, RecvTimeoutError, TryRecvError};
use crate::world::{Guard, Here, Pending, Site, What};

/// Receives from a channel, as [`std::sync::mpsc::Receiver`].
pub struct Receiver<T> {
    channel: Arc<Channel<T>>,
    made: Site,
    /// Only one thread at a time receives.
    not_sync: PhantomData<std::cell::Cell<()>>,
}

impl<T> Receiver<T> {
    #[track_caller]
    pub(super) fn new(channel: Arc<Channel<T>>) -> Receiver<T> {
        Receiver { channel, made: Location::caller(), not_sync: PhantomData }
    }

    /// Waits for a message; fails if there is no sender left.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        self.receive(Location::caller(), false).map_err(|_| RecvError)
    }

    /// Takes a message if there is one.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        let here = Here::get();
        let object = self.channel.object(here);
        here.reach(Pending::open(What::TryReceive, object, Location::caller()));
        let message = self.channel.take(here, object);
        message.ok_or_else(|| match self.has_senders(here, object) {
            true => TryRecvError::Empty,
            false => TryRecvError::Disconnected,
        })
    }

    /// Waits for a message, with a time limit.
    #[track_caller]
    pub fn recv_timeout(&self, time: Duration) -> Result<T, RecvTimeoutError> {
        let here = Here::get();
        let deadline = here.with(|world| world.after(time));
        let result = self.receive(Location::caller(), true);
        if let Err(RecvTimeoutError::Timeout) = result {
            here.with(|world| {
                world.now = world.now.max(deadline);
                world.tell_value(|| "timed out".to_owned());
            });
        }
        result
    }

    /// Messages, until there is no sender left.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { receiver: self }
    }

    /// Messages that are already there.
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter { receiver: self }
    }

    fn receive(&self, site: Site, is_timed: bool) -> Result<T, RecvTimeoutError> {
        let here = Here::get();
        let object = self.channel.object(here);
        let guarded = Pending::guarded(What::Receive, Guard::Receivable, object, site);
        here.reach(Pending { is_timed, ..guarded });
        let message = self.channel.take(here, object);
        message.ok_or_else(|| match self.has_senders(here, object) {
            true => RecvTimeoutError::Timeout,
            false => RecvTimeoutError::Disconnected,
        })
    }

    fn has_senders(&self, here: Here, object: u32) -> bool {
        here.with(|world| {
            let has_senders = world.objects[object as usize].n_senders > 0;
            world.see(has_senders.into());
            has_senders
        })
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let Some(here) = Here::find() else {
            // SAFETY: as in `Channel::with`.
            unsafe { (*self.channel.inside.get()).has_receiver = false };
            return;
        };
        let object = self.channel.object(here);
        here.reach(Pending::open(What::CloseReceive, object, self.made));
        let hands_over = self.channel.limit == 0;
        let left = self.channel.with(here, object, |inside| {
            inside.has_receiver = false;
            // Senders that wait take their messages back.
            if hands_over { Default::default() } else { std::mem::take(&mut inside.messages) }
        });
        here.with(|world| world.changed());
        drop(left);
    }
}

/// Messages of a receiver, until there is no sender left.
#[derive(Debug)]
pub struct Iter<'a, T> {
    receiver: &'a Receiver<T>,
}

/// Messages of a receiver that are already there.
#[derive(Debug)]
pub struct TryIter<'a, T> {
    receiver: &'a Receiver<T>,
}

/// Messages of a receiver that it owns.
#[derive(Debug)]
pub struct IntoIter<T> {
    receiver: Receiver<T>,
}

impl<T> Iterator for Iter<'_, T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.recv().ok()
    }
}

impl<T> Iterator for TryIter<'_, T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.try_recv().ok()
    }
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.recv().ok()
    }
}

impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter { receiver: self }
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}
