//! Emitting: operands into registers, loads and stores of places.

use super::ctype::{Int, Qualified, Type};
use super::layout::Bits;
use super::value::{Base, Lvalue, Operand, Value, Where};
use super::{Lowered, Lowering, invalid};
use crate::ir::{Kind, Op, Order, Place, Reg, Size, SlotId};
use crate::source::Span;

impl<'a> Lowering<'a> {
    /// The kind of a scalar type.
    pub(super) fn kind(&self, ty: &Type, span: Span) -> Lowered<Kind> {
        match ty.kind(self.model) {
            Some(kind) => Ok(kind),
            None => invalid(span, "a number or a pointer is needed here"),
        }
    }

    /// The operand in a register.
    pub(super) fn in_register(&mut self, operand: Operand) -> Reg {
        match operand {
            Operand::Reg(reg) => reg,
            Operand::Const(value) => {
                let to = self.builder.register();
                self.builder.emit(Op::Const { to, value });
                to
            }
            Operand::Address(base, offset) => self.address_in_register(base, offset),
            Operand::Label(label) => self.builder.label_address(label),
        }
    }

    fn address_in_register(&mut self, base: Base, offset: i64) -> Reg {
        let to = self.builder.register();
        let (op, rest) = match (base, u32::try_from(offset)) {
            (Base::Function(function), _) => (Op::FunctionAddress { to, function }, offset),
            (Base::Global(global), Ok(at)) => {
                (Op::Address { to, place: Place::Global(global, at) }, 0)
            }
            (Base::Global(global), _) => {
                (Op::Address { to, place: Place::Global(global, 0) }, offset)
            }
            (Base::Slot(slot), Ok(at)) => (Op::Address { to, place: Place::Slot(slot, at) }, 0),
            (Base::Slot(slot), _) => (Op::Address { to, place: Place::Slot(slot, 0) }, offset),
        };
        self.builder.emit(op);
        if rest == 0 { to } else { self.moved(to, rest) }
    }

    /// A pointer so many bytes further.
    fn moved(&mut self, base: Reg, offset: i64) -> Reg {
        let to = self.builder.register();
        if let Ok(offset) = i32::try_from(offset) {
            self.builder.emit(Op::Address { to, place: Place::At(base, offset) });
            return to;
        }
        let index = self.in_register(Operand::Const(offset as u64));
        let kind = self.model.pointer();
        self.builder.emit(Op::Index { kind, to, base, index, scale: 1 });
        to
    }

    /// The place so many bytes from an address.
    pub(super) fn place_of(&mut self, address: Operand, offset: i64) -> Place {
        if let Operand::Address(base, start) = address {
            match (base, u32::try_from(start.wrapping_add(offset))) {
                (Base::Global(global), Ok(at)) => return Place::Global(global, at),
                (Base::Slot(slot), Ok(at)) => return Place::Slot(slot, at),
                _ => {}
            }
        }
        let base = self.in_register(address);
        match i32::try_from(offset) {
            Ok(offset) => Place::At(base, offset),
            Err(_) => Place::At(self.moved(base, offset), 0),
        }
    }

    /// The address operand of a place in memory.
    pub(super) fn shifted(&mut self, address: Operand, offset: i64) -> Operand {
        match address {
            _ if offset == 0 => address,
            Operand::Address(base, start) => Operand::Address(base, start.wrapping_add(offset)),
            Operand::Const(value) => {
                Operand::Const(self.model.pointer().extend(value.wrapping_add(offset as u64)))
            }
            Operand::Reg(_) | Operand::Label(_) => {
                let base = self.in_register(address);
                Operand::Reg(self.moved(base, offset))
            }
        }
    }

    pub(super) fn slot_lvalue(&mut self, slot: SlotId, ty: Qualified) -> Lvalue {
        let address = Operand::Address(Base::Slot(slot), 0);
        Lvalue { ty, at: Where::Memory { address, offset: 0, slot: Some(slot) }, bits: None }
    }

    /// The address of a place in memory, which can go anywhere from now on.
    pub(super) fn address_of_place(&mut self, place: &Lvalue) -> Operand {
        let Where::Memory { address, offset, slot } = place.at else {
            unreachable!("variables whose address is needed are in memory");
        };
        slot.into_iter().for_each(|slot| self.builder.expose(slot));
        self.shifted(address, offset)
    }

    /// A slot that the program has no name for.
    pub(super) fn temporary(&mut self, ty: &Type, span: Span) -> Lowered<SlotId> {
        let Some(size) = self.records.size(ty) else {
            return invalid(span, "a value of an incomplete type");
        };
        let (align, shown) = (self.records.align(ty), self.show(ty));
        Ok(self.builder.slot("", size, align, shown, span))
    }

