//! Steps: a schedule as the runtime reads and writes it.
//!
//! A step of kind [`StepKind::Thread`] says that a thread does so many *events* before another
//! thread does one. An event is one memory access, atomic operation or synchronisation operation of
//! a thread under control, whether or not it is a place where the runtime would have switched. So
//! a schedule means the same whatever the scheduling points are.

use crate::numbered::numbered;

numbered! {
    /// What a step decides.
    pub enum StepKind: u32 {
        /// Thread `value` does `times` events.
        Thread = 0,
        /// The thread that is woken is `value`; `times` is 1.
        Waiter = 1,
    }
}

/// One step of a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Step {
    /// A [`StepKind`] as a number; the other side checks it.
    pub kind: u32,
    /// Which thread.
    pub value: u32,
    /// How many events.
    pub times: u64,
}

impl Step {
    /// Thread `thread` does `times` events.
    pub const fn thread(thread: u32, times: u64) -> Step {
        Step { kind: StepKind::Thread as u32, value: thread, times }
    }

    /// Thread `thread` is the one that is woken.
    pub const fn waiter(thread: u32) -> Step {
        Step { kind: StepKind::Waiter as u32, value: thread, times: 1 }
    }

    /// The kind, if it is one.
    pub const fn kind(&self) -> Option<StepKind> {
        StepKind::from_number(self.kind)
    }
}
