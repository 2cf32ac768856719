//! A small notation for trace programs: one line a thread, steps separated by `;`.
//!
//! `X Y=1` (first line: globals with their values), then `name: lock L; a=X; X=a+1; unlock L;
//! assume a<3; Y=2*a-b`. What is neither a global nor a lock is a local.

use std::collections::HashMap;

use raddle_cfront::ir::{Binary, Kind};
use raddle_ranges::ctp::{
    Action, Ctp, Global, GlobalId, Guard, LockId, Otherwise, StateId, Step, ThreadId,
};
use raddle_ranges::expr::{ExprId, LocalId};

/// The trace program of a text.
pub fn ctp(text: &str) -> Ctp {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut ctp = Ctp::default();
    for word in lines.next().expect("globals").split_whitespace() {
        let (name, value) = word.split_once('=').unwrap_or((word, "0"));
        let initial = Some(value.parse::<i64>().expect("a value") as u64);
        ctp.globals.push(Global { name: name.into(), kind: Kind::I32, initial });
    }
    for line in lines {
        let (name, steps) = line.split_once(':').expect("a thread");
        let number = ctp.threads.len() as u32;
        let thread = ctp.add_thread(name, number);
        let mut reader = Reader { thread, ctp: &mut ctp, names: HashMap::new(), guards: vec![] };
        let mut state = reader.ctp.threads[thread.0 as usize].root;
        for step in steps.split(';').map(str::trim).filter(|step| !step.is_empty()) {
            state = reader.step(state, step);
        }
        assert!(reader.guards.is_empty(), "a guard needs a step behind it");
    }
    ctp
}

struct Reader<'a> {
    ctp: &'a mut Ctp,
    thread: ThreadId,
    names: HashMap<String, LocalId>,
    guards: Vec<Guard>,
}

impl Reader<'_> {
    fn step(&mut self, state: StateId, text: &str) -> StateId {
        if let Some(condition) = text.strip_prefix("assume ") {
            let at = condition.find(['<', '=', '!']).expect("a comparison");
            let (left, right) = condition.split_at(at);
            let (op, right) = match right.as_bytes() {
                [b'<', b'=', ..] => (Binary::LessEqual, &right[2..]),
                [b'=', b'=', ..] => (Binary::Equal, &right[2..]),
                [b'!', b'=', ..] => (Binary::NotEqual, &right[2..]),
                _ => (Binary::Less, &right[1..]),
            };
            let (left, right) = (self.sum(left), self.sum(right));
            let condition = self.ctp.exprs.binary(op, Kind::I32, left, right);
            self.guards.push(Guard { condition, line: None, otherwise: Otherwise::Other });
            return state;
        }
        let action = self.action(text);
        let guards = std::mem::take(&mut self.guards);
        self.ctp.add_step(state, Step { guards, action, ..Step::default() })
    }

    fn action(&mut self, text: &str) -> Action {
        if let Some(name) = text.strip_prefix("lock ") {
            return Action::Acquire { lock: self.lock(name), shared: false, woken: None };
        }
        if let Some(name) = text.strip_prefix("unlock ") {
            return Action::Release { lock: self.lock(name), shared: false, waits: None };
        }
        let (to, value) = text.split_once('=').expect("an assignment");
        match self.ctp.global(to) {
            Some(global) => Action::Write { global, value: self.sum(value) },
            None => {
                let global = self.ctp.global(value).expect("a global");
                let local = self.ctp.add_local(to, self.thread, Kind::I32);
                self.names.insert(to.into(), local);
                Action::Read { global, to: local }
            }
        }
    }

    fn lock(&mut self, name: &str) -> LockId {
        let known = self.ctp.locks.iter().position(|lock| lock == name);
        let index = known.unwrap_or_else(|| {
            self.ctp.locks.push(name.into());
            self.ctp.locks.len() - 1
        });
        LockId(index as u32)
    }

    /// `a+b-1` or `2*a+1`.
    fn sum(&mut self, text: &str) -> ExprId {
        let mut all = self.ctp.exprs.value(0);
        let spaced = text.replace('-', "+-");
        for term in spaced.split('+').filter(|term| !term.is_empty()) {
            let (op, term) = match term.strip_prefix('-') {
                Some(rest) => (Binary::Subtract, rest),
                None => (Binary::Add, term),
            };
            let factors: Vec<_> = term.split('*').map(|factor| self.factor(factor)).collect();
            let exprs = &mut self.ctp.exprs;
            let product =
                factors.into_iter().reduce(|a, b| exprs.binary(Binary::Multiply, Kind::I32, a, b));
            let product = product.expect("a factor");
            all = self.ctp.exprs.binary(op, Kind::I32, all, product);
        }
        all
    }

    fn factor(&mut self, text: &str) -> ExprId {
        match text.parse::<i64>() {
            Ok(value) => self.ctp.exprs.value(value as u64),
            Err(_) => {
                let local = *self.names.get(text).unwrap_or_else(|| panic!("no local {text}"));
                self.ctp.exprs.local(local)
            }
        }
    }
}

/// The state of a thread after so many steps.
pub fn state(ctp: &Ctp, thread: u32, n_steps: usize) -> StateId {
    ctp.paths(ThreadId(thread))[0][n_steps]
}

/// The global with this name.
pub fn global(ctp: &Ctp, name: &str) -> GlobalId {
    ctp.global(name).expect("a global")
}
