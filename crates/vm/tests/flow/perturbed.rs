//! The oracle: the program runs again with another value of one input. Where a write differs (in
//! its value, its place, or in that it happens at all), the input must be among its sources.

use std::collections::BTreeMap;
use std::fmt::Write;

use proptest::prelude::*;
use raddle_trace::Kind;
use raddle_vm::flow::{FlowTrace, Source};

use crate::flow::support::{own, program, run_with, variable};

const INPUTS: [&str; 4] = ["x", "y", "z", "i"];

/// A statement over the inputs, the locals `l0`–`l2`, the private array `m` and the unshared
/// global `g`; each write of an output has a place of its own.
#[derive(Clone, Debug)]
enum Statement {
    Assign(usize, String),
    Output(String),
    If(String, Vec<Statement>, Vec<Statement>),
}

fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        3 => prop::sample::select(&INPUTS[..]).prop_map(str::to_owned),
        3 => prop::sample::select(&["l0", "l1", "l2", "m[1]", "g", "f(l0)"][..]).prop_map(str::to_owned),
        1 => prop::sample::select(&["m[i & 3]", "m[l1 & 3]"][..]).prop_map(str::to_owned),
        1 => (0..4).prop_map(|n: i32| n.to_string()),
    ];
    leaf.prop_recursive(2, 6, 2, |inner| {
        let operator = prop::sample::select(&["+", "-", "*", "&", "<", "==", "&&", "||"][..]);
        (inner.clone(), operator, inner).prop_map(|(l, op, r)| format!("({l} {op} {r})"))
    })
}

fn statements() -> impl Strategy<Value = Vec<Statement>> {
    let simple = prop_oneof![
        2 => (0..5_usize, expression()).prop_map(|(to, value)| Statement::Assign(to, value)),
        1 => expression().prop_map(Statement::Output),
    ];
    let statement = simple.prop_recursive(2, 12, 3, |inner| {
        let arm = || prop::collection::vec(inner.clone(), 0..3);
        (expression(), arm(), arm()).prop_map(|(c, yes, no)| Statement::If(c, yes, no))
    });
    prop::collection::vec(statement, 2..8)
}

fn show(statements: &[Statement], text: &mut String) {
    for statement in statements {
        match statement {
            Statement::Assign(to, value) => {
                let to = ["l0", "l1", "l2", "m[1]", "g"][*to];
                writeln!(text, "{to} = {value};").unwrap();
            }
            Statement::Output(value) => writeln!(text, "o = {value};").unwrap(),
            Statement::If(condition, yes, no) => {
                writeln!(text, "if ({condition}) {{").unwrap();
                show(yes, text);
                text.push_str("} else {\n");
                show(no, text);
                text.push_str("}\n");
            }
        }
    }
}

fn code(statements: &[Statement]) -> String {
    let mut text = "int g; static int f(int l) { if (l > 1) return l - 1; return 5; }\n".to_owned();
    text.push_str("void test(void) { int l0 = 0, l1 = 0, l2 = 0, m[4] = {0};\n");
    show(statements, &mut text);
    text.push('}');
    text
}

/// The writes of `o`, by their line: the value, and the names of all inputs they depend on.
fn outputs(trace: &FlowTrace) -> BTreeMap<u32, (Option<u64>, Vec<String>)> {
    let events = &trace.events;
    let mut found = BTreeMap::new();
    for flow in own(trace) {
        let event = events.event(flow.event);
        if events.code(flow.event).kind() != Kind::Write || variable(events, event.op) != Some("o")
        {
            continue;
        }
        let sources = flow.data.iter().chain(&flow.address).chain(&flow.control);
        let name = |source: &Source| match *source {
            Source::Event(id) => variable(events, events.op(id)).map(str::to_owned),
            Source::Value(_) => None,
        };
        let names = sources.filter_map(name).collect();
        let location = events.location(flow.event).unwrap();
        let line = line_of(events.tables.locations.get(location.0).unwrap());
        found.insert(line, (events.value(flow.event), names));
    }
    found
}

fn line_of(location: &str) -> u32 {
    location.rsplit(':').next().unwrap().parse().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn an_input_that_matters_is_a_source(
        statements in statements(),
        inputs in prop::array::uniform4(0..4_u8),
    ) {
        let text = code(&statements);
        let program = program(&text);
        let outputs = |inputs: [u8; 4]| outputs(&run_with(program.clone(), &inputs));
        let before = outputs(inputs);
        for (changed, to) in (0..4).flat_map(|changed| (0..4).map(move |to| (changed, to))) {
            let mut others = inputs;
            others[changed] = to;
            let after = outputs(others);
            for (here, there) in [(&before, &after), (&after, &before)] {
                for (line, (value, sources)) in here {
                    let same = there.get(line).is_some_and(|(other, _)| other == value);
                    let named = sources.iter().any(|name| name == INPUTS[changed]);
                    let input = INPUTS[changed];
                    prop_assert!(same || named, "line {line}: {sources:?} without {input}:\n{text}");
                }
            }
        }
    }
}
