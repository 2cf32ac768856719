//! Symbols: what addresses of a program mean.
//!
//! In: where object files were loaded, and addresses. Out: places in the source for code
//! ([`Place`]), names for data (`account.balance`, `table[3]`, or `name+8` where there is no debug
//! information) and for variables of functions (`main:ids[0]`). Files are opened when the first address in them is asked for; a file that is gone
//! or broken has no symbols, which is no error: names are for people.

mod code;
mod data;
mod local;
mod types;
mod unwind;

/// How an object with a name was misused: the runtime knows only what it is.
pub fn misused(message: &str, name: &str) -> String {
    // Who waits on a condition may do without its mutex: that is what has a name then.
    let kinds = ["a mutex", "a spin lock", "a lock", "a condition", "a semaphore", "a barrier"];
    let split = kinds.iter().find_map(|kind| message.split_once(kind));
    split.map_or_else(|| message.to_owned(), |(start, rest)| format!("{start}{name}{rest}"))
}

#[cfg(test)]
mod tests;

use std::cell::{OnceCell, RefCell};
use std::ffi::OsStr;
use std::fs::File;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;
use object::Endianness;
use object::read::elf::{ElfFile64, FileHeader as _, ProgramHeader as _};
use rustc_hash::FxHashMap;

pub use code::{Frame, Place};
pub use local::LocalName;
pub use unwind::Registers;

use crate::install::RUNTIME_NAME;

/// The symbols of everything that a program has loaded.
pub struct Symbols {
    /// Sorted by load address.
    modules: Vec<Module>,
    places: FxHashMap<u64, Option<Arc<Place>>>,
    /// Paths below it are shown without it.
    directory: Option<PathBuf>,
}

/// An object file that was loaded.
struct Module {
    load: u64,
    end: u64,
    path: PathBuf,
    /// Nothing if the file cannot be read.
    code: OnceCell<Option<code::Code>>,
    data: OnceCell<data::Data>,
    /// What to take off an address to get the one in the file.
    bias: OnceCell<u64>,
    /// By the place that reports their entry, in the file.
    functions: RefCell<FxHashMap<u64, Option<local::Function>>>,
}

impl Default for Symbols {
    fn default() -> Symbols {
        Symbols::new()
    }
}

impl Symbols {
    /// No modules yet; paths are shown relative to the current directory.
    pub fn new() -> Symbols {
        let directory = std::env::current_dir().ok();
        Symbols { modules: Vec::new(), places: FxHashMap::default(), directory }
    }

    /// Adds an object file that was loaded from `load` up to `end`, and what belongs to it behind that. One that was
    /// loaded at the same address before is replaced.
    pub fn add(&mut self, load: u64, end: u64, path: &Path) {
        let extent = extent(path).unwrap_or(0);
        let end = end.max(load.saturating_add(extent));
        let module = Module {
            load,
            end,
            path: path.to_owned(),
            code: OnceCell::new(),
            data: OnceCell::new(),
            bias: OnceCell::new(),
            functions: RefCell::default(),
        };
        let at = self.modules.partition_point(|other| other.load < load);
        match self.modules.get_mut(at).filter(|other| other.load == load) {
            Some(same) if same.path == module.path && same.end == end => return,
            Some(other) => *other = module,
            None => self.modules.insert(at, module),
        }
        self.places.clear();
    }

    /// The place of a return address: that of the call before it.
    pub fn place(&mut self, pc: u64) -> Option<Arc<Place>> {
        if let Some(place) = self.places.get(&pc) {
            return place.clone();
        }
        let place = self.find_place(pc).map(Arc::new);
        self.places.insert(pc, place.clone());
        place
    }

    /// The name of the function at an address.
    pub fn function(&self, address: u64) -> Option<String> {
        let module = self.module(address)?;
        let place = module.code()?.place(address.wrapping_sub(module.bias()), &|_| String::new());
        place.frames.into_iter().last()?.function
    }

    /// Whether an address lies in an object file.
    pub fn is_loaded(&self, address: u64) -> bool {
        self.module(address).is_some()
    }

    /// Whether an address lies in what a module has for reading alone: texts, tables, code.
    pub fn is_constant(&self, address: u64) -> bool {
        let module = self.module(address);
        module.is_some_and(|m| m.data().is_constant(address.wrapping_sub(m.bias())))
    }

    /// The name of `size` bytes of data of a module.
    pub fn data(&self, address: u64, size: u64) -> Option<String> {
        let module = self.module(address)?;
        module.data().name(address.wrapping_sub(module.bias()), size)
    }

    /// The name of a lock or the like: that of the innermost thing at its address whose own parts
    /// are not the program's business.
    pub fn object(&self, address: u64) -> Option<String> {
        self.data(address, 4).map(without_own_parts)
    }

