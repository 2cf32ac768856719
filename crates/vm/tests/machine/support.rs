//! Programs made by hand: a few functions of operations, with the start-up functions around them.

use std::sync::Arc;

use raddle_cfront::ir::*;
use raddle_cfront::source::{SourceMap, Span};
use raddle_finding::Choice;
use raddle_vm::{Machine, Outcome, Settings};

pub const START: FunctionId = FunctionId(0);
pub const THREAD_START: FunctionId = FunctionId(1);
pub const MAIN: FunctionId = FunctionId(2);

/// A function in the making.
pub struct Code {
    pub function: Function,
}

impl Code {
    pub fn new(name: &str, n_parameters: u32) -> Code {
        Code {
            function: Function {
                name: name.into(),
                parameters: vec![Kind::I64; n_parameters as usize],
                variadic: false,
                n_registers: n_parameters,
                slots: Vec::new(),
                locals: Vec::new(),
                code: Vec::new(),
                spans: Vec::new(),
                statement_of: Vec::new(),
                statements: Vec::new(),
                operands: Vec::new(),
                switches: Vec::new(),
                library: false,
                span: Span::default(),
            },
        }
    }

    pub fn register(&mut self) -> Reg {
        self.function.n_registers += 1;
        Reg(self.function.n_registers - 1)
    }

    pub fn here(&self) -> u32 {
        self.function.code.len() as u32
    }

    pub fn op(&mut self, op: Op) {
        self.function.code.push(op);
        self.function.spans.push(Span::default());
        self.function.statement_of.push(StatementId(0));
    }

    pub fn value(&mut self, value: i64) -> Reg {
        let to = self.register();
        self.op(Op::Const { to, value: value as u64 });
        to
    }

    pub fn operands(&mut self, registers: &[Reg]) -> Operands {
        let start = self.function.operands.len() as u32;
        self.function.operands.extend_from_slice(registers);
        Operands { start, len: registers.len() as u32 }
    }

    pub fn call(&mut self, function: FunctionId, arguments: &[Reg]) -> Reg {
        let (arguments, to) = (self.operands(arguments), self.register());
        self.op(Op::Call { function, arguments, result: Some(to) });
        to
    }

    pub fn primitive(&mut self, call: Primitive, arguments: &[Reg]) -> Reg {
        let (arguments, to) = (self.operands(arguments), self.register());
        self.op(Op::Primitive { call, arguments, result: Some(to) });
        to
    }

    pub fn load_from(&mut self, place: Place, order: Order) -> Reg {
        let to = self.register();
        self.op(Op::Load { to, place, kind: Kind::I64, order });
        to
    }

    pub fn load(&mut self, global: u32) -> Reg {
        self.load_from(Place::Global(GlobalId(global), 0), Order::Plain)
    }

    pub fn store_to(&mut self, place: Place, from: Reg, order: Order) {
        self.op(Op::Store { from, place, kind: Kind::I64, order });
    }

    pub fn store(&mut self, global: u32, from: Reg) {
        self.store_to(Place::Global(GlobalId(global), 0), from, Order::Plain);
    }

    pub fn binary(&mut self, op: Binary, left: Reg, right: i32) -> Reg {
        let to = self.register();
        self.op(Op::BinaryConst { op, kind: Kind::I64, to, left, right });
        to
    }

    pub fn ret(&mut self, value: Reg) {
        self.op(Op::Return { value: Some(value) });
    }
}

/// A program in the making; globals are 64 bytes of zeroes, `names` says how they are called.
pub struct Build {
    pub program: Program,
}

pub fn global(name: &str) -> Global {
    Global {
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
    }
}

