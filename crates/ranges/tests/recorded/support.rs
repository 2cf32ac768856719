//! Compiles C programs and shows their trace programs as text.

use std::path::PathBuf;
use std::sync::Arc;

use raddle_cfront::compile::compile;
use raddle_cfront::ir::Program;
use raddle_cfront::preprocess::Options;
use raddle_ranges::ctp::{Action, Ctp, StateId};
use raddle_ranges::expr::{Expr, ExprId};
use raddle_ranges::record::record;
use raddle_vm::{Points, Settings};

/// Where the programs of the corpus are.
pub fn corpus(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/ranges").join(name)
}

/// Points before every access, so that schedules say everything.
pub fn settings() -> Settings {
    Settings { points: Points::All, ..Settings::default() }
}

/// Compiles a text.
pub fn program(text: &str) -> Arc<Program> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("program.c");
    std::fs::write(&file, text).unwrap();
    compiled(file)
}

/// Compiles a file.
pub fn compiled(file: PathBuf) -> Arc<Program> {
    Arc::new(compile(&[file], &Options::default()).unwrap().program)
}

/// The trace program of the run that the machine makes by default.
pub fn ctp(program: &Arc<Program>) -> Ctp {
    record(program, &settings(), None).unwrap().ctp
}

/// The steps of all threads.
pub fn show(ctp: &Ctp) -> String {
    let mut text = String::new();
    for thread in ctp.thread_ids() {
        text.push_str(&format!("{}:", ctp.threads[thread.0 as usize].name));
        for path in ctp.paths(thread) {
            path[1..].iter().for_each(|&state| text.push_str(&show_step(ctp, state)));
        }
        text.push('\n');
    }
    text
}

fn show_step(ctp: &Ctp, state: StateId) -> String {
    let step = ctp.step(state);
    let mut text = String::new();
    for joined in &step.joins {
        text.push_str(&format!(" join {}", ctp.threads[joined.0 as usize].name));
    }
    for guard in &step.guards {
        text.push_str(&format!(" [{}]", expr(ctp, guard.condition)));
    }
    let global = |id: raddle_ranges::ctp::GlobalId| &ctp.globals[id.0 as usize].name;
    let local = |id: raddle_ranges::expr::LocalId| &ctp.locals[id.0 as usize].name;
    match step.action {
        Action::Nothing => text.push_str(" -"),
        Action::Read { global: g, to } => text.push_str(&format!(" {}={}", local(to), global(g))),
        Action::Write { global: g, value } => {
            text.push_str(&format!(" {}:={}", global(g), expr(ctp, value)));
        }
        Action::Update { global: g, to, value } => {
            text.push_str(&format!(" {}={}:={}", local(to), global(g), expr(ctp, value)));
        }
        Action::Acquire { lock, woken, .. } => {
            let woken = if woken.is_some() { "!" } else { "" };
            text.push_str(&format!(" +{}{woken}", ctp.locks[lock.0 as usize]));
        }
        Action::Release { lock, waits, .. } => {
            let waits = if waits.is_some() { "?" } else { "" };
            text.push_str(&format!(" -{}{waits}", ctp.locks[lock.0 as usize]));
        }
        Action::Notify { cond, .. } => {
            text.push_str(&format!(" notify {}", ctp.conds[cond.0 as usize]))
        }
        Action::TryFails { lock, .. } => {
            text.push_str(&format!(" fails {}", ctp.locks[lock.0 as usize]));
        }
        Action::Passes { lock } => {
            text.push_str(&format!(" passes {}", ctp.locks[lock.0 as usize]))
        }
        Action::Post { semaphore } => {
            text.push_str(&format!(" post {}", ctp.semaphores[semaphore.0 as usize].name));
        }
        Action::Take { semaphore } => {
            text.push_str(&format!(" take {}", ctp.semaphores[semaphore.0 as usize].name));
        }
        Action::TakeFails { semaphore } => {
            text.push_str(&format!(" fails {}", ctp.semaphores[semaphore.0 as usize].name));
        }
        Action::Arrive { barrier, .. } => {
            text.push_str(&format!(" arrive {}", ctp.barriers[barrier.0 as usize].name));
        }
        Action::Leave { barrier } => {
            text.push_str(&format!(" leave {}", ctp.barriers[barrier.0 as usize].name));
        }
    }
    for forked in &step.forks {
        text.push_str(&format!(" fork {}", ctp.threads[forked.0 as usize].name));
    }
    text.push(';');
    text
}

fn expr(ctp: &Ctp, id: ExprId) -> String {
    match ctp.exprs.get(id) {
        Expr::Const(value) => format!("{}", value as i64),
        Expr::Local(local) => ctp.locals[local.0 as usize].name.clone(),
        Expr::Unknown(_) => "?".into(),
        Expr::Unary(op, _, from) => format!("{op:?}({})", expr(ctp, from)),
        Expr::Binary(op, _, left, right) => {
            format!("{op:?}({},{})", expr(ctp, left), expr(ctp, right))
        }
        Expr::Convert(_, to, value) => format!("{to:?}({})", expr(ctp, value)),
        Expr::Select(condition, yes, no) => {
            format!("({}?{}:{})", expr(ctp, condition), expr(ctp, yes), expr(ctp, no))
        }
    }
}
