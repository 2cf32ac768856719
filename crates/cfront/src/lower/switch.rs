//! `switch`, `case`, `default`.

use super::builder::{Builder, Label, SwitchState};
use super::ctype::Type;
use super::{Lowered, Lowering, invalid};
use crate::ast::{Expr, Stmt};
use crate::diagnostic::Diagnostic;
use crate::ir::{Op, Switch, SwitchCase};
use crate::source::Span;

impl<'a> Lowering<'a> {
    pub(super) fn switch(&mut self, value: &'a Expr, body: &'a Stmt) -> Lowered<()> {
        let ty = self.full(|this| {
            let value = this.expr(value)?;
            let Type::Int(int) = value.ty else {
                return invalid(this.builder.span, "only integers can be switched on");
            };
            let ty = Type::Int(int.promoted());
            let value = this.converted(value, &ty, this.builder.span)?;
            let value = this.in_register(value.operand);
            // The table gets its number when the cases are known.
            this.builder.emit(Op::Switch { value, table: u32::MAX });
            Ok(ty)
        })?;
        let at = self.builder.here() as usize - 1;
        let end = self.builder.label();
        self.builder.switches.push(SwitchState { ty, cases: Vec::new(), default: None });
        self.builder.breaks.push((end, self.scopes.depth()));
        self.statement(body);
        self.builder.breaks.pop();
        self.builder.place(end);
        let state = self.builder.switches.pop().expect("pushed above");
        let table = self.finish_switch(state, end)?;
        if let Some(Op::Switch { table: number, .. }) = self.builder.function.code.get_mut(at) {
            *number = table;
        }
        Ok(())
    }

    fn finish_switch(&mut self, mut state: SwitchState, end: Label) -> Lowered<u32> {
        state.cases.sort_by_key(|case| case.0);
        for pair in state.cases.windows(2) {
            if pair[0].1 >= pair[1].0 {
                let found = Diagnostic::invalid(pair[1].3, "this value already has a case");
                return Err(Box::new(found.note(Some(pair[0].3), "the other case")));
            }
        }
        let cases = state.cases.iter();
        let cases =
            cases.map(|&(first, last, to, _)| SwitchCase { first, last, to: Builder::target(to) });
        let default = Builder::target(state.default.unwrap_or(end));
        let switch = Switch { cases: cases.collect(), default };
        Ok(self.builder.add_switch(switch))
    }

    pub(super) fn case(&mut self, first: &'a Expr, last: Option<&'a Expr>) -> Lowered<()> {
        let Some(ty) = self.builder.switches.last().map(|state| state.ty.clone()) else {
            return invalid(first.span, "`case` outside a switch");
        };
        let span = first.span;
        let low = self.case_value(first, &ty)?;
        let high = match last {
            Some(last) => self.case_value(last, &ty)?,
            None => low,
        };
        let label = self.builder.label();
        self.builder.place(label);
        // gcc takes an empty range as no case at all.
        if low <= high {
            let state = self.builder.switches.last_mut().expect("looked at above");
            state.cases.push((low, high, label, span));
        }
        Ok(())
    }

    fn case_value(&mut self, expr: &'a Expr, ty: &Type) -> Lowered<i64> {
        let value = self.constant(expr, "the value of a case")?;
        let kind = self.kind(ty, expr.span)?;
        Ok(kind.extend(value as u64) as i64)
    }

    pub(super) fn default_case(&mut self, span: Span) -> Lowered<()> {
        let label = self.builder.label();
        self.builder.place(label);
        match self.builder.switches.last_mut() {
            None => invalid(span, "`default` outside a switch"),
            Some(state) if state.default.is_some() => {
                invalid(span, "this switch already has a `default`")
            }
            Some(state) => {
                state.default = Some(label);
                Ok(())
            }
        }
    }
}
