//! Threads: made, started, joined, ended.

use super::{Done, OK, Result, errno, fail};
use crate::interpret::{Trap, enter};
use crate::machine::Machine;
use crate::memory::Life;
use crate::observe::{Observer, What};
use crate::outcome::RemarkKind;
use crate::site::Site;
use crate::sync::SyncKind;
use crate::thread::{Core, NEVER, NONE, Stage, Status, Thread};

impl Machine {
    pub(super) fn thread_new(&mut self, a: [u64; 6]) -> Result {
        let [function, argument, detached, ..] = a;
        let id = self.n_threads();
        if self.state.counters.n_running >= self.image.settings.n_threads_max {
            return Ok(Done::Value(0));
        }
        let start = self.function_at(function)?.0;
        let core = Core {
            stage: Stage::Begin,
            detached: detached != 0,
            deadline: NEVER,
            start,
            ..Core::default()
        };
        let locals = vec![NONE; self.image.n_locals];
        let mut thread = Thread { core, locals, ..Thread::default() };
        let image = &self.image;
        let outermost = image.program.thread_start;
        enter(image, &mut thread, &mut self.state.memory, id, outermost, &[], NONE)?;
        let n = image.function(outermost).parameters.len().min(2);
        thread.registers[..n].copy_from_slice(&[function, argument][..n]);
        self.state.threads.push(thread);
        Ok(Done::Value(u64::from(id) + 1))
    }

    pub(super) fn thread_start<O: Observer>(&mut self, id: u64, o: &mut O) -> Result {
        let child = id.wrapping_sub(1);
        let Some(thread) = self.state.threads.get_mut(child as usize) else {
            return fail(errno::ESRCH);
        };
        if thread.core.status == Status::New {
            thread.core.status = Status::Running;
            self.state.counters.n_running += 1;
            self.busy();
            self.emit(o, What::Fork { child: child as u32 });
        }
        OK
    }

    /// Waits for the end of a thread; if it still runs, the time has run out.
    pub(super) fn thread_join<O: Observer>(&mut self, id: u64, to: u64, o: &mut O) -> Result {
        match self.joinable(id) {
            Err(error) => fail(error),
            Ok(child) if self.is_over(child) => self.joined(child, to, o),
            Ok(_) => self.run_out(),
        }
    }

    pub(super) fn thread_try_join<O: Observer>(&mut self, id: u64, to: u64, o: &mut O) -> Result {
        match self.joinable(id) {
            Err(error) => fail(error),
            Ok(child) if self.is_over(child) => self.joined(child, to, o),
            Ok(_) => {
                self.idle();
                fail(errno::EBUSY)
            }
        }
    }

    /// The index of a thread that can be joined, or why it cannot.
    fn joinable(&mut self, id: u64) -> std::result::Result<u32, u64> {
        let current = self.state.counters.current;
        let child = id.wrapping_sub(1);
        let Some(thread) = self.state.threads.get(child as usize) else {
            return Err(errno::ESRCH);
        };
        let core = thread.core;
        if core.status == Status::Gone && !core.detached {
            return Err(errno::ESRCH);
        }
        if child == u64::from(current) {
            self.remark(RemarkKind::SelfJoin);
            return Err(errno::EDEADLK);
        }
        if core.detached { Err(errno::EINVAL) } else { Ok(child as u32) }
    }

    fn is_over(&self, thread: u32) -> bool {
        self.state.threads[thread as usize].core.status == Status::Ended
    }

    fn joined<O: Observer>(&mut self, child: u32, to: u64, o: &mut O) -> Result {
        let core = &mut self.state.threads[child as usize].core;
        core.status = Status::Gone;
        let value = core.result;
        if to != 0 {
            let kind = self.image.program.data_model.pointer();
            let (object, offset) = self.state.memory.locate_mut(to, kind.size().into())?;
            self.state.memory.write(object, offset, kind, value);
        }
        self.busy();
        self.emit(o, What::Join { child });
        OK
    }

    pub(super) fn thread_detach(&mut self, id: u64) -> Result {
        let Some(thread) = self.state.threads.get_mut(id.wrapping_sub(1) as usize) else {
            return fail(errno::ESRCH);
        };
        let core = &mut thread.core;
        if core.detached {
            return fail(errno::EINVAL);
        }
        match core.status {
            Status::Gone => return fail(errno::ESRCH),
            Status::Ended => core.status = Status::Gone,
            _ => {}
        }
        core.detached = true;
        self.busy();
        OK
    }

    pub(super) fn thread_exit<O: Observer>(&mut self, result: u64, o: &mut O) -> Result {
        if self.holds_any() {
            self.remark(RemarkKind::HeldAtExit);
        }
        self.take_down(o)?;
        self.emit(o, What::End);
        let core = &mut self.current_thread_mut().core;
        core.status = if core.detached { Status::Gone } else { Status::Ended };
        core.result = result;
        self.current_thread_mut().frames.clear();
        self.current_thread_mut().registers.clear();
        self.state.counters.n_running -= 1;
        Ok(Done::Stop)
    }

    /// Ends the life of the current thread's objects; its frames stay for the event.
    fn take_down<O: Observer>(&mut self, o: &mut O) -> std::result::Result<(), Trap> {
        let current = self.state.counters.current as usize;
        for index in 0..self.state.threads[current].slots.len() {
            let object = self.state.threads[current].slots[index];
            self.forget_syncs(object)?;
            self.show_end(object, o);
        }
        for index in 0..self.state.threads[current].locals.len() {
            let object = self.state.threads[current].locals[index];
            if object != NONE {
                self.forget_syncs(object)?;
                self.show_end(object, o);
                self.state.memory.end(object, Life::Dead, Site::NONE);
            }
        }
        let (thread, memory) = (&mut self.state.threads[current], &mut self.state.memory);
        while let Some(object) = thread.slots.pop() {
            memory.end(object, Life::Dead, Site::NONE);
        }
        thread.locals.clear();
        thread.spare.clear();
        thread.core.stack_bytes = 0;
        Ok(())
    }

    fn holds_any(&self) -> bool {
        let current = self.state.counters.current;
        let locks = [SyncKind::Mutex, SyncKind::Rwlock, SyncKind::Spin];
        let owns = self
            .state
            .syncs
            .iter()
            .any(|(_, entry)| locks.contains(&entry.kind) && entry.owner == current);
        owns || self.state.syncs.readers.iter().any(|reader| reader.thread == current)
    }
}
