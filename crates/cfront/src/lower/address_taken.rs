//! Which names of a function have their address taken: the locals of these names are memory.
//!
//! Names are looked at without scopes: if one of two variables `x` has its address taken, both
//! are memory. That costs little and cannot be wrong.

use rustc_hash::FxHashSet;

use super::cleanup;
use crate::ast::{
    ArraySize, Block, Declaration, Declarator, Derived, Designator, Expr, ExprKind, Function,
    Initializer, Name, Specifiers, Stmt, StmtKind, TypeName, TypeSpecifier, UnaryOp,
};

/// The names whose address is taken.
#[derive(Debug, Default)]
pub(super) struct Names {
    names: FxHashSet<Name>,
}

impl Names {
    /// Those of a function.
    pub(super) fn of(function: &Function) -> Names {
        let mut names = Names::default();
        names.block(&function.body);
        names
    }

    /// Whether a variable of this name must be memory.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    fn block(&mut self, block: &Block) {
        block.items.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Declaration(declaration) => self.declaration(declaration),
            StmtKind::Expr(expr) | StmtKind::GotoComputed(expr) => self.expr(expr),
            StmtKind::Block(block) => self.block(block),
            StmtKind::If(condition, yes, no) => {
                self.expr(condition);
                self.statement(yes);
                no.iter().for_each(|no| self.statement(no));
            }
            StmtKind::While(condition, body)
            | StmtKind::DoWhile(body, condition)
            | StmtKind::Switch(condition, body) => {
                self.expr(condition);
                self.statement(body);
            }
            StmtKind::For(first, condition, step, body) => {
                self.statement(first);
                condition.iter().chain(step).for_each(|expr| self.expr(expr));
                self.statement(body);
            }
            StmtKind::Case(_, _, body) | StmtKind::Default(body) | StmtKind::Label(_, body) => {
                self.statement(body)
            }
            StmtKind::Return(value) => value.iter().for_each(|value| self.expr(value)),
            StmtKind::Empty
            | StmtKind::LocalLabels(_)
            | StmtKind::Goto(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Asm(_) => {}
        }
    }

    fn declaration(&mut self, declaration: &Declaration) {
        let Declaration::Of { specifiers, declarators, .. } = declaration else { return };
        self.specifiers(specifiers);
        for declarator in declarators {
            self.declarator(&declarator.declarator);
            let cleaned = [&specifiers.attributes, &declarator.attributes];
            let cleaned = cleaned.into_iter().any(|found| cleanup::function_of(found).is_some());
            if let (true, Some(name)) = (cleaned, &declarator.declarator.name) {
                self.names.insert(name.name.clone());
            }
            declarator.initializer.iter().for_each(|initializer| self.initializer(initializer));
        }
    }

    fn specifiers(&mut self, specifiers: &Specifiers) {
        if let TypeSpecifier::TypeofExpr(expr) = &specifiers.base {
            self.expr(expr);
        }
    }

    fn declarator(&mut self, declarator: &Declarator) {
        for derived in &declarator.derived {
            if let Derived::Array(ArraySize::Expr(size)) = derived {
                self.expr(size);
            }
        }
    }

    fn type_name(&mut self, name: &TypeName) {
        self.specifiers(&name.specifiers);
        self.declarator(&name.declarator);
    }

    fn initializer(&mut self, initializer: &Initializer) {
        match initializer {
            Initializer::Expr(expr) => self.expr(expr),
            Initializer::List(items, _) => {
                items.iter().for_each(|item| self.initializer(&item.value))
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Unary(UnaryOp::AddressOf, operand) => {
                self.take(operand);
                self.expr(operand);
            }
            ExprKind::Identifier(_)
            | ExprKind::Integer(_)
            | ExprKind::Float { .. }
            | ExprKind::Character { .. }
            | ExprKind::String { .. }
            | ExprKind::TypesCompatible(..)
            | ExprKind::LabelAddress(_) => {}
            ExprKind::Index(left, right)
            | ExprKind::Binary(_, left, right)
            | ExprKind::Logical { left, right, .. }
            | ExprKind::Assign(_, left, right)
            | ExprKind::Comma(left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Call(callee, arguments) => {
                self.expr(callee);
                arguments.iter().for_each(|argument| self.expr(argument));
            }
            ExprKind::Unary(_, operand)
            | ExprKind::Step { place: operand, .. }
            | ExprKind::Member { base: operand, .. }
            | ExprKind::SizeofExpr(operand)
            | ExprKind::AlignofExpr(operand) => self.expr(operand),
            ExprKind::Cast(name, operand) | ExprKind::VaArg(operand, name) => {
                self.type_name(name);
                self.expr(operand);
            }
            ExprKind::Compound(name, initializer) => {
                self.type_name(name);
                self.initializer(initializer);
            }
            ExprKind::SizeofType(name) | ExprKind::AlignofType(name) => self.type_name(name),
            ExprKind::Conditional(condition, yes, no) => {
                self.expr(condition);
                yes.iter().for_each(|yes| self.expr(yes));
                self.expr(no);
            }
            ExprKind::Statement(block) => self.block(block),
            ExprKind::Generic(control, choices) => {
                self.expr(control);
                choices.iter().for_each(|(_, choice)| self.expr(choice));
            }
            ExprKind::Offsetof(_, path) => {
                for step in path {
                    if let Designator::Index(index) = step {
                        self.expr(index);
                    }
                }
            }
            ExprKind::Choose(condition, yes, no) => {
                [condition, yes, no].into_iter().for_each(|expr| self.expr(expr));
            }
        }
    }

    /// The variable whose address an expression is.
    fn take(&mut self, operand: &Expr) {
        match &operand.kind {
            ExprKind::Identifier(name) => {
                self.names.insert(name.clone());
            }
            ExprKind::Generic(_, choices) => {
                choices.iter().for_each(|(_, choice)| self.take(choice))
            }
            ExprKind::Choose(_, yes, no) => {
                self.take(yes);
                self.take(no);
            }
            _ => {}
        }
    }
}
