//! Names of places in memory, for people.

use crate::fault::FaultKind;
use crate::image::Image;
use crate::memory::{Bad, Memory, ObjectKind};
use crate::site::Site;
use crate::thread::Thread;
use raddle_cfront::ir::TypeId;

/// The name of an object.
pub(crate) fn object(image: &Image, memory: &Memory, number: u32) -> String {
    let about = memory.object(number);
    let program = &image.program;
    match about.kind {
        ObjectKind::Global => program.globals[number as usize].name.to_string(),
        ObjectKind::Function => {
            let id = image.object_function(number);
            id.map_or(String::new(), |id| program.function(id).name.to_string())
        }
        ObjectKind::ThreadLocal => program.globals[about.made.function.0 as usize].name.to_string(),
        ObjectKind::Slot => slot_name(image, about.made),
        ObjectKind::Dynamic => format!("{}:local", program.function(about.made.function).name),
        ObjectKind::Variadic => "variadic arguments".to_owned(),
        ObjectKind::Argument => "argv".to_owned(),
        ObjectKind::Heap => heap_name(image, memory, number),
    }
}

fn slot_name(image: &Image, made: Site) -> String {
    let function = image.function(made.function);
    let slot = function.slots.get(made.op as usize).map_or("", |slot| &slot.name);
    format!("{}:{}", function.name, if slot.is_empty() { "temporary" } else { slot })
}

/// `heap:FUNCTION:LINE#n`: the n-th object that was made there.
fn heap_name(image: &Image, memory: &Memory, number: u32) -> String {
    let made = memory.object(number).made;
    let same = |o: &&crate::memory::Object| o.kind == ObjectKind::Heap && o.made == made;
    let n = memory.objects[..number as usize].iter().filter(same).count() + 1;
    match made.known() {
        None => format!("heap#{n}"),
        Some(site) => {
            let place = line(image, site).unwrap_or(site.op);
            format!("heap:{}:{place}#{n}", image.function(site.function).name)
        }
    }
}

/// The source line of a transition.
pub(crate) fn line(image: &Image, site: Site) -> Option<u32> {
    crate::record::locate(&image.program, site).map(|(_, line)| line)
}

/// The name of `size` bytes at an offset in an object.
pub(crate) fn place(image: &Image, memory: &Memory, number: u32, offset: u32, size: u32) -> String {
    let name = object(image, memory, number);
    match object_type(image, memory, number) {
        Some(ty) => name + &image.program.types.path(ty, offset.into(), size.into()),
        None if offset == 0 => name,
        None => format!("{name}+{offset}"),
    }
}

fn object_type(image: &Image, memory: &Memory, number: u32) -> Option<TypeId> {
    let about = memory.object(number);
    match about.kind {
        ObjectKind::Global => Some(image.program.globals[number as usize].ty),
        ObjectKind::ThreadLocal => Some(image.program.globals[about.made.function.0 as usize].ty),
        ObjectKind::Slot => {
            let slots = &image.function(about.made.function).slots;
            slots.get(about.made.op as usize).map(|slot| slot.ty)
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
