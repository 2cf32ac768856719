use raddle_predict::*;
fn main() {
    let mut args = std::env::args().skip(1);
    let what = args.next().unwrap();
    let jobs: usize = args.next().unwrap().parse().unwrap();
    for f in args {
        let l = raddle_trace::format::open(
            std::path::Path::new(&f),
            raddle_trace::format::Options {
                mode: raddle_trace::check::Mode::Normalise,
                ..Default::default()
            },
            &mut (),
        )
        .unwrap();
        let t0 = std::time::Instant::now();
        let causes = Causes::new(&l.trace);
        let t1 = t0.elapsed();
        let job = Job {
            n_workers: jobs,
            progress: &mut |n, _| {
                n < std::env::var("LIMIT").map_or(usize::MAX, |s| s.parse().unwrap())
            },
        };
        if what.contains('r') {
            let r = races(&causes, what.contains('a'), job).unwrap();
            println!(
                "{f}: causes {t1:?} total {:?}: races {} events {} locs {} unknown {} cand {} unprot {} unsync {} asked {} consistent {} {:?}",
                t0.elapsed(),
                r.races.len(),
                r.racy_events.len(),
                r.n_racy_locations,
                r.unknown.len(),
                r.n_candidates,
                r.n_unprotected,
                r.n_unsynchronised,
                r.n_asked,
                r.n_consistent,
                r.tally
            );
        } else if what.contains("n") {
            let r = reads(&causes, what.contains("a"), job).unwrap();
            println!(
                "{f}: causes {t1:?} total {:?}: witnesses {} reads {} broken {} undecided {} finals {}/{} possible {} feasible {} unknown {} {:?}",
                t0.elapsed(),
                r.witnesses.len(),
                r.n_reads,
                r.broken.len(),
                r.undecided.len(),
                r.n_broken_finals,
                r.n_finals,
                r.n_possible,
                r.n_feasible,
                r.n_unknown,
                r.tally
            );
        } else if what.contains("d") {
            let r = deadlocks(&causes, what.contains('a'), job).unwrap();
            println!(
                "{f}: causes {t1:?} total {:?}: deadlocks {} circles {} asked {} unknown {} {:?}",
                t0.elapsed(),
                r.deadlocks.len(),
                r.n_circles,
                r.n_asked,
                r.n_unknown,
                r.tally
            );
        }
    }
}
