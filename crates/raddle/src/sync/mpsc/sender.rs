//! The ends of channels that send.

use std::fmt;
use std::panic::Location;
use std::sync::Arc;

use super::{Channel, SendError, TrySendError};
use crate::world::{Guard, Here, Pending, Site, What};

/// Sends to a channel with unlimited room, like [`std::sync::mpsc::Sender`].
pub struct Sender<T> {
    end: End<T>,
}

/// Sends to a channel with limited room, like [`std::sync::mpsc::SyncSender`].
pub struct SyncSender<T> {
    end: End<T>,
}

/// One of the senders of a channel.
struct End<T> {
    channel: Arc<Channel<T>>,
    made: Site,
}

impl<T> Sender<T> {
    #[track_caller]
    pub(super) fn new(channel: Arc<Channel<T>>) -> Sender<T> {
        Sender { end: End { channel, made: Location::caller() } }
    }

    /// Sends; fails if there is no receiver left.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        self.end.send(value, Location::caller())
    }
}

impl<T> SyncSender<T> {
    #[track_caller]
    pub(super) fn new(channel: Arc<Channel<T>>) -> SyncSender<T> {
        SyncSender { end: End { channel, made: Location::caller() } }
    }

    /// Sends when there is room; fails if there is no receiver left.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        self.end.send(value, Location::caller())
    }

    /// Sends if there is room or, in a channel without any, if a receiver is waiting.
    #[track_caller]
    pub fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
        let (here, site) = (Here::get(), Location::caller());
        let channel = &self.end.channel;
        let object = channel.object(here);
        here.reach(Pending::open(What::Send, object, site));
        let (is_closed, has_room) = here.with(|world| {
            let it = &world.objects[object as usize];
            let receives = |&thread: &u32| {
                let at = &world.threads[thread as usize];
                at.pending.what == What::Receive && at.pending.object == object && at.is_live()
            };
            let is_wanted = it.count == 0 && (0..world.n_threads).any(|thread| receives(&thread));
            let result = (it.is_closed, it.count < it.limit || it.limit == 0 && is_wanted);
            world.see(u64::from(result.0) << 1 | u64::from(result.1));
            result
        });
        match (is_closed, has_room) {
            (true, _) => Err(TrySendError::Disconnected(value)),
            (_, false) => Err(TrySendError::Full(value)),
            _ => {
                channel.put(here, object, value);
                Ok(())
            }
        }
    }
}

impl<T> End<T> {
    fn send(&self, value: T, site: Site) -> Result<(), SendError<T>> {
        let here = Here::get();
        let object = self.channel.object(here);
        let hands_over = self.channel.limit == 0;
        let guard = if hands_over { Guard::Open } else { Guard::Sendable };
        let guard = if self.channel.limit == u32::MAX { Guard::Open } else { guard };
        here.reach(Pending::guarded(What::Send, guard, object, site));
        if here.with(|world| world.objects[object as usize].is_closed) {
            here.with(|world| {
                world.see(1);
                world.tell_value(|| "the receiver is gone".to_owned());
            });
            return Err(SendError(value));
        }
        let number = self.channel.put(here, object, value);
        if !hands_over {
            return Ok(());
        }
        here.reach(Pending::guarded(What::Send, Guard::Taken(number), object, site)); // M2
        match self.take_back(here, object, number) {
            Some(value) => Err(SendError(value)),
            None => Ok(()),
        }
    }

    /// Takes a message back that was not received.
    fn take_back(&self, here: Here, object: u32, number: u32) -> Option<T> {
        here.with(|world| world.acquire_from_readers(object));
        self.channel.with(here, object, |inside| {
            let mut numbers = inside.messages.iter().map(|message| message.number);
            let index = numbers.position(|other| other == number)?;
            inside.messages.remove(index).map(|message| message.value)
        })
    }

    #[track_caller]
    fn another(&self) -> End<T> {
        // SAFETY: as in `Channel::with`; the world need not know before another thread looks.
        unsafe { (*self.channel.inside.get()).n_senders += 1 };
        End { channel: self.channel.clone(), made: Location::caller() }
    }
}

impl<T> Drop for End<T> {
    fn drop(&mut self) {
        let Some(here) = Here::find() else {
            // SAFETY: as in `Channel::with`.
            unsafe { (*self.channel.inside.get()).n_senders -= 1 };
            return;
        };
        let object = self.channel.object(here);
        here.reach(Pending::open(What::CloseSend, object, self.made));
        let n_left = self.channel.with(here, object, |inside| {
            inside.n_senders -= 1;
            inside.n_senders
        });
        if n_left == 0 {
            here.with(|world| world.changed());
        }
    }
}

impl<T> Clone for Sender<T> {
    #[track_caller]
    fn clone(&self) -> Sender<T> {
        Sender { end: self.end.another() }
    }
}

impl<T> Clone for SyncSender<T> {
    #[track_caller]
    fn clone(&self) -> SyncSender<T> {
        SyncSender { end: self.end.another() }
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for SyncSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyncSender").finish_non_exhaustive()
    }
}
