//! Types from specifiers and declarators.

use super::ctype::{Float, Int, Length, Qualified, Signature, Type};
use super::layout::{Layout, Member};
use super::scope::{Entity, Tag};
use super::{Lowered, Lowering, invalid, rc, unsupported};
use crate::ast::{
    self, Alignment, ArraySize, Attribute, Basic, Declarator, Derived, Parameters, Qualifiers,
    Specifiers, TypeName, TypeSpecifier,
};
use crate::ir::{Binary, Kind, Op, Reg};
use crate::source::Span;

impl<'a> Lowering<'a> {
    /// The type that a type name stands for.
    pub(super) fn type_name(&mut self, name: &'a TypeName) -> Lowered<Qualified> {
        let base = self.specified(&name.specifiers)?;
        self.declared(base, &name.declarator)
    }

    /// The type before the declarators.
    pub(super) fn specified(&mut self, specifiers: &'a Specifiers) -> Lowered<Qualified> {
        let mut ty = self.base(&specifiers.base, specifiers.span)?;
        if let Some(mode) = specifiers.attributes.iter().find(|found| &*found.name == "mode") {
            return unsupported(mode.span, "the attribute `mode`");
        }
        if let Some(vector) =
            specifiers.attributes.iter().find(|found| &*found.name == "vector_size")
        {
            return unsupported(vector.span, "the attribute `vector_size`");
        }
        qualify(&mut ty, specifiers.qualifiers);
        Ok(ty)
    }

    fn base(&mut self, base: &'a TypeSpecifier, span: Span) -> Lowered<Qualified> {
        Ok(match base {
            TypeSpecifier::Basic(basic) => basic_type(*basic, span)?.into(),
            TypeSpecifier::Record(record) => self.record(record)?.into(),
            TypeSpecifier::Enum(tree) => self.enumeration(tree)?.into(),
            TypeSpecifier::Typedef(name) => match self.scopes.name(&name.name) {
                Some(Entity::Typedef(ty)) => ty.clone(),
                _ => return invalid(name.span, format!("`{}` is not a type", name.name)),
            },
            TypeSpecifier::TypeofExpr(expr) => self.type_of(expr)?,
            TypeSpecifier::TypeofType(name) => self.type_name(name)?,
            TypeSpecifier::Atomic(name) => Qualified { atomic: true, ..self.type_name(name)? },
            TypeSpecifier::Auto => {
                return invalid(
                    span,
                    "`__auto_type` needs a single declarator with an initialiser",
                );
            }
            TypeSpecifier::VaList => Type::VaList.into(),
        })
    }

    /// The type of a declarator's name.
    pub(super) fn declared(
        &mut self,
        base: Qualified,
        declarator: &'a Declarator,
    ) -> Lowered<Qualified> {
        self.derive(base, &declarator.derived, declarator.span)
    }

    /// The type with derivations around it, the one closest to the name first.
    fn derive(
        &mut self,
        base: Qualified,
        derivations: &'a [Derived],
        span: Span,
    ) -> Lowered<Qualified> {
        let mut ty = base;
        for derived in derivations.iter().rev() {
            ty = match derived {
                Derived::Pointer(qualifiers) => {
                    let mut pointer = Type::Pointer(rc(ty)).into();
                    qualify(&mut pointer, *qualifiers);
                    pointer
                }
                Derived::Array(size) => self.array(ty, size, span)?,
                Derived::Function(parameters) => self.function_type(ty, parameters, span)?,
            };
        }
        Ok(ty)
    }

    fn array(&mut self, element: Qualified, size: &'a ArraySize, span: Span) -> Lowered<Qualified> {
        if element.ty.is_function() || element.ty.is_void() {
            return invalid(span, "an array of functions or of `void`");
        }
        let length = match size {
            ArraySize::Unknown | ArraySize::Star => Length::Unknown,
            ArraySize::Expr(expr) => return self.sized_array(element, expr),
        };
        Ok(Type::Array(rc(element), length).into())
    }

