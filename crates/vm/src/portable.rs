//! Portable schedules: those that need no list of points.
//!
//! In: a schedule of a machine that stops before some accesses only. Out: the schedule of the same
//! run for a machine that stops before all of them, which needs no list of points.
//!
//! Both machines take the same transitions. Where the first one goes on without a question, the
//! second one is made to go on with the same thread, until there were as many of them. Nothing but
//! the points may therefore depend on the points: neither time nor where a thread is stopped because
//! it computes for long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use raddle_cfront::ir::Program;
use raddle_finding::{Choice, Schedule};

use crate::machine::Machine;
use crate::question::Question;
use crate::settings::{Points, Settings};

/// The schedule of the same run with points before every access; none if it does not fit the
/// program, or if `stop` is set on the way. What comes after it, the default policy decides.
pub fn portable(
    program: &Arc<Program>,
    settings: &Settings,
    schedule: &Schedule,
    stop: &AtomicBool,
) -> Option<Schedule> {
    let mut coarse = Machine::new(program.clone(), settings).ok()?;
    let mut fine = Machine::new(program.clone(), &fine(settings)).ok()?;
    let mut taken = Schedule::new(fine.program_id());
    for choice in schedule.choices() {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        coarse.answer(choice, &mut ()).ok()?;
        fine.answer(choice, &mut ()).ok()?;
        taken.push(choice);
        let same = Choice::Thread(coarse.current());
        while matches!(fine.question(), Some(Question::Thread(_)))
            && fine.n_steps() < coarse.n_steps()
        {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            fine.answer(same, &mut ()).ok()?;
            taken.push(same);
        }
    }
    (fine.outcome() == coarse.outcome()).then_some(taken)
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
            let all = portable(&program, &settings, &schedule, &AtomicBool::new(false)).unwrap();
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