impl Build {
    /// A program whose `main` is this, with the functions that it uses, from number 3 on.
    pub fn new(globals: &[&str], main: impl FnOnce(&mut Code), others: Vec<Code>) -> Build {
        let mut start = Code::new("start", 2);
        let status = start.call(MAIN, &[Reg(0), Reg(1)]);
        start.primitive(Primitive::Exit, &[status]);
        start.function.library = true;
        let mut thread = Code::new("thread_start", 2);
        let (arguments, to) = (thread.operands(&[Reg(1)]), thread.register());
        thread.op(Op::CallIndirect { target: Reg(0), arguments, result: Some(to) });
        thread.primitive(Primitive::ThreadExit, &[to]);
        thread.function.library = true;
        let mut code = Code::new("main", 2);
        main(&mut code);
        let zero = code.value(0);
        code.ret(zero);
        let mut functions = vec![start.function, thread.function, code.function];
        functions.extend(others.into_iter().map(|code| code.function));
        let mut types = Types::default();
        types.add(Type::Opaque { size: 64 });
        Build {
            program: Program {
                functions,
                globals: globals.iter().map(|name| global(name)).collect(),
                types,
                start: START,
                thread_start: THREAD_START,
                main: MAIN,
                data_model: DataModel::Lp64,
                sources: SourceMap::default(),
                identity: 0x9f3a,
            },
        }
    }

    pub fn machine(self, settings: &Settings) -> Machine {
        Machine::new(Arc::new(self.program), settings).unwrap()
    }

    /// The outcome of the default run.
    pub fn run(self) -> Outcome {
        self.run_with(&Settings::default())
    }

    pub fn run_with(self, settings: &Settings) -> Outcome {
        let mut machine = self.machine(settings);
        machine.run_default(&mut ());
        machine.outcome().unwrap().clone()
    }
}

/// The status with which a `main` ends that returns what its body gives.
#[track_caller]
pub fn returns(globals: &[&str], body: impl FnOnce(&mut Code) -> Reg, expected: i32) {
    let main = |code: &mut Code| {
        let value = body(code);
        code.ret(value);
    };
    assert_eq!(Build::new(globals, main, vec![]).run(), Outcome::Exited(expected));
}

/// Every outcome that some choices lead to, by exhaustive search, as text.
pub fn outcomes(machine: &mut Machine) -> std::collections::BTreeSet<String> {
    let mut found = std::collections::BTreeSet::new();
    search(machine, &mut found);
    found
}

fn search(machine: &mut Machine, found: &mut std::collections::BTreeSet<String>) {
    let open = choices(machine);
    if open.is_empty() {
        found.insert(describe(machine.outcome().unwrap()));
    }
    let mut saved = raddle_vm::Snapshot::new();
    machine.save(&mut saved);
    for choice in open {
        machine.answer(choice, &mut ()).unwrap();
        search(machine, found);
        machine.restore(&saved);
    }
}

/// The choices that are open; of values the ends of the range.
pub fn choices(machine: &Machine) -> Vec<Choice> {
    use raddle_vm::Question;
    match machine.question() {
        None => vec![],
        Some(Question::Thread(ids)) => ids.iter().map(|&id| Choice::Thread(id)).collect(),
        Some(Question::Waiter(ids)) => ids.iter().map(|&id| Choice::Waiter(id)).collect(),
        Some(Question::Timeout) => vec![Choice::Timeout(false), Choice::Timeout(true)],
        Some(Question::Spurious) => vec![Choice::Spurious(false), Choice::Spurious(true)],
        Some(Question::Value { low, high }) => vec![Choice::Value(low), Choice::Value(high)],
        Some(Question::Input(values)) => values.iter().map(|&value| Choice::Value(value)).collect(),
    }
}

pub fn describe(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Exited(status) => format!("exit {status}"),
        Outcome::Deadlock(blocked) => {
            let threads: Vec<_> = blocked.iter().map(|b| b.thread.to_string()).collect();
            format!("deadlock of {}", threads.join(" "))
        }
        Outcome::Fault(fault) => fault.to_string(),
        other => format!("{other:?}"),
    }
}
