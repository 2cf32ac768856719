//! How fast the machine runs transitions, saves and restores states and takes fingerprints.
//!
//! ```text
//! cargo bench -p raddle-benches --bench vm
//! ```
//!
//! Times are CPU time of one core. Targets: 30 million transitions a second of a thread that
//! computes; saving and restoring a small state together within a microsecond.

use std::sync::Arc;
use std::time::Duration;

use raddle_benches::best;
use raddle_cfront::compile::compile_texts;
use raddle_cfront::ir::*;
use raddle_cfront::source::{SourceMap, Span};
use raddle_finding::Choice;
use raddle_vm::{Machine, Settings, Snapshot};

/// How many rounds the loops of the programs make.
const N_ROUNDS: i32 = 10_000_000;

/// A thread that computes, as the front end compiles it: loops, a table, calls and divisions.
const COMPUTE: &str = "
static int table[1000];
static unsigned long next(unsigned long x) { return x & 1 ? 3 * x + 1 : x / 2; }
int main(void) {
    unsigned sum = 0;
    for (int i = 0; i < 1000; i++) table[i] = i * 7 % 13;
    for (int round = 0; round < 5000; round++)
        for (int i = 0; i < 1000; i++) sum += table[i] ^ round;
    for (unsigned n = 1; n < 20000; n++)
        for (unsigned long x = n; x != 1; x = next(x)) sum++;
    return sum & 127;
}
";

fn main() {
    for (name, body) in [("registers", registers as fn() -> Vec<Op>), ("memory", memory)] {
        let program = Arc::new(program(body()));
        let (took, n_steps) = best(3, || run(&program));
        let rate = n_steps as f64 / took.cpu.as_secs_f64() / 1e6;
        println!("{name:<20} {rate:>10.0} million transitions a second (target 30)");
    }
    let program = Arc::new(compiled());
    let (took, n_steps) = best(3, || run(&program));
    let rate = n_steps as f64 / took.cpu.as_secs_f64() / 1e6;
    println!("{:<20} {rate:>10.0} million transitions a second (target 30)", "compiled C");
    let mut machine = started();
    let mut saved = Snapshot::new();
    machine.save(&mut saved);
    let size = saved.size();
    let both = each(1_000_000, || {
        machine.save(&mut saved);
        machine.restore(&saved);
    });
    println!("{:<20} {both:>10.0} ns for {size} bytes (target 1000)", "save and restore");
    let print = each(1_000_000, || {
        std::hint::black_box(machine.fingerprint());
    });
    println!("{:<20} {print:>10.0} ns", "fingerprint");
    let step = each(1_000_000, || {
        machine.restore(&saved);
        machine.answer(Choice::Thread(1), &mut ()).expect("it is open");
    });
    println!("{:<20} {step:>10.0} ns", "restore and step");
}

/// Nanoseconds that one call takes.
fn each(n: u32, mut call: impl FnMut()) -> f64 {
    let (took, ()) = best(3, || (0..n).for_each(|_| call()));
    let time: Duration = took.cpu;
    time.as_secs_f64() * 1e9 / f64::from(n)
}

fn run(program: &Arc<Program>) -> u64 {
    let settings = Settings { n_steps_between_points: u64::MAX, ..Settings::default() };
    let mut machine = Machine::new(program.clone(), &settings).expect("it fits");
    machine.run_default(&mut ());
    machine.n_steps()
}

/// Three threads with some globals, in the middle of their work.
fn started() -> Machine {
    let mut code = Vec::new();
    for _ in 0..2 {
        let spawn = |call, start, len, to| {
            let arguments = Operands { start, len };
            Op::Primitive { call, arguments, result: Some(Reg(to)) }
        };
        code.push(Op::FunctionAddress { to: Reg(2), function: FunctionId(2) });
        code.push(Op::Const { to: Reg(3), value: 0 });
        code.push(spawn(Primitive::ThreadNew, 0, 3, 4));
        code.push(spawn(Primitive::ThreadStart, 3, 1, 5));
    }
    code.push(Op::Primitive {
        call: Primitive::Yield,
        arguments: Operands::default(),
        result: None,
    });
    code.push(Op::Jump { to: code.len() as u32 - 1 });
    let mut machine = Machine::new(Arc::new(program(code)), &Settings::default()).expect("it fits");
    for thread in [0, 0, 0, 1, 2, 1, 2] {
        machine.answer(Choice::Thread(thread), &mut ()).expect("it is open");
    }
    machine
}