    fn sized_array(&mut self, element: Qualified, expr: &'a ast::Expr) -> Lowered<Qualified> {
        let constant = self.try_constant(expr);
        if self.prototypes > 0 && !matches!(constant, Ok(Some(_))) {
            // Only the definition has the values that the size is made of.
            return Ok(Type::Array(rc(element), Length::Unknown).into());
        }
        let variable_element = matches!(&element.ty, Type::Array(_, Length::Variable(_)));
        if let (false, Some(n)) = (variable_element, constant?) {
            let Ok(n) = u64::try_from(n) else {
                return invalid(expr.span, "the size of an array is negative");
            };
            let size = self.records.size(&element.ty).unwrap_or(1).checked_mul(n);
            if size.is_none_or(|size| size > i32::MAX as u64) {
                return invalid(expr.span, "an array larger than 2 GiB");
            }
            return Ok(Type::Array(rc(element), Length::Known(n)).into());
        }
        if self.scopes.is_file() {
            return invalid(expr.span, "the size of an array at file scope must be a constant");
        }
        let size = self.variable_size(&element, expr)?;
        Ok(Type::Array(rc(element), Length::Variable(size)).into())
    }

    /// Computes the size of a variable-length array in bytes, in a register of its own.
    fn variable_size(&mut self, element: &Qualified, expr: &'a ast::Expr) -> Lowered<Reg> {
        let n = self.expr(expr)?;
        let n = self.converted(n, &Type::size(self.model), expr.span)?;
        let n = self.in_register(n.operand);
        let each = self.size_operand(&element.ty, expr.span)?;
        let each = self.in_register(each);
        let to = self.builder.register();
        let kind = Type::size(self.model).kind(self.model).unwrap_or(Kind::U64);
        self.builder.emit(Op::Binary { op: Binary::Multiply, kind, to, left: n, right: each });
        Ok(to)
    }

    fn function_type(
        &mut self,
        result: Qualified,
        parameters: &'a Parameters,
        span: Span,
    ) -> Lowered<Qualified> {
        if result.ty.is_function() || matches!(result.ty, Type::Array(..)) {
            return invalid(span, "a function cannot return a function or an array");
        }
        let signature = match parameters {
            Parameters::OldStyle(_) => Signature {
                result: result.ty,
                parameters: Vec::new(),
                variadic: false,
                unknown: true,
            },
            Parameters::Typed { list, variadic } => {
                let mut parameters = Vec::with_capacity(list.len());
                self.scopes.enter();
                self.prototypes += 1;
                let types = list
                    .iter()
                    .map(|parameter| self.parameter(parameter))
                    .collect::<Lowered<Vec<_>>>();
                self.prototypes -= 1;
                self.scopes.leave();
                parameters.extend(types?.into_iter().map(|ty| ty.ty));
                Signature { result: result.ty, parameters, variadic: *variadic, unknown: false }
            }
        };
        Ok(Type::Function(rc(signature)).into())
    }

    /// The type of a parameter: arrays and functions are pointers.
    pub(super) fn parameter(&mut self, parameter: &'a ast::Parameter) -> Lowered<Qualified> {
        let base = self.specified(&parameter.specifiers)?;
        // The size of the outermost array does not matter, and may use names that have no value yet.
        let declarator = &parameter.declarator;
        if let Some((Derived::Array(_), _)) = declarator.derived.split_first() {
            let element = self.derive(base, &declarator.derived[1..], declarator.span)?;
            return Ok(Type::Pointer(rc(element)).into());
        }
        let ty = self.declared(base, declarator)?;
        Ok(adjusted(ty))
    }

    fn record(&mut self, tree: &'a ast::Record) -> Lowered<Type> {
        let id = self.record_id(tree)?;
        let Some(members) = &tree.members else { return Ok(Type::Record(id)) };
        let limit = self.packing(&tree.attributes)?;
        let mut laid = Vec::new();
        for member in members {
            match member {
                ast::Member::StaticAssert(assertion) => self.declaration(assertion)?,
                ast::Member::Fields { specifiers, fields, .. } => {
                    self.members(specifiers, fields, limit, &mut laid)?;
                }
            }
        }
        let align = self.alignment(&tree.attributes, &[])?;
        let Some(layout) = self.records.lay_out(tree.union, laid, align) else {
            return invalid(
                tree.span,
                "a member has an incomplete type, the type is larger than 2 GiB, or a packed \
                 bit-field does not fit into any unit",
            );
        };
        self.complete(id, layout, tree)
    }

