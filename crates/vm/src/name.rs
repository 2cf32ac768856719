//! Names of places in memory, for people.

use crate::fault::FaultKind;
use crate::image::Image;
use crate::memory::{Bad, Memory, Object, ObjectKind};
use crate::site::Site;
use crate::thread::Thread;
use raddle_cfront::ir::{FunctionId, TypeId};

/// The name of an object.
pub(crate) fn object(image: &Image, memory: &Memory, number: u32) -> String {
    let about = memory.object(number);
    let name = made(image, about.kind, source(about, number));
    match about.kind {
        ObjectKind::Heap => match ordinal(image, memory, number) {
            1 => name,
            n => format!("{name}#{n}"),
        },
        _ => name,
    }
}

/// What an object is and where it comes from: the same in all runs, and enough for a name.
pub(crate) fn identity(about: &Object, number: u32) -> (u32, u64) {
    (about.kind as u32, crate::races::number(source(about, number)))
}

/// Where an object comes from; globals and functions by their number.
fn source(about: &Object, number: u32) -> Site {
    match about.kind {
        ObjectKind::Global | ObjectKind::Function => Site { function: FunctionId(number), op: 0 },
        _ => about.made,
    }
}

/// The name of an object by where it comes from; those of one place on the heap have the same.
fn made(image: &Image, kind: ObjectKind, source: Site) -> String {
    let program = &image.program;
    match kind {
        ObjectKind::Global | ObjectKind::ThreadLocal => {
            program.globals[source.function.0 as usize].name.to_string()
        }
        ObjectKind::Function => {
            let id = image.object_function(source.function.0);
            id.map_or(String::new(), |id| program.function(id).name.to_string())
        }
        ObjectKind::Slot => slot_name(image, source),
        ObjectKind::Dynamic => format!("{}:local", program.function(source.function).name),
        ObjectKind::Variadic => "variadic arguments".to_owned(),
        ObjectKind::Argument => "argv".to_owned(),
        ObjectKind::Heap => heap_name(image, source),
    }
}

fn slot_name(image: &Image, made: Site) -> String {
    let function = image.function(made.function);
    let slot = function.slots.get(made.op as usize).map_or("", |slot| &slot.name);
    format!("{}:{}", function.name, if slot.is_empty() { "temporary" } else { slot })
}

/// `heap@FILE:LINE`: after the place that asked for it, as binaries and Rust code call what they make.
fn heap_name(image: &Image, made: Site) -> String {
    match line(image, made) {
        None => "heap".to_owned(),
        Some((file, line)) => format!("heap@{}:{line}", file.rsplit('/').next().unwrap_or(&file)),
    }
}

/// How many objects of the heap were made in the same line up to this one.
fn ordinal(image: &Image, memory: &Memory, number: u32) -> usize {
    let made = memory.object(number).made;
    let here = line(image, made);
    // Programs have few places that ask for memory, and these may ask often.
    let mut others: Vec<(Site, bool)> = vec![(made, true)];
    let mut is_here = |site: Site| match others.iter().find(|(known, _)| *known == site) {
        Some((_, is_here)) => *is_here,
        None => {
            let is_here = line(image, site) == here;
            others.push((site, is_here));
            is_here
        }
    };
    let objects = &memory.objects[..=number as usize];
    objects.iter().filter(|o| o.kind == ObjectKind::Heap && is_here(o.made)).count()
}

/// The source line of a transition.
fn line(image: &Image, site: Site) -> Option<(std::sync::Arc<str>, u32)> {
    crate::record::locate(&image.program, site.known()?)
}

/// The name of `size` bytes at an offset in an object.
pub(crate) fn place(image: &Image, memory: &Memory, number: u32, offset: u32, size: u32) -> String {
    let about = memory.object(number);
    let ty = type_of(image, about.kind, source(about, number));
    let name = object(image, memory, number);
    match ty.is_none() && (offset, size) == (0, about.size) {
        true => name,
        false => within(image, name, ty, offset, size),
    }
}

/// The name of bytes in an object that is known by its identity alone.
pub(crate) fn identified(image: &Image, object: (u32, u64), bytes: (u32, u32)) -> String {
    let (kind, source) = (ObjectKind::from_number(object.0), crate::races::site(object.1));
    let ty = type_of(image, kind, source);
    within(image, made(image, kind, source), ty, bytes.0, bytes.1)
}

fn within(image: &Image, name: String, ty: Option<TypeId>, offset: u32, size: u32) -> String {
    match ty {
        Some(ty) => name + &image.program.types.path(ty, offset.into(), size.into()),
        // So many bytes are more than one thing, as in recordings of binaries.
        None if !matches!(size, 0 | 1 | 2 | 4 | 8 | 16) => {
            format!("{name}[{offset}..{}]", offset + size)
        }
        None if offset == 0 => name,
        None => format!("{name}+{offset}"),
    }
}

fn type_of(image: &Image, kind: ObjectKind, source: Site) -> Option<TypeId> {
    match kind {
        ObjectKind::Global | ObjectKind::ThreadLocal => {
            Some(image.program.globals[source.function.0 as usize].ty)
        }
        ObjectKind::Slot => {
            let slots = &image.function(source.function).slots;
            slots.get(source.op as usize).map(|slot| slot.ty)
        }
        _ => None,
    }
}

/// The name of a lock or the like: the innermost thing at its address whose own parts are not
/// the program's business.
pub(crate) fn sync(image: &Image, memory: &Memory, address: u64) -> String {
    let Some((number, offset)) = memory.resolve(address) else { return format!("{address:#x}") };
    let name = place(image, memory, number, offset, 4);
    match name.find(".__") {
        Some(hidden) => name[..hidden].to_owned(),
        None => name,
    }
}

/// The name of a thread: that of its start function, with a number unless it is the first.
pub(crate) fn thread(image: &Image, threads: &[Thread], index: u32) -> String {
    let Some(thread) = threads.get(index as usize) else { return format!("thread#{index}") };
    let start = thread.core.start;
    let name = &image.program.functions[start as usize].name;
    if index == 0 {
        return name.to_string();
    }
    let earlier = threads[1..index as usize].iter().filter(|t| t.core.start == start).count();
    format!("{name}#{}", earlier + 1)
}

/// What is wrong with an address, in words.
pub(crate) fn fault(image: &Image, memory: &Memory, bad: Bad) -> FaultKind {
    let name = |number| object(image, memory, number);
    match bad {
        Bad::OutOfBounds { object, offset, size } => {
            let length = memory.object(object).size.into();
            FaultKind::OutOfBounds { object: name(object), offset, size, length }
        }
        Bad::Freed(object) => FaultKind::UseAfterFree {
            object: name(object),
            allocated: memory.object(object).allocated_at(),
            freed: memory.object(object).freed_at(),
        },
        Bad::Dead(object) => FaultKind::UseAfterReturn { object: name(object) },
        Bad::Null(address) => FaultKind::NullDereference { address },
        Bad::Uninitialised(address) => FaultKind::UninitialisedPointer { address },
        Bad::Wild(address) => FaultKind::WildPointer { address },
        Bad::Constant(object) => FaultKind::ConstantWrite { object: name(object) },
        Bad::Function(object) => FaultKind::FunctionAccess { object: name(object) },
        Bad::Variadic => FaultKind::VariadicOverrun,
    }
}