    /// The name of `size` bytes on a stack, in the frame of a function that reported its entry from `entered`
    /// with these registers, and is being executed at `pc`. Both are return addresses.
    pub fn local(
        &self,
        (entered, registers): (u64, Registers),
        pc: u64,
        address: u64,
        size: u64,
    ) -> Option<LocalName> {
        let module = self.module(entered)?;
        let in_file = |pc: u64| pc.wrapping_sub(1).wrapping_sub(module.bias());
        let mut functions = module.functions.borrow_mut();
        let function = functions.entry(in_file(entered)).or_insert_with(|| {
            let code = module.data().function(in_file(entered))?;
            local::Function::load(&module.path, code, in_file(entered))
        });
        function.as_ref()?.name(registers, in_file(pc), address, size)
    }

    /// A message of the runtime in which the address of some code at its end is a place.
    pub fn with_place(&mut self, message: &str) -> String {
        let address = message.rsplit_once(" at 0x");
        let address =
            address.and_then(|(start, pc)| Some((start, u64::from_str_radix(pc, 16).ok()?)));
        let place = address.and_then(|(start, pc)| Some((start, self.place(pc)?.text()?)));
        place.map_or_else(|| message.to_owned(), |(start, place)| format!("{start} at {place}"))
    }

    /// How an object at an address was misused: the message of the runtime with its name instead of what
    /// it is, if it has one.
    pub fn misused(&self, message: &str, address: u64) -> String {
        match self.object(address) {
            Some(name) => misused(message, &name),
            None => message.to_owned(),
        }
    }

    fn find_place(&self, pc: u64) -> Option<Place> {
        // What the runtime does is no place of the program.
        let module = self.module(pc).filter(|module| !is_runtime(&module.path))?;
        let probe = pc.wrapping_sub(1).wrapping_sub(module.bias());
        let mut place = module.code()?.place(probe, &|path| self.shown(path));
        if place.location().is_none() {
            let file = module.path.file_name().unwrap_or(module.path.as_os_str());
            place.module = Some((file.to_string_lossy().into_owned(), probe));
            place.is_system = code::is_of_system(&module.path.to_string_lossy());
        }
        Some(place)
    }

    fn module(&self, address: u64) -> Option<&Module> {
        let next = self.modules.partition_point(|module| module.load <= address);
        self.modules[..next].iter().rev().find(|module| address < module.end)
    }

    /// A path as people see it.
    fn shown(&self, path: &str) -> String {
        let clean = cleaned(Path::new(path));
        let below =
            self.directory.as_ref().and_then(|directory| clean.strip_prefix(directory).ok());
        below.unwrap_or(&clean).to_string_lossy().into_owned()
    }
}

impl Module {
    fn code(&self) -> Option<&code::Code> {
        self.code.get_or_init(|| code::Code::load(&self.path)).as_ref()
    }

    fn data(&self) -> &data::Data {
        self.data.get_or_init(|| data::Data::load(&self.path).unwrap_or_default())
    }

    fn bias(&self) -> u64 {
        *self.bias.get_or_init(|| if is_fixed(&self.path) { 0 } else { self.load })
    }
}

/// The name of a lock or the like without that of a part which is not the program's business.
pub(crate) fn without_own_parts(mut name: String) -> String {
    let hidden = [name.find(".__"), name.find("._M_")].into_iter().flatten().min();
    name.truncate(hidden.unwrap_or(name.len()));
    name
}

/// Whether a file is the runtime, under whatever name.
fn is_runtime(path: &Path) -> bool {
    let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
    name == RUNTIME_NAME || name.starts_with("libtsan.so")
}

/// Whether addresses in a file are those in memory.
fn is_fixed(path: &Path) -> bool {
    let kind = map(path).and_then(|bytes| {
        let file = ElfFile64::<Endianness>::parse(&*bytes).ok()?;
        Some(file.elf_header().e_type(file.endian()))
    });
    kind == Some(object::elf::ET_EXEC)
}

/// How much memory an object file takes from where it is loaded. The system shows as part of the file only what comes
/// from it, and no variables behind the page in which those begin that are zero at first.
fn extent(path: &Path) -> Option<u64> {
    const PAGE: u64 = 4096;
    let bytes = map(path)?;
    let file = ElfFile64::<Endianness>::parse(&*bytes).ok()?;
    let endian = file.endian();
    let loaded = file.elf_program_headers().iter();
    let loaded = loaded.filter(|header| header.p_type(endian) == object::elf::PT_LOAD);
    let (mut start, mut end) = (u64::MAX, 0u64);
    for header in loaded {
        let at = header.p_vaddr(endian);
        start = start.min(at & !(PAGE - 1));
        end = end.max(at.saturating_add(header.p_memsz(endian)));
    }
    end.checked_sub(start)
}

/// A file in memory.
fn map(path: &Path) -> Option<Mmap> {
    let file = File::open(path).ok()?;
    // SAFETY: the map is only read. If another process cuts the file short meanwhile, this process ends
    // by a signal, as with any program that maps object files.
    unsafe { Mmap::map(&file) }.ok()
}

/// A path without `.` and `..`, as far as that can be said without looking at the disk.
fn cleaned(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if clean.file_name().is_some() => {
                clean.pop();
            }
            part => clean.push(part),
        }
    }
    clean
}
