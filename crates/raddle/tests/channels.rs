//! Channels do what the documentation of `std` says.

use std::time::Duration;

use crate::shared::{check, finding};
use raddle::sync::mpsc::{RecvTimeoutError, TryRecvError, TrySendError, channel, sync_channel};
use raddle::{Config, thread};

#[test]
fn messages_come_in_the_order_of_each_sender() {
    check(
        || {
            let (sender, receiver) = channel();
            let other = sender.clone();
            let thread = thread::spawn(move || {
                other.send('a').unwrap();
                other.send('b').unwrap();
            });
            sender.send('x').unwrap();
            drop(sender);
            let all: String = receiver.iter().collect();
            thread.join().unwrap();
            all
        },
        &["abx", "axb", "xab"],
    );
}

#[test]
fn receiving_fails_when_nobody_can_send() {
    check(
        || {
            let (sender, receiver) = channel::<u8>();
            let thread = thread::spawn(move || {
                sender.send(1).unwrap();
            });
            let first = receiver.recv();
            let second = receiver.recv();
            thread.join().unwrap();
            format!("{first:?} {second:?} {:?}", receiver.try_recv())
        },
        &["Ok(1) Err(RecvError) Err(Disconnected)"],
    );
}

#[test]
fn sending_fails_when_nobody_can_receive() {
    check(
        || {
            let (sender, receiver) = channel();
            let thread = thread::spawn(move || drop(receiver));
            let result = sender.send(5).map_err(|error| error.0);
            thread.join().unwrap();
            assert_eq!(sender.send(6).unwrap_err().0, 6);
            format!("{result:?}")
        },
        &["Err(5)", "Ok(())"],
    );
}

#[test]
fn trying_tells_empty_from_closed() {
    check(
        || {
            let (sender, receiver) = channel();
            let thread = thread::spawn(move || sender.send(()).unwrap());
            let word = match receiver.try_recv() {
                Ok(()) => "there",
                Err(TryRecvError::Empty) => "empty",
                Err(TryRecvError::Disconnected) => "closed",
            };
            thread.join().unwrap();
            word.to_owned()
        },
        &["empty", "there"],
    );
}

#[test]
fn a_bounded_channel_makes_its_senders_wait() {
    check(
        || {
            let (sender, receiver) = sync_channel(1);
            let thread = thread::spawn(move || {
                let (first, second) = (sender.try_send(1), sender.try_send(2));
                assert!(first.is_ok());
                sender.send(3).unwrap();
                matches!(second, Err(TrySendError::Full(2)))
            });
            let all: Vec<u8> = receiver.iter().collect();
            let was_full = thread.join().unwrap();
            format!("{all:?} {was_full}")
        },
        &["[1, 2, 3] false", "[1, 3] true"],
    );
}

#[test]
fn a_channel_without_room_hands_over() {
    check(
        || {
            let (sender, receiver) = sync_channel(0);
            let (told, hears) = channel();
            let thread = thread::spawn(move || {
                sender.send(1).unwrap();
                told.send("sent").unwrap();
            });
            assert!(hears.try_recv().is_err(), "a send returned before its message was received");
            let received = receiver.recv().unwrap();
            thread.join().unwrap();
            format!("{received} {}", hears.recv().unwrap())
        },
        &["1 sent"],
    );
}

#[test]
fn a_message_that_nobody_takes_over_comes_back() {
    check(
        || {
            let (sender, receiver) = sync_channel(0);
            let thread = thread::spawn(move || sender.send(1).map_err(|error| error.0));
            drop(receiver);
            format!("{:?}", thread.join().unwrap())
        },
        &["Err(1)"],
    );
}

#[test]
fn a_receive_with_a_time_may_run_out_or_not() {
    check(
        || {
            let (sender, receiver) = channel();
            let thread = thread::spawn(move || sender.send(1));
            let result = receiver.recv_timeout(Duration::from_secs(1));
            drop(receiver);
            let _ = thread.join().unwrap();
            match result {
                Ok(1) => "received",
                Ok(_) => "something else",
                Err(RecvTimeoutError::Timeout) => "ran out",
                Err(RecvTimeoutError::Disconnected) => "closed",
            }
            .to_owned()
        },
        &["ran out", "received"],
    );
}

#[test]
fn a_receive_that_nobody_answers_is_a_deadlock() {
    let report = Config::new().explore(|| {
        let (sender, receiver) = channel::<()>();
        let thread = thread::spawn(move || receiver.recv().is_ok());
        thread.join().unwrap();
        drop(sender);
    });
    let (kind, message) = finding(&report);
    assert_eq!(kind, "deadlock");
    assert!(message.contains("receives from channel"), "{message}");
}