    fn complete(
        &mut self,
        id: super::ctype::RecordId,
        layout: Layout,
        tree: &ast::Record,
    ) -> Lowered<Type> {
        match &self.records.get(id).layout {
            // Headers that do not know of each other may define the same type twice.
            Some(known)
                if known.size == layout.size && known.fields.len() == layout.fields.len() => {}
            Some(_) => return invalid(tree.span, "this type is already defined differently"),
            None => self.records.complete(id, layout),
        }
        Ok(Type::Record(id))
    }

    fn record_id(&mut self, tree: &ast::Record) -> Lowered<super::ctype::RecordId> {
        let Some(tag) = &tree.tag else { return Ok(self.records.add(tree.union, None)) };
        let found = match tree.members {
            Some(_) => self.scopes.own_tag(&tag.name),
            None => self.scopes.tag(&tag.name),
        };
        match found {
            Some(Tag::Record { id, union }) if union == tree.union => Ok(id),
            Some(_) => {
                invalid(tag.span, format!("`{}` is declared as a different kind of tag", tag.name))
            }
            None => {
                let id = self.records.add(tree.union, Some(tag.name.clone()));
                self.scopes.declare_tag(&tag.name, Tag::Record { id, union: tree.union });
                Ok(id)
            }
        }
    }

    fn members(
        &mut self,
        specifiers: &'a Specifiers,
        fields: &'a [ast::Field],
        limit: u32,
        laid: &mut Vec<Member>,
    ) -> Lowered<()> {
        let base = self.specified(specifiers)?;
        let align = self.alignment(&specifiers.attributes, &specifiers.alignments)?;
        if fields.is_empty() && base.ty.is_record() {
            laid.push(Member { name: None, ty: base, width: None, align, limit });
            return Ok(());
        }
        for field in fields {
            let name = field.declarator.as_ref().and_then(|declarator| declarator.name.as_ref());
            let ty = match &field.declarator {
                Some(declarator) => self.declared(base.clone(), declarator)?,
                None => base.clone(),
            };
            if ty.ty.is_function() {
                return invalid(field.span, "a field cannot be a function");
            }
            if matches!(ty.ty, Type::Array(_, Length::Variable(_))) {
                return unsupported(field.span, "a field of variable length");
            }
            let width = self.width(field, &ty)?;
            let own = self.alignment(&field.attributes, &[])?;
            let limit = limit.min(self.packing(&field.attributes)?);
            let align = align.max(own);
            laid.push(Member { name: name.map(|name| name.name.clone()), ty, width, align, limit });
        }
        Ok(())
    }

    /// The alignment that `packed` and `#pragma pack` leave to members.
    fn packing(&mut self, attributes: &'a [Attribute]) -> Lowered<u32> {
        let mut limit = u32::MAX;
        for attribute in attributes {
            limit = limit.min(match (&*attribute.name, attribute.arguments.first()) {
                ("packed", _) => 1,
                ("pack", Some(n)) => power_of_two(self.constant(n, "an alignment")?, n.span)?,
                _ => u32::MAX,
            });
        }
        Ok(limit)
    }

    fn width(&mut self, field: &'a ast::Field, ty: &Qualified) -> Lowered<Option<u8>> {
        let Some(expr) = &field.width else { return Ok(None) };
        let width = self.constant(expr, "the width of a bit-field")?;
        let Type::Int(int) = ty.ty else {
            return invalid(field.span, "a bit-field must have an integer type");
        };
        let most = if int == Int::Bool { 1 } else { int.kind(self.model).size() * 8 };
        if width < 0 || width > i64::from(most) {
            return invalid(
                expr.span,
                format!("the width of this bit-field must be between 0 and {most}"),
            );
        }
        Ok(Some(width as u8))
    }

    /// The alignment that attributes and `_Alignas` ask for.
    pub(super) fn alignment(
        &mut self,
        attributes: &'a [Attribute],
        alignments: &'a [Alignment],
    ) -> Lowered<Option<u32>> {
        let mut most = None;
        for attribute in attributes.iter().filter(|found| &*found.name == "aligned") {
            let value = match attribute.arguments.first() {
                Some(expr) => self.constant(expr, "an alignment")?,
                None => 16,
            };
            most = most.max(Some(power_of_two(value, attribute.span)?));
        }
        for alignment in alignments {
            let value = match alignment {
                Alignment::Value(expr) => {
                    power_of_two(self.constant(expr, "an alignment")?, expr.span)?
                }
                Alignment::Type(name) => {
                    let ty = self.type_name(name)?;
                    self.records.align(&ty.ty)
                }
            };
            most = most.max(Some(value));
        }
        Ok(most)
    }

