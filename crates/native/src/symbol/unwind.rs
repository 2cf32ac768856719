//! Unwinding, as far as names need it: where the frame of a function ends.
//!
//! In: the address of an instruction in an object file. Out: the rule for its canonical frame address (CFA),
//! which is the stack pointer of the caller of the function, right before the call. Only rules that need
//! nothing but the stack pointer or `rbp` are known; all that compilers make of plain functions are.

use gimli::{BaseAddresses, CfaRule, DebugFrame, EhFrame, LittleEndian, Register, UnwindContext};
use gimli::{Section, UnwindSection};
use object::{Object, ObjectSection};

use super::types::Slice;

/// What a function had in its registers when it reported its entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Registers {
    /// `rsp`.
    pub stack: u64,
    /// `rbp`.
    pub frame: u64,
}

/// A sum of a register and a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    Stack(i64),
    Frame(i64),
}

impl Rule {
    /// The rule for a register by its number in DWARF.
    pub(super) fn new(register: Register, offset: i64) -> Option<Rule> {
        match register {
            gimli::X86_64::RSP => Some(Rule::Stack(offset)),
            gimli::X86_64::RBP => Some(Rule::Frame(offset)),
            _ => None,
        }
    }

    /// What it comes to.
    pub(super) fn of(self, registers: Registers) -> u64 {
        match self {
            Rule::Stack(offset) => registers.stack.wrapping_add_signed(offset),
            Rule::Frame(offset) => registers.frame.wrapping_add_signed(offset),
        }
    }
}

/// The rule for the canonical frame address at an instruction.
pub(super) fn frame_address(file: &object::File<'_>, address: u64) -> Option<Rule> {
    let section = |name: &str| {
        let section = file.section_by_name(name)?;
        Some((section.address(), section.data().ok()?))
    };
    let mut bases = BaseAddresses::default();
    if let Some((start, _)) = section(".text") {
        bases = bases.set_text(start);
    }
    let exceptions = section(".eh_frame").and_then(|(start, bytes)| {
        let bases = bases.clone().set_eh_frame(start);
        rule(&EhFrame::new(bytes, LittleEndian), &bases, address)
    });
    exceptions.or_else(|| {
        let (_, bytes) = section(".debug_frame")?;
        rule(&DebugFrame::new(bytes, LittleEndian), &bases, address)
    })
}

fn rule<'a, S>(section: &S, bases: &BaseAddresses, address: u64) -> Option<Rule>
where
    S: UnwindSection<Slice<'a>> + Section<Slice<'a>>,
{
    let mut context = UnwindContext::new();
    let row =
        section.unwind_info_for_address(bases, &mut context, address, S::cie_from_offset).ok()?;
    match *row.cfa() {
        CfaRule::RegisterAndOffset { register, offset } => Rule::new(register, offset),
        CfaRule::Expression(_) => None,
    }
}
