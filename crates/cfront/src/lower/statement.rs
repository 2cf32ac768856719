//! Statements.

use super::ctype::Type;
use super::value::{Operand, Value};
use super::{Lowered, Lowering, MAX_ERRORS, invalid, unsupported};
use crate::ast::{Asm, Block, Expr, Identifier, Stmt, StmtKind};
use crate::diagnostic::{Diagnostic, Kind};
use crate::ir::{Op, Reg, StatementKind};
use crate::source::Span;

impl<'a> Lowering<'a> {
    /// Lowers a block; errors in it are kept, and the next statement is looked at.
    pub(super) fn block(&mut self, block: &'a Block) {
        self.scoped(|this| this.statements(&block.items));
    }

    fn statements(&mut self, items: &'a [Stmt]) {
        for item in items {
            if self.n_errors() >= MAX_ERRORS {
                return;
            }
            self.statement(item);
        }
    }

    /// Does work in a scope of its own, and ends what lives in it.
    fn scoped<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let (mark, n_locals) = (self.builder.mark(), self.builder.function.locals.len());
        let n_variable = self.variable_lengths.len();
        let depth = self.scopes.depth();
        self.scopes.enter();
        let result = work(self);
        if let Err(found) = self.end_cleanups(depth) {
            self.diagnostics.push(*found);
        }
        self.scopes.leave_to(depth);
        for address in self.variable_lengths.split_off(n_variable).into_iter().rev() {
            if !self.builder.ended() {
                self.builder.emit(Op::Release { address });
            }
        }
        let here = self.builder.here();
        for local in &mut self.builder.function.locals[n_locals..] {
            local.scope.end = local.scope.end.min(here);
        }
        self.builder.release(mark);
        result
    }

    /// Lowers a statement and keeps what is wrong with it.
    pub(super) fn statement(&mut self, statement: &'a Stmt) {
        let outer = self.builder.enter(kind_of(&statement.kind), statement.span);
        let depth = self.scopes.depth();
        let done = self.at(statement.span, |this| this.statement_here(statement));
        if let Err(found) = done {
            self.scopes.leave_to(depth);
            self.diagnostics.push(*found);
        }
        self.builder.leave(outer);
    }

    fn statement_here(&mut self, statement: &'a Stmt) -> Lowered<()> {
        let span = statement.span;
        match &statement.kind {
            StmtKind::Empty => Ok(()),
            StmtKind::Declaration(declaration) => {
                self.temporaries = self.builder.mark();
                self.declaration(declaration)
            }
            StmtKind::Expr(expr) => self.full(|this| this.discard(expr)),
            StmtKind::Block(block) => {
                self.block(block);
                Ok(())
            }
            StmtKind::If(condition, yes, no) => self.if_statement(condition, yes, no.as_deref()),
            StmtKind::While(condition, body) => self.while_statement(condition, body),
            StmtKind::DoWhile(body, condition) => self.do_while(body, condition),
            StmtKind::For(first, condition, step, body) => self.scoped(|this| {
                this.statement(first);
                this.for_statement(condition.as_ref(), step.as_ref(), body)
            }),
            StmtKind::Switch(value, body) => self.switch(value, body),
            StmtKind::Case(first, last, body) => {
                self.case(first, last.as_ref())?;
                self.statement(body);
                Ok(())
            }
            StmtKind::Default(body) => {
                self.default_case(span)?;
                self.statement(body);
                Ok(())
            }
            StmtKind::Label(label, body) => {
                self.place_label(label)?;
                self.statement(body);
                Ok(())
            }
            StmtKind::LocalLabels(_) => Ok(()),
            StmtKind::Goto(label) => {
                self.refuse_with_cleanups(span)?;
                let index = self.builder.named_label(&label.name, label.span);
                self.builder.jump(self.builder.named[index].label);
                Ok(())
            }
            StmtKind::GotoComputed(target) => self.full(|this| {
                let value = this.expr(target)?;
                let target = this.in_register(value.operand);
                this.builder.emit(Op::JumpTo { target });
                Ok(())
            }),
            StmtKind::Break => self.jump_out(span, "break"),
            StmtKind::Continue => self.jump_out(span, "continue"),
            StmtKind::Return(value) => {
                self.full(|this| this.return_statement(value.as_ref(), span))
            }
            StmtKind::Asm(asm) => assembly(asm),
        }
    }

    /// A full expression: its temporaries end with it.
    pub(super) fn full<T>(&mut self, work: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        let mark = self.builder.mark();
        let outer = std::mem::replace(&mut self.temporaries, mark);
        let result = work(self);
        self.temporaries = outer;
        self.builder.release(mark);
        result
    }

    fn if_statement(
        &mut self,
        condition: &'a Expr,
        yes: &'a Stmt,
        no: Option<&'a Stmt>,
    ) -> Lowered<()> {
        let [on_yes, on_no, end] = [(); 3].map(|()| self.builder.label());
        self.full(|this| this.condition(condition, on_yes, on_no))?;
        self.builder.place(on_yes);
        self.statement(yes);
        if no.is_some() && !self.builder.ended() {
            self.builder.jump(end);
        }
        self.builder.place(on_no);
        if let Some(no) = no {
            self.statement(no);
        }
        self.builder.place(end);
        Ok(())
    }

    fn while_statement(&mut self, condition: &'a Expr, body: &'a Stmt) -> Lowered<()> {
        let [again, inside, end] = [(); 3].map(|()| self.builder.label());
        self.builder.place(again);
        self.full(|this| this.condition(condition, inside, end))?;
        self.builder.place(inside);
        self.body(body, again, end);
        self.builder.jump(again);
        self.builder.place(end);
        Ok(())
    }

    fn do_while(&mut self, body: &'a Stmt, condition: &'a Expr) -> Lowered<()> {
        let [again, test, end] = [(); 3].map(|()| self.builder.label());
        self.builder.place(again);
        self.body(body, test, end);
        self.builder.place(test);
        self.full(|this| this.condition(condition, again, end))?;
        self.builder.place(end);
        Ok(())
    }

    fn for_statement(
        &mut self,
        condition: Option<&'a Expr>,
        step: Option<&'a Expr>,
        body: &'a Stmt,
    ) -> Lowered<()> {
        let [again, inside, next, end] = [(); 4].map(|()| self.builder.label());
        self.builder.place(again);
        if let Some(condition) = condition {
            self.full(|this| this.condition(condition, inside, end))?;
        }
        self.builder.place(inside);
        self.body(body, next, end);
        self.builder.place(next);
        if let Some(step) = step {
            self.full(|this| this.discard(step))?;
        }
        self.builder.jump(again);
        self.builder.place(end);
        Ok(())
    }

    fn body(&mut self, body: &'a Stmt, again: super::builder::Label, end: super::builder::Label) {
        let depth = self.scopes.depth();
        self.builder.continues.push((again, depth));
        self.builder.breaks.push((end, depth));
        self.scoped(|this| this.statement(body));
        self.builder.breaks.pop();
        self.builder.continues.pop();
    }

    fn jump_out(&mut self, span: Span, what: &str) -> Lowered<()> {
        let targets = if what == "break" { &self.builder.breaks } else { &self.builder.continues };
        match targets.last().copied() {
            Some((label, depth)) => {
                self.clean_up(depth)?;
                self.builder.jump(label);
                Ok(())
            }
            None => invalid(span, format!("`{what}` outside a loop")),
        }
    }

    fn place_label(&mut self, label: &Identifier) -> Lowered<()> {
        let index = self.builder.named_label(&label.name, label.span);
        match self.builder.place_named(index) {
            true => Ok(()),
            false => invalid(label.span, format!("the label `{}` is defined twice", label.name)),
        }
    }

    fn return_statement(&mut self, value: Option<&'a Expr>, span: Span) -> Lowered<()> {
        let ty = self.builder.result.clone();
        let Some(expr) = value else {
            self.emit_return(None);
            return Ok(());
        };
        let value = self.expr(expr)?;
        if ty.is_void() {
            self.emit_return(None);
            return Ok(());
        }
        let value = self.assigned(value, &ty, span)?;
        if let (Type::Record(_), Some(address)) = (&ty, self.builder.result_place) {
            let place = super::value::Lvalue::memory(ty.into(), Operand::Reg(address));
            self.store(&place, value, span)?;
            self.emit_return(None);
            return Ok(());
        }
        let reg = self.in_register(value.operand);
        self.emit_return(Some(reg));
        Ok(())
    }

    /// `({ … })`: the value is that of the last expression.
    pub(super) fn statement_expression(&mut self, block: &'a Block, span: Span) -> Lowered<Value> {
        if self.scopes.is_file() {
            return invalid(span, "a statement expression outside a function");
        }
        let result = self.builder.register();
        let outer = self.temporaries;
        let n_errors = self.n_errors();
        let value = self.scoped_statement(block, result);
        self.temporaries = outer;
        let value = value?;
        if self.n_errors() == n_errors {
            return Ok(value);
        }
        let is_error = |found: &Diagnostic| found.kind != Kind::Warning;
        let last = self.diagnostics.iter().rposition(is_error).expect("there is one more");
        Err(Box::new(self.diagnostics.remove(last)))
    }

    /// The label of a statement, without what it is the label of.
    fn label(&mut self, statement: &'a Stmt) -> Lowered<()> {
        match &statement.kind {
            StmtKind::Case(first, last, _) => self.case(first, last.as_ref()),
            StmtKind::Default(_) => self.default_case(statement.span),
            StmtKind::Label(label, _) => self.place_label(label),
            _ => Ok(()),
        }
    }

    fn scoped_statement(&mut self, block: &'a Block, result: Reg) -> Lowered<Value> {
        let mut labels = Vec::new();
        let split =
            block.items.split_last().map(|(last, first)| (unlabelled(last, &mut labels), first));
        let Some((Stmt { kind: StmtKind::Expr(last), .. }, first)) = split else {
            self.block(block);
            return Ok(Value::void());
        };
        let mut kept = self.builder.mark();
        let value = self.scoped(|this| -> Lowered<Value> {
            this.statements(first);
            labels.iter().try_for_each(|label| this.label(label))?;
            this.temporaries = this.builder.mark();
            let value = this.expr(last)?;
            if value.ty.is_void() {
                return Ok(Value::void());
            }
            if value.ty.is_record() {
                // A record stays where it is; its address may be in a register of this scope.
                kept = this.builder.mark();
                return Ok(value);
            }
            Ok(this.assign_register(result, value))
        })?;
        while self.builder.mark() < kept {
            self.builder.register();
        }
        Ok(value)
    }
}

