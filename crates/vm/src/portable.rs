//! Portable schedules: those that need no list of points.
//!
//! In: a schedule of a machine that stops before some accesses only. Out: the schedule of the same
//! run for a machine that stops before all of them, which anybody can set up.
//!
//! Both machines take the same transitions. Where the first one goes on without a question, the
//! second one is told to go on with the same thread, until as much has happened.
//!
//! A thread that computes for long is stopped without a point, by the number of its transitions; the
//! second machine need not stop there: nothing has happened since.

use std::sync::Arc;

use raddle_cfront::ir::Program;
use raddle_finding::{Choice, Schedule};

use crate::machine::Machine;
use crate::observe::{Event, Observer};
use crate::question::{Doing, Question};
use crate::settings::{Points, Settings};

/// The schedule of the same run with points before every access; none if it does not fit the
/// program. What comes after it, the default policy decides.
pub fn portable(
    program: &Arc<Program>,
    settings: &Settings,
    schedule: &Schedule,
) -> Option<Schedule> {
    let mut coarse = Machine::new(program.clone(), settings).ok()?;
    let mut fine = Machine::new(program.clone(), &fine(settings)).ok()?;
    let mut taken = Schedule::new(fine.program_id());
    let (mut happened, mut caught_up) = (Count::default(), Count::default());
    for choice in schedule.choices() {
        let thread = match choice {
            Choice::Thread(thread) => Some(thread),
            _ => None,
        };
        let mut first = !thread.is_some_and(|thread| computes(&coarse, thread));
        coarse.answer(choice, &mut happened).ok()?;
        let is_behind = |fine: &Machine, caught_up: &Count| match (thread, fine.question()) {
            (Some(thread), Some(Question::Thread(_))) => {
                caught_up.of(thread) < happened.of(thread) || coarse.outcome().is_some()
            }
            _ => false,
        };
        while first || is_behind(&fine, &caught_up) {
            first = false;
            fine.answer(choice, &mut caught_up).ok()?;
            taken.push(choice);
        }
    }
    (fine.outcome() == coarse.outcome()).then_some(taken)
}

/// Whether a thread was stopped because it computes for long.
fn computes(machine: &Machine, thread: u32) -> bool {
    machine.pending(thread).is_some_and(|pending| pending.doing == Doing::Continue)
}

/// Counts what happens, thread by thread.
#[derive(Default)]
struct Count(Vec<u64>);

impl Count {
    fn of(&self, thread: u32) -> u64 {
        self.0.get(thread as usize).copied().unwrap_or(0)
    }
}

impl Observer for Count {
    fn event(&mut self, event: &Event<'_>) {
        let thread = event.thread as usize;
        if self.0.len() <= thread {
            self.0.resize(thread + 1, 0);
        }
        self.0[thread] += 1;
    }
}

/// The settings with points before every access.
pub fn fine(settings: &Settings) -> Settings {
    Settings { points: Points::All, promoted: Default::default(), ..settings.clone() }
}

#[cfg(test)]
mod tests {
    use raddle_cfront::compile::compile;
    use raddle_cfront::preprocess::Options;

    use super::*;
    use crate::outcome::Outcome;

    #[test]
    fn a_schedule_with_few_points_is_one_with_all() {
        let text = "#include <pthread.h>\n\
            static int x, y; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
            static void *run(void *p) { x++; pthread_mutex_lock(&m); y = x + y; x = 2 * y;\n\
              pthread_mutex_unlock(&m); return p; }\n\
            int main(void) { pthread_t a, b; pthread_create(&a, 0, run, 0);\n\
              pthread_create(&b, 0, run, 0); x = y; pthread_join(a, 0); pthread_join(b, 0);\n\
              return x; }";
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.c");
        std::fs::write(&path, text).unwrap();
        let compiled = compile(&[path], &Options::default()).unwrap();
        let program = Arc::new(compiled.program);
        let settings = Settings::default();
        for seed in 0..50u64 {
            let mut machine = Machine::new(program.clone(), &settings).unwrap();
            let mut schedule = Schedule::new(machine.program_id());
            let mut state = seed;
            while let Some(Question::Thread(threads)) = machine.question() {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let choice = Choice::Thread(threads[(state >> 33) as usize % threads.len()]);
                machine.answer(choice, &mut ()).unwrap();
                schedule.push(choice);
            }
            let all = portable(&program, &settings, &schedule).unwrap();
            let mut again = Machine::new(program.clone(), &fine(&settings)).unwrap();
            assert_eq!(again.replay(&all, &mut ()).misfit, None);
            assert!(matches!(again.outcome(), Some(Outcome::Exited(_))));
            assert_eq!(
                (again.outcome(), again.fingerprint()),
                (machine.outcome(), machine.fingerprint())
            );
            assert!(all.len() > schedule.len() && *all.program() != *schedule.program());
        }
    }
}
