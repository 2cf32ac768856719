//! A channel that holds one item and has two senders.

use std::sync::mpsc;
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::sync_channel(1);
    let senders = [sender.clone(), sender].map(|sender| {
        thread::spawn(move || (0..2u64).for_each(|item| sender.send(Box::new(item)).unwrap()))
    });
    assert_eq!(receiver.iter().map(|item| *item).sum::<u64>(), 2);
    senders.into_iter().for_each(|sender| sender.join().unwrap());
}
