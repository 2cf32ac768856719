//! Initialisers of globals: values become bytes and relocations.

use super::{Given, Item};
use crate::ast::{Expr, ExprKind, Initializer};
use crate::ir::{GlobalId, Relocation, Target};
use crate::lower::ctype::Qualified;
use crate::lower::expr::string_element;
use crate::lower::layout::Bits;
use crate::lower::scope::SymbolId;
use crate::lower::value::{Base, Operand};
use crate::lower::{Lowered, Lowering, invalid, unsupported};
use crate::source::Span;

/// How many bytes of a global may be written down.
const MAX_BYTES: u64 = 256 << 20;

/// The contents of a global while they are put together.
struct Image {
    global: GlobalId,
    bytes: Vec<u8>,
    relocations: Vec<Relocation>,
}

impl Image {
    fn put(&mut self, at: usize, value: u64, size: usize) {
        self.bytes[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
    }

    fn put_bits(&mut self, at: usize, bits: Bits, value: u64) {
        let size = bits.unit.size() as usize;
        for piece in bits.pieces() {
            let at = at + piece.offset as usize;
            if self.bytes.len() < at + size {
                self.bytes.resize(at + size, 0);
            }
            let mut unit = [0; 8];
            unit[..size].copy_from_slice(&self.bytes[at..at + size]);
            let mask = (u64::MAX >> (64 - u32::from(piece.width))) << piece.shift;
            let part = value >> piece.at << piece.shift;
            self.put(at, (u64::from_le_bytes(unit) & !mask) | (part & mask), size);
        }
    }
}

impl<'a> Lowering<'a> {
    /// The bytes of a global that is used.
    pub(in crate::lower) fn global_initializer(
        &mut self,
        id: SymbolId,
        initializer: &'a Initializer,
    ) -> Lowered<()> {
        let symbol = &self.symbols[id.0 as usize];
        let (ty, global) = (symbol.ty.clone(), symbol.global);
        match global {
            Some(global) => self.fill_global(global, &ty, initializer),
            None => Ok(()),
        }
    }

    pub(super) fn fill_global(
        &mut self,
        id: GlobalId,
        ty: &Qualified,
        initializer: &'a Initializer,
    ) -> Lowered<()> {
        self.builder.span = self.globals[id.0 as usize].span;
        let ty = self.completed(ty.clone(), Some(initializer))?;
        let Some(size) = self.records.size(&ty.ty) else {
            return invalid(self.globals[id.0 as usize].span, "a variable of an incomplete type");
        };
        let items = self.flatten(&ty, initializer)?;
        // A flexible array member makes the object larger than its type.
        let end = |this: &Self, item: &Item| match item.value {
            Given::String(_, prefix, n) => {
                item.offset + n * this.records.size(&string_element(prefix)).unwrap_or(1)
            }
            Given::Expr(_) => item.offset + this.records.size(&item.ty.ty).unwrap_or(0),
        };
        let used = items.iter().map(|item| end(self, item)).fold(0, u64::max);
        let size = size.max(used);
        if used > MAX_BYTES {
            let span = self.globals[id.0 as usize].span;
            return unsupported(span, "an initialiser that reaches further than 256 MiB");
        }
        // Zeroes follow.
        let bytes = vec![0; used as usize];
        let mut image = Image { global: id, bytes, relocations: Vec::new() };
        for item in items {
            self.put_item(item, 0, &mut image)?;
        }
        let global = &mut self.globals[id.0 as usize];
        (global.bytes, global.relocations, global.size) = (image.bytes, image.relocations, size);
        Ok(())
    }

    fn put_item(&mut self, item: Item<'a>, base: u64, image: &mut Image) -> Lowered<()> {
        let at = (base + item.offset) as usize;
        let expr = match item.value {
            Given::Expr(expr) => expr,
            Given::String(units, prefix, n) => {
                let width = self.records.size(&string_element(prefix)).unwrap_or(1) as usize;
                for (index, unit) in units.iter().chain([&0]).take(n as usize).enumerate() {
                    image.put(at + index * width, u64::from(*unit), width);
                }
                return Ok(());
            }
        };
        if item.ty.ty.is_record() {
            return self.put_record(&item.ty, expr, at as u64, image);
        }
        let value = self.static_value(expr, &item.ty.ty)?;
        let kind = self.kind(&item.ty.ty, expr.span)?;
        match (value.operand, item.bits) {
            (Operand::Const(value), Some(bits)) => image.put_bits(at, bits, value),
            (Operand::Const(value), None) => image.put(at, value, kind.size() as usize),
            (address, None) if kind.size() == self.model.pointer().size() => {
                self.put_address(address, at as u64, expr.span, image)?;
            }
            _ => return not_constant(expr.span),
        }
        Ok(())
    }

    fn put_address(
        &mut self,
        address: Operand,
        offset: u64,
        span: Span,
        image: &mut Image,
    ) -> Lowered<()> {
        let (target, addend) = match address {
            Operand::Address(Base::Global(global), addend) => (Target::Global(global), addend),
            Operand::Address(Base::Function(to), addend) => (Target::Function(to), addend),
            Operand::Label(label) => {
                self.builder.add_label_in_global(image.global, offset, label);
                return Ok(());
            }
            _ => return not_constant(span),
        };
        image.relocations.push(Relocation { offset, target, addend });
        Ok(())
    }

    fn put_record(
        &mut self,
        ty: &Qualified,
        expr: &'a Expr,
        at: u64,
        image: &mut Image,
    ) -> Lowered<()> {
        let ExprKind::Compound(_, initializer) = &expr.kind else {
            return not_constant(expr.span);
        };
        for item in self.flatten(ty, initializer)? {
            self.put_item(item, at, image)?;
        }
        Ok(())
    }
}

fn not_constant<T>(span: Span) -> Lowered<T> {
    invalid(span, "the initialiser of a static object must be a constant")
}