    /// The value at a place; arrays and functions become pointers, records stay where they are.
    pub(super) fn load(&mut self, from: &Lvalue, span: Span) -> Lowered<Value> {
        let (address, offset, slot) = match from.at {
            Where::Register(reg) => return Ok(Value::new(from.ty.ty.clone(), Operand::Reg(reg))),
            Where::Memory { address, offset, slot } => (address, offset, slot),
        };
        match &from.ty.ty {
            Type::Array(element, _) => {
                let operand = self.shifted(address, offset);
                Ok(Value { ty: Type::Pointer(element.clone()), operand, slot })
            }
            Type::Function(_) => {
                let pointer = Type::pointer_to(from.ty.ty.clone());
                Ok(Value::new(pointer, self.shifted(address, offset)))
            }
            Type::Record(_) if from.ty.atomic => self.load_atomic_record(from, span),
            Type::Record(_) => {
                let operand = self.shifted(address, offset);
                Ok(Value { ty: from.ty.ty.clone(), operand, slot })
            }
            Type::Void => Ok(Value::void()),
            scalar => {
                let kind = self.kind(scalar, span)?;
                let to = match from.bits {
                    None => {
                        let place = self.place_of(address, offset);
                        self.load_scalar(place, kind, from)
                    }
                    Some(bits) => self.load_bits(address, offset, bits, kind.is_signed()),
                };
                // A bit-field that `int` can hold is an `int`, and likewise `unsigned`.
                let ty = match from.bits {
                    Some(bits) if bits.width < 32 => Type::INT,
                    Some(bits) if bits.width == 32 && kind.is_signed() => Type::INT,
                    Some(bits) if bits.width == 32 => Type::Int(Int::UnsignedInt),
                    _ => from.ty.ty.clone(),
                };
                Ok(Value::new(ty, Operand::Reg(to)))
            }
        }
    }

    /// An atomic record is read as a whole, in one step, into a record of the function's own.
    fn load_atomic_record(&mut self, from: &Lvalue, span: Span) -> Lowered<Value> {
        let slot = self.temporary(&from.ty.ty, span)?;
        let copy = self.slot_lvalue(slot, from.ty.ty.clone().into());
        self.copy_record_bytes(from, Order::SeqCst, &copy, Order::Plain, span)?;
        let operand = Operand::Address(Base::Slot(slot), 0);
        Ok(Value { ty: from.ty.ty.clone(), operand, slot: Some(slot) })
    }

    fn load_scalar(&mut self, place: Place, kind: Kind, from: &Lvalue) -> Reg {
        let order = order_of(&from.ty);
        let to = self.builder.register();
        self.builder.emit(Op::Load { to, place, kind, order });
        to
    }

    fn load_bits(&mut self, address: Operand, offset: i64, bits: Bits, signed: bool) -> Reg {
        let (unit, width) = (bits.unit, bits.width);
        let mut known: Option<Reg> = None;
        for piece in bits.pieces() {
            let place = self.place_of(address, offset + piece.offset as i64);
            let (from, to) = (self.builder.register(), self.builder.register());
            let (shift, whole) = (piece.shift, piece.width == width);
            self.builder.emit(Op::Load { to: from, place, kind: unit, order: Order::Plain });
            let signed = signed && whole;
            self.builder.emit(Op::Extract { to, from, shift, width: piece.width, signed });
            known = Some(match known {
                None => to,
                Some(low) => {
                    let both = self.builder.register();
                    let (shift, width) = (piece.at, piece.width);
                    self.builder.emit(Op::Insert { to: both, unit: low, value: to, shift, width });
                    both
                }
            });
        }
        let value = known.expect("a bit-field has bits");
        if u32::from(bits.shift + width) <= unit.size() * 8 {
            return value;
        }
        let to = self.builder.register();
        self.builder.emit(Op::Extract { to, from: value, shift: 0, width, signed });
        to
    }

    /// Puts a value, converted already, into a place. Returns what the assignment is worth.
    pub(super) fn store(&mut self, to: &Lvalue, value: Value, span: Span) -> Lowered<Value> {
        if to.ty.ty.is_record() {
            return self.copy_record(to, value, span);
        }
        let kind = self.kind(&to.ty.ty, span)?;
        let (address, offset) = match to.at {
            Where::Register(reg) => return Ok(self.assign_register(reg, value)),
            Where::Memory { address, offset, .. } => (address, offset),
        };
        if let Some(bits) = to.bits {
            return self.store_bits(to, bits, kind, value);
        }
        let place = self.place_of(address, offset);
        let from = self.in_register(value.operand);
        self.builder.emit(Op::Store { from, place, kind, order: order_of(&to.ty) });
        let operand = if matches!(value.operand, Operand::Const(_)) {
            value.operand
        } else {
            Operand::Reg(from)
        };
        Ok(Value::new(value.ty, operand))
    }