/// The statement behind labels, which are kept.
fn unlabelled<'a>(statement: &'a Stmt, labels: &mut Vec<&'a Stmt>) -> &'a Stmt {
    match &statement.kind {
        StmtKind::Case(_, _, body) | StmtKind::Default(body) | StmtKind::Label(_, body) => {
            labels.push(statement);
            unlabelled(body, labels)
        }
        _ => statement,
    }
}

fn assembly(asm: &Asm) -> Lowered<()> {
    let blank = asm.template.iter().all(u8::is_ascii_whitespace);
    let text = String::from_utf8_lossy(&asm.template);
    let hint = matches!(
        text.trim(),
        "pause" | "rep; nop" | "rep;nop" | "nop" | "mfence" | "lfence" | "sfence"
    );
    match (blank || hint) && !asm.outputs {
        true => Ok(()),
        false if blank => Ok(()),
        false => unsupported(asm.span, "inline assembly"),
    }
}

fn kind_of(kind: &StmtKind) -> StatementKind {
    match kind {
        StmtKind::Empty | StmtKind::Expr(_) | StmtKind::Asm(_) => StatementKind::Expression,
        StmtKind::Declaration(_) | StmtKind::LocalLabels(_) => StatementKind::Declaration,
        StmtKind::Block(_) => StatementKind::Block,
        StmtKind::If(..) => StatementKind::If,
        StmtKind::While(..) => StatementKind::While,
        StmtKind::DoWhile(..) => StatementKind::DoWhile,
        StmtKind::For(..) => StatementKind::For,
        StmtKind::Switch(..) => StatementKind::Switch,
        StmtKind::Case(..) | StmtKind::Default(_) | StmtKind::Label(..) => StatementKind::Label,
        StmtKind::Goto(_) | StmtKind::GotoComputed(_) | StmtKind::Break | StmtKind::Continue => {
            StatementKind::Jump
        }
        StmtKind::Return(_) => StatementKind::Return,
    }
}
