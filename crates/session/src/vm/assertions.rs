//! What is known of a program's assertions over all interleavings of one plain run.
//!
//! In: a C program. Out: per assertion whether it holds in every order that the run's steps can have, by
//! intervals or by a solver, if threads cannot take other paths than in the run; or a schedule that was replayed and
//! so the answer does not depend on the machine.

use std::sync::Arc;

use raddle_cfront::ir::Program;
use raddle_ranges::analysis::{self, Inquiry, Verdict};
use raddle_ranges::feasible::Options;
use raddle_ranges::graph::GraphKind;
use raddle_ranges::{constant, gaps, record};
use raddle_vm::{Settings, fine};

use crate::assertion::{Assertion, Known};

/// How many transitions the plain run may take: one that spins takes all of them.
const STEPS_MAX: u64 = 20_000;

/// A trace program with more states is left alone.
const STATES_MAX: usize = 4_000;

/// Interval updates and conflicts of the solver that this may take.
const UPDATES_MAX: u64 = 20_000_000;
const CONFLICTS_MAX: u32 = 20_000;

/// Looks at every assertion of the program; none if the run is too long, or shows what cannot be analysed.
pub(super) fn assertions(program: &Arc<Program>, settings: &Settings) -> Option<Vec<Assertion>> {
    let mut settings = fine(settings);
    settings.n_steps_max = settings.n_steps_max.min(STEPS_MAX);
    let recorded = record::record(program, &settings, None).ok()?;
    if recorded.ctp.state_ids().count() > STATES_MAX {
        return None;
    }
    let failures: Vec<_> = recorded.failure(program).into_iter().collect();
    let ctp = constant::propagate(recorded.ctp);
    let analysed = analysis::analyse(&ctp, GraphKind::TsgReduced, 1, UPDATES_MAX).ok()?;
    let options = Options { n_conflicts_max: Some(CONFLICTS_MAX), ..Options::default() };
    let mut inquiry = Inquiry::new(program, &settings, &ctp, &analysed, options);
    let own = inquiry.own_assertions(&failures).ok()?;
    // What one run shows is only proved if its threads cannot take another path.
    let is_open = !gaps::open(&ctp, &mut inquiry, 0, &|| false).ok()?.gaps.is_empty();
    let assertion = |(line, verdict): (Option<raddle_ranges::ctp::Line>, Verdict)| {
        let has_failed = failures.iter().any(|failure| failure.line == line);
        let place = line.map_or("?".to_owned(), |line| format!("{}:{}", line.file, line.line));
        let known = match verdict.with_open(is_open) {
            Verdict::Refuted(schedule) if has_failed => Known::Failed(schedule),
            Verdict::Proved { by_intervals: true } => Known::Proved("intervals"),
            Verdict::Proved { by_intervals: false } => Known::Proved("the solver"),
            Verdict::Refuted(schedule) => Known::Refuted(schedule),
            Verdict::Limited { .. } | Verdict::Unknown(_) => Known::Unknown,
        };
        Assertion { place, known }
    };
    Some(own.into_iter().map(assertion).collect())
}
