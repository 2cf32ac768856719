//! Runs C programs and shows their flow by the names of variables.

use std::sync::Arc;

use raddle_cfront::compile::compile;
use raddle_cfront::ir::Program;
use raddle_cfront::preprocess::Options as Preprocessing;
use raddle_trace::{Events, Kind, Op, VarId};
use raddle_vm::flow::{Flow, FlowOf, FlowTrace, Source};
use raddle_vm::record::Options;
use raddle_vm::{Machine, Settings};

/// Another thread uses `x y z i` and `o p a`, so that accesses to them are events.
const FRAME: &str = "
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
int x = 1, y = 2, z = 3, i = 1, o, p, a[4];
_Atomic int n;
int __VERIFIER_nondet_int(void);
static void *other(void *unused) {
    o = p = a[0] = a[1] = a[2] = a[3] = 0;
    n = 0;
    return (void *)(long)(x + y + z + i) == unused ? unused : 0;
}
";
const MAIN: &str = "
int main(int argc, char **argv) {
    pthread_t t;
    if (argc > 4) {
        x = argv[1][0] - '0', y = argv[2][0] - '0', z = argv[3][0] - '0', i = argv[4][0] - '0';
    }
    pthread_create(&t, 0, other, 0);
    pthread_join(t, 0);
    test();
    return 0;
}
";

/// Compiles declarations and the function `test`.
pub fn program(code: &str) -> Arc<Program> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("program.c");
    std::fs::write(&file, format!("{FRAME}{code}{MAIN}")).unwrap();
    let compiled = compile(&[file], &Preprocessing::default());
    Arc::new(compiled.unwrap_or_else(|error| panic!("{error}\n{code}")).program)
}

/// Runs a program, with its flow.
pub fn run(program: Arc<Program>) -> FlowTrace {
    run_with(program, &[])
}

/// The same with digits as the values of `x y z i`.
pub fn run_with(program: Arc<Program>, inputs: &[u8]) -> FlowTrace {
    let mut settings = Settings::default();
    settings.arguments.extend(inputs.iter().map(|input| input.to_string().into_bytes()));
    let mut flow = Flow::with(Options { branches: true, ..Options::default() });
    let mut machine = Machine::new(program, &settings).unwrap();
    machine.run_default(&mut flow);
    flow.finish().unwrap()
}

/// The variable that an event accesses.
pub fn variable(events: &Events, op: Op) -> Option<&str> {
    let (Op::Read { var, .. } | Op::Write { var, .. } | Op::ReadModifyWrite { var, .. }) = op
    else {
        return None;
    };
    let VarId(id) = var;
    events.tables.variables.get(id)
}

/// The names of sources: variables, and `?` for nondeterministic values.
pub fn names(trace: &FlowTrace, sources: &[Source]) -> String {
    let name = |source: &Source| match *source {
        Source::Event(id) => variable(&trace.events, trace.events.op(id)).unwrap().to_owned(),
        Source::Value(_) => "?".to_owned(),
    };
    let mut names: Vec<_> = sources.iter().map(name).collect();
    names.sort();
    names.dedup();
    names.join(" ")
}

/// The flows of the events of `main`, after its child, in order.
pub fn own(trace: &FlowTrace) -> impl Iterator<Item = &FlowOf> {
    let events = &trace.events;
    let join = events.iter().find(|event| matches!(event.op, Op::Join { .. })).unwrap();
    trace.flows.iter().filter(move |flow| flow.event > join.id)
}

/// The flow of the last event of main that writes a variable, or that is a branch or an assertion.
pub fn flow_of<'a>(trace: &'a FlowTrace, sink: &str) -> &'a FlowOf {
    let is_it = |flow: &&FlowOf| {
        let event = trace.events.event(flow.event);
        match event.op {
            Op::Read { .. } => false,
            Op::Branch => sink == "branch",
            Op::Acquire { .. } => sink == "lock",
            op if op.encode().0.kind() == Kind::Assert => sink == "assert",
            op => variable(&trace.events, op) == Some(sink),
        }
    };
    own(trace).filter(is_it).last().unwrap_or_else(|| panic!("no {sink} in the trace"))
}