    pub(super) fn assign_register(&mut self, to: Reg, value: Value) -> Value {
        match value.operand {
            Operand::Reg(from) if from == to => {}
            Operand::Reg(from) => {
                let floor = self.temporaries;
                if !self.builder.retarget(from, to, floor) {
                    self.builder.emit(Op::Copy { to, from });
                }
            }
            Operand::Const(value) => self.builder.emit(Op::Const { to, value }),
            address @ (Operand::Address(..) | Operand::Label(_)) => {
                let from = self.in_register(address);
                self.assign_register(to, Value::new(value.ty.clone(), Operand::Reg(from)));
            }
        }
        Value::new(value.ty, Operand::Reg(to))
    }

    fn store_bits(&mut self, to: &Lvalue, bits: Bits, kind: Kind, value: Value) -> Lowered<Value> {
        let Where::Memory { address, offset, .. } = to.at else {
            unreachable!("bit-fields are in memory");
        };
        let value_reg = self.in_register(value.operand);
        let (unit, order) = (bits.unit, Order::Plain);
        for piece in bits.pieces() {
            let place = self.place_of(address, offset + piece.offset as i64);
            let (old, new) = (self.builder.register(), self.builder.register());
            let (shift, width) = (piece.shift, piece.width);
            let value = match piece.at {
                0 => value_reg,
                at => {
                    let to = self.builder.register();
                    let (from, signed) = (value_reg, false);
                    self.builder.emit(Op::Extract { to, from, shift: at, width, signed });
                    to
                }
            };
            self.builder.emit(Op::Load { to: old, place, kind: unit, order });
            self.builder.emit(Op::Insert { to: new, unit: old, value, shift, width });
            self.builder.emit(Op::Store { from: new, place, kind: unit, order });
        }
        // The value of the assignment is what the field can hold.
        let stored = self.builder.register();
        let (width, signed) = (bits.width, kind.is_signed());
        self.builder.emit(Op::Extract { to: stored, from: value_reg, shift: 0, width, signed });
        Ok(Value::new(to.ty.ty.clone(), Operand::Reg(stored)))
    }

    fn copy_record(&mut self, to: &Lvalue, value: Value, span: Span) -> Lowered<Value> {
        let Where::Memory { address, offset, slot } = to.at else {
            unreachable!("records are in memory");
        };
        let from = Lvalue::memory(value.ty.clone().into(), value.operand);
        self.copy_record_bytes(&from, Order::Plain, to, order_of(&to.ty), span)?;
        if to.ty.atomic {
            // What was assigned, not what others have put there since.
            return Ok(value);
        }
        Ok(Value { ty: to.ty.ty.clone(), operand: self.shifted(address, offset), slot })
    }

    /// Copies a record: it is read in one step and written in another one.
    pub(super) fn copy_record_bytes(
        &mut self,
        from: &Lvalue,
        read: Order,
        to: &Lvalue,
        written: Order,
        span: Span,
    ) -> Lowered<()> {
        let size = self.records.size(&to.ty.ty).unwrap_or(0);
        let Ok(size) = u32::try_from(size) else {
            return invalid(span, "a record larger than 4 GiB");
        };
        let [source, target] = [from, to].map(|place| {
            let Where::Memory { address, offset, .. } = place.at else {
                unreachable!("records are in memory");
            };
            self.place_of(address, offset)
        });
        if size > 0 {
            self.emit_copy((source, read), (target, written), Size::Const(size));
        }
        Ok(())
    }

    /// The two steps of a copy.
    pub(super) fn emit_copy(&mut self, from: (Place, Order), to: (Place, Order), size: Size) {
        self.builder.emit(Op::ReadBlock { place: from.0, size, order: from.1 });
        self.builder.emit(Op::WriteBlock { place: to.0, size, order: to.1 });
    }

    /// The address of a place becomes a value that can go anywhere.
    pub(super) fn expose(&mut self, value: Value) -> Value {
        if let Some(slot) = value.slot
            && !value.ty.is_record()
        {
            self.builder.expose(slot);
        }
        if let Operand::Address(Base::Slot(slot), _) = value.operand
            && !value.ty.is_record()
        {
            self.builder.expose(slot);
        }
        Value { slot: if value.ty.is_record() { value.slot } else { None }, ..value }
    }

    /// The size of a type, which may be known at run time only.
    pub(super) fn size_operand(&mut self, ty: &Type, span: Span) -> Lowered<Operand> {
        if let Type::Array(_, super::ctype::Length::Variable(size)) = ty {
            return Ok(Operand::Reg(*size));
        }
        match self.records.size(ty) {
            Some(size) => Ok(Operand::Const(size)),
            None => invalid(span, "the size of an incomplete type"),
        }
    }
}

/// The memory order of ordinary accesses to objects of this type.
pub(super) fn order_of(ty: &Qualified) -> Order {
    if ty.atomic { Order::SeqCst } else { Order::Plain }
}
