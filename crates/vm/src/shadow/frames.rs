//! What is known of the values in registers, and of those on their way between functions and threads.

use std::mem::take;

use raddle_cfront::ir::Reg;

use super::{Domain, Part, Piece};

/// The shadow of a frame.
pub struct Frame<D: Domain> {
    pub(super) registers: Vec<D::Value>,
    /// Where the result of the call that it waits for goes.
    pub(super) result: Option<Reg>,
    /// What else the domain keeps of it.
    pub own: D::Frame,
}

/// The shadow of a thread.
pub struct Thread<D: Domain> {
    /// Its frames, the innermost one last.
    pub frames: Vec<Frame<D>>,
    /// What a block copy carries.
    pub buffer: Vec<Part<D::Held>>,
    /// The arguments of the call that comes.
    pub incoming: Vec<D::Value>,
    /// Those of the thread that was made last.
    pub(super) made: Vec<D::Value>,
    pub(super) ended: D::Value,
    /// Where the result goes of the thread that it joins.
    pub(super) joining: Option<Piece>,
}

/// What is known of the values of a run.
pub struct Shadow<D: Domain> {
    threads: Vec<Thread<D>>,
}

impl<D: Domain> Default for Shadow<D> {
    fn default() -> Shadow<D> {
        Shadow { threads: Vec::new() }
    }
}

impl<D: Domain> Shadow<D> {
    /// A thread.
    pub fn thread(&mut self, number: u32) -> &mut Thread<D> {
        while self.threads.len() <= number as usize {
            self.threads.push(Thread {
                frames: Vec::new(),
                buffer: Vec::new(),
                incoming: Vec::new(),
                made: Vec::new(),
                ended: D::NOTHING,
                joining: None,
            });
        }
        &mut self.threads[number as usize]
    }

    /// The innermost frame of a running thread.
    pub fn top(&mut self, thread: u32) -> &mut Frame<D> {
        let frames = &mut self.threads[thread as usize].frames;
        frames.last_mut().expect("a running thread has a frame")
    }

    /// What is known of a register.
    pub fn get(&self, thread: u32, register: Reg) -> D::Value {
        let frames = &self.threads[thread as usize].frames;
        frames.last().expect("a running thread has a frame").registers[register.0 as usize]
    }

    /// Sets what is known of a register.
    pub fn set(&mut self, thread: u32, register: Reg, value: D::Value) {
        self.top(thread).registers[register.0 as usize] = value;
    }

    /// What a thread ended with, if there is one with this number.
    pub fn ended(&self, thread: u64) -> D::Value {
        let thread = usize::try_from(thread).ok().and_then(|thread| self.threads.get(thread));
        thread.map_or(D::NOTHING, |thread| thread.ended)
    }

    /// The thread that was made last starts.
    pub fn fork(&mut self, parent: u32, child: u32) {
        self.thread(child).incoming = take(&mut self.thread(parent).made);
    }

    /// A thread is joined: where its result goes, if anywhere, and what it is.
    pub fn join(&mut self, thread: u32, child: u32) -> Option<(Piece, D::Value)> {
        let to = self.thread(thread).joining.take()?;
        Some((to, self.thread(child).ended))
    }

    pub(super) fn all(&self, thread: u32, registers: &[Reg]) -> Vec<D::Value> {
        registers.iter().map(|&register| self.get(thread, register)).collect()
    }
}