/// A loop over registers: add, xor, count, compare, branch.
fn registers() -> Vec<Op> {
    let reg = |op, to: u32, left: u32, right: u32| Op::Binary {
        op,
        kind: Kind::I32,
        to: Reg(to),
        left: Reg(left),
        right: Reg(right),
    };
    vec![
        Op::Const { to: Reg(2), value: 0 },
        Op::Const { to: Reg(3), value: 1 },
        reg(Binary::Add, 3, 3, 2),
        reg(Binary::Xor, 4, 3, 2),
        Op::BinaryConst { op: Binary::Add, kind: Kind::I32, to: Reg(2), left: Reg(2), right: 1 },
        below(5, 2),
        Op::Branch { condition: Reg(5), yes: 2, no: 7 },
        Op::Const { to: Reg(5), value: 0 },
        Op::Return { value: Some(Reg(5)) },
    ]
}

/// A loop over memory: load and store of globals, one of them through a pointer.
fn memory() -> Vec<Op> {
    let (order, kind) = (Order::Plain, Kind::I32);
    vec![
        Op::Const { to: Reg(2), value: 0 },
        Op::Address { to: Reg(3), place: Place::Global(GlobalId(0), 0) },
        Op::Load { to: Reg(4), place: Place::At(Reg(3), 8), kind, order },
        Op::BinaryConst { op: Binary::Add, kind, to: Reg(4), left: Reg(4), right: 3 },
        Op::Store { from: Reg(4), place: Place::Global(GlobalId(0), 8), kind, order },
        Op::BinaryConst { op: Binary::Add, kind, to: Reg(2), left: Reg(2), right: 1 },
        below(5, 2),
        Op::Branch { condition: Reg(5), yes: 2, no: 8 },
        Op::Const { to: Reg(5), value: 0 },
        Op::Return { value: Some(Reg(5)) },
    ]
}

fn below(to: u32, left: u32) -> Op {
    let (to, left) = (Reg(to), Reg(left));
    Op::BinaryConst { op: Binary::Less, kind: Kind::I32, to, left, right: N_ROUNDS }
}

/// A program whose `main` has this code; `worker` yields for ever.
fn program(main: Vec<Op>) -> Program {
    let exit =
        |call| Op::Primitive { call, arguments: Operands { start: 3, len: 1 }, result: None };
    let start = vec![
        Op::Call { function: FunctionId(1), arguments: Operands::default(), result: Some(Reg(4)) },
        exit(Primitive::Exit),
    ];
    let idle = Primitive::Yield;
    let worker = vec![
        Op::Primitive { call: idle, arguments: Operands::default(), result: None },
        Op::Jump { to: 0 },
    ];
    let global = |name: &str| Global {
        name: name.into(),
        size: 64,
        align: 16,
        bytes: Vec::new(),
        relocations: Vec::new(),
        ty: TypeId(0),
        constant: false,
        thread_local: false,
        library: false,
        span: Span::default(),
    };
    let mut types = Types::default();
    types.add(Type::Opaque { size: 64 });
    Program {
        functions: vec![
            function("start", start),
            function("main", main),
            function("worker", worker),
        ],
        globals: ["a", "b", "c", "d", "e", "f", "g", "h"].map(global).into(),
        types,
        start: FunctionId(0),
        thread_start: FunctionId(2),
        main: FunctionId(1),
        data_model: DataModel::Lp64,
        sources: SourceMap::default(),
        identity: 1,
    }
}

/// A function with eight registers, two of them parameters.
fn function(name: &str, code: Vec<Op>) -> Function {
    let n = code.len();
    Function {
        name: name.into(),
        parameters: vec![Kind::I64; 2],
        variadic: false,
        n_registers: 8,
        slots: Vec::new(),
        locals: Vec::new(),
        code,
        spans: vec![Span::default(); n],
        statement_of: vec![StatementId(0); n],
        statements: Vec::new(),
        operands: vec![Reg(2), Reg(3), Reg(3), Reg(4)],
        switches: Vec::new(),
        library: false,
        span: Span::default(),
    }
}

fn compiled() -> Program {
    let texts = [("compute.c", COMPUTE)];
    compile_texts(&texts, DataModel::Lp64).expect("the program is valid").program
}
