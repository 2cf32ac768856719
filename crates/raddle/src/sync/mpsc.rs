//! Channels, with `std`'s interface.
//!
//! - M1: sending and receiving are points, and so is dropping an end. Cloning a sender is not.
//! - M2: a channel without room hands over: a message is in it before anybody wants it, and its
//!   sender waits until it was taken.
//! - M3: a receive with a time may run out whenever nothing is there.

mod receiver;
mod sender;

use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::sync::Arc;

pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

use raddle_happens::Known;

use crate::world::{Here, Kind, Slot, World};
pub use receiver::{IntoIter, Iter, Receiver, TryIter};
pub use sender::{Sender, SyncSender};

/// A channel with unlimited room for messages.
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let channel = Channel::new(u32::MAX);
    (Sender::new(channel.clone()), Receiver::new(channel))
}

/// A channel with limited room for messages; sending waits for room. If there is no room at all, it
/// waits until the message was received.
#[track_caller]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    let channel = Channel::new(u32::try_from(bound).unwrap_or(u32::MAX - 1));
    (SyncSender::new(channel.clone()), Receiver::new(channel))
}

/// What both ends share.
struct Channel<T> {
    slot: Slot,
    limit: u32,
    inside: UnsafeCell<Inside<T>>,
}

struct Inside<T> {
    messages: VecDeque<Message<T>>,
    n_senders: u32,
    n_sent: u32,
    has_receiver: bool,
}

struct Message<T> {
    value: T,
    /// How many were sent before.
    number: u32,
    /// What its sender knew.
    knows: Known,
    /// The identity of its sender.
    from: u64,
}

// SAFETY: all threads of an execution run on one thread of the system, and `inside` is borrowed
// between two points only, with no code of the program in between. Outside of executions only
// whoever drops the last end gets there.
unsafe impl<T: Send> Send for Channel<T> {}
// SAFETY: see above.
unsafe impl<T: Send> Sync for Channel<T> {}

impl<T> Channel<T> {
    #[track_caller]
    fn new(limit: u32) -> Arc<Channel<T>> {
        let messages = VecDeque::new();
        let inside = Inside { messages, n_senders: 1, n_sent: 0, has_receiver: true };
        Arc::new(Channel { slot: Slot::new(), limit, inside: UnsafeCell::new(inside) })
    }

    fn object(&self, here: Here) -> u32 {
        let object = self.slot.object(here, Kind::Channel, || {});
        self.update(here, object);
        object
    }

    /// Does something with what is inside, and tells the world what that changed.
    fn with<R>(&self, here: Here, object: u32, act: impl FnOnce(&mut Inside<T>) -> R) -> R {
        // SAFETY: see the implementation of `Sync`: `act` runs no code of the program.
        let result = act(unsafe { &mut *self.inside.get() });
        self.update(here, object);
        result
    }

    fn update(&self, here: Here, object: u32) {
        // SAFETY: as in `with`.
        let inside = unsafe { &*self.inside.get() };
        here.with(|world: &mut World| {
            let channel = &mut world.objects[object as usize];
            channel.count = inside.messages.len() as u32;
            channel.limit = self.limit;
            channel.n_senders = inside.n_senders;
            channel.is_closed = !inside.has_receiver;
        });
    }

    /// Puts a message in.
    fn put(&self, here: Here, object: u32, value: T) -> u32 {
        let (knows, from) = here.with(|world| {
            if self.limit != u32::MAX {
                world.acquire_from_readers(object);
            }
            world.changed();
            (world.message(), world.identity())
        });
        self.with(here, object, |inside| {
            let number = inside.n_sent;
            inside.n_sent += 1;
            inside.messages.push_back(Message { value, number, knows, from });
            number
        })
    }

    /// Takes the oldest message out.
    fn take(&self, here: Here, object: u32) -> Option<T> {
        let message = self.with(here, object, |inside| inside.messages.pop_front());
        let Some(message) = message else {
            here.with(|world| world.see(0));
            return None;
        };
        here.with(|world| {
            world.see(message.from);
            world.learn(message.knows);
            if self.limit != u32::MAX {
                world.release_as_reader(object);
            }
            world.objects[object as usize].n_taken = message.number + 1;
            world.changed();
        });
        Some(message.value)
    }
}