    fn enumeration(&mut self, tree: &'a ast::Enum) -> Lowered<Type> {
        let Some(constants) = &tree.constants else {
            let Some(tag) = &tree.tag else { return Ok(Type::INT) };
            return match self.scopes.tag(&tag.name) {
                Some(Tag::Enum { ty }) => Ok(Type::Int(ty)),
                Some(_) => invalid(
                    tag.span,
                    format!("`{}` is declared as a different kind of tag", tag.name),
                ),
                // gcc accepts an enumeration before it is defined.
                None => Ok(Type::Int(Int::UnsignedInt)),
            };
        };
        let (mut next, mut least, mut most) = (0i64, 0i64, 0i64);
        for (name, value) in constants {
            if let Some(expr) = value {
                next = self.constant(expr, "the value of an enumeration constant")?;
            }
            (least, most) = (least.min(next), most.max(next));
            let fits = i32::try_from(next).is_ok();
            let ty = if fits {
                Int::Int
            } else if u32::try_from(next).is_ok() {
                Int::UnsignedInt
            } else {
                Int::Long
            };
            self.scopes.declare(&name.name, Entity::Constant { value: next, ty }, name.span);
            next = next.wrapping_add(1);
        }
        let ty = match (
            least < 0,
            i32::try_from(least).is_ok(),
            most <= i64::from(i32::MAX),
            most <= i64::from(u32::MAX),
        ) {
            (true, true, true, _) => Int::Int,
            (false, _, _, true) => Int::UnsignedInt,
            (true, ..) => Int::Long,
            (false, ..) => Int::UnsignedLong,
        };
        if let Some(tag) = &tree.tag {
            self.scopes.declare_tag(&tag.name, Tag::Enum { ty });
        }
        Ok(Type::Int(ty))
    }
}

/// A parameter's type: arrays and functions become pointers.
pub(super) fn adjusted(ty: Qualified) -> Qualified {
    match ty.ty {
        Type::Array(element, _) => Type::Pointer(element).into(),
        Type::Function(_) => Type::Pointer(rc(ty)).into(),
        _ => ty,
    }
}

fn qualify(ty: &mut Qualified, qualifiers: Qualifiers) {
    ty.constant |= qualifiers.constant;
    ty.volatile |= qualifiers.volatile;
    ty.atomic |= qualifiers.atomic;
    // The qualifiers of an array are those of its elements.
    if let (Type::Array(element, length), true) = (&ty.ty, qualifiers != Qualifiers::default()) {
        let mut element = (**element).clone();
        qualify(&mut element, qualifiers);
        ty.ty = Type::Array(rc(element), *length);
    }
}

fn power_of_two(value: i64, span: Span) -> Lowered<u32> {
    match u32::try_from(value) {
        Ok(0) => Ok(1),
        Ok(value) if value.is_power_of_two() && value <= 1 << 20 => Ok(value),
        _ => invalid(span, "an alignment must be a power of two"),
    }
}

fn basic_type(basic: Basic, span: Span) -> Lowered<Type> {
    Ok(Type::Int(match basic {
        Basic::Void => return Ok(Type::Void),
        Basic::Float => return Ok(Type::Float(Float::Single)),
        Basic::Double => return Ok(Type::Float(Float::Double)),
        Basic::LongDouble => return Ok(Type::Float(Float::Long)),
        Basic::Int128 | Basic::UnsignedInt128 => return unsupported(span, "the type `__int128`"),
        Basic::Unsupported(name) => return unsupported(span, format!("the type `{name}`")),
        Basic::Bool => Int::Bool,
        Basic::Char => Int::Char,
        Basic::SignedChar => Int::SignedChar,
        Basic::UnsignedChar => Int::UnsignedChar,
        Basic::Short => Int::Short,
        Basic::UnsignedShort => Int::UnsignedShort,
        Basic::Int => Int::Int,
        Basic::UnsignedInt => Int::UnsignedInt,
        Basic::Long => Int::Long,
        Basic::UnsignedLong => Int::UnsignedLong,
        Basic::LongLong => Int::LongLong,
        Basic::UnsignedLongLong => Int::UnsignedLongLong,
    }))
}
