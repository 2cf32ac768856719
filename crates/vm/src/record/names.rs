//! Names for everything that a trace refers to.

use raddle_trace::{BarrierId, Frame, Names, Range, SemaphoreId, StackId, Tables, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::observe::Event;
use crate::site::Site;

/// What a name was given to.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Thread(u32),
    Lock(u64),
    /// That the function of a `pthread_once` has run.
    Done(u64),
    Condition(u64),
    Semaphore(u64),
    Barrier(u64),
    Transaction(u64),
    /// An object, by its number and birth.
    Region(u32, u32),
    /// A piece of an object: number, birth, offset, size.
    Variable(u32, u32, u32, u32),
    Location(Site),
    Frame(Option<StackId>, u32),
}

/// Gives names, and remembers to what.
#[derive(Default)]
pub(super) struct Namer {
    ids: FxHashMap<Key, u32>,
    /// The regions that are locals of functions.
    locals: FxHashSet<u32>,
}

impl Namer {
    /// The id of a thread, named after its start function.
    pub(super) fn thread(
        &mut self,
        tables: &mut Tables,
        event: &Event<'_>,
        thread: u32,
    ) -> Option<u32> {
        let name = || event.view.thread_name(thread);
        self.id(Key::Thread(thread), &mut tables.threads, name)
    }

    pub(super) fn lock(&mut self, tables: &mut Tables, event: &Event<'_>, at: u64) -> Option<u32> {
        self.id(Key::Lock(at), &mut tables.locks, || event.view.name_at(at))
    }

    /// What says that the function of a `pthread_once` has run.
    pub(super) fn done(
        &mut self,
        tables: &mut Tables,
        event: &Event<'_>,
        at: u64,
    ) -> Option<VarId> {
        self.id(Key::Done(at), &mut tables.variables, || event.view.name_at(at)).map(VarId)
    }

    pub(super) fn condition(
        &mut self,
        tables: &mut Tables,
        event: &Event<'_>,
        at: u64,
    ) -> Option<u32> {
        self.id(Key::Condition(at), &mut tables.conditions, || event.view.name_at(at))
    }

    pub(super) fn semaphore(
        &mut self,
        tables: &mut Tables,
        event: &Event<'_>,
        at: u64,
    ) -> Option<u32> {
        self.id(Key::Semaphore(at), &mut tables.semaphores, || event.view.name_at(at))
    }

    pub(super) fn barrier(
        &mut self,
        tables: &mut Tables,
        event: &Event<'_>,
        at: u64,
    ) -> Option<u32> {
        self.id(Key::Barrier(at), &mut tables.barriers, || event.view.name_at(at))
    }

    /// A transaction; those with one name are one.
    pub(super) fn transaction(
        &mut self,
        tables: &mut Tables,
        event: &Event<'_>,
        name: u64,
    ) -> Option<u32> {
        let text = || event.view.text(name).filter(|text| !text.is_empty());
        self.id(Key::Transaction(name), &mut tables.transactions, || {
            text().unwrap_or_else(|| "transaction".to_owned())
        })
    }

    /// The lock of all atomic sections.
    pub(super) fn atomic(&mut self, tables: &mut Tables) -> Option<u32> {
        self.id(Key::Lock(0), &mut tables.locks, || "atomic section".to_owned())
    }

    /// A semaphore is initialised, and another one from here on.
    pub(super) fn new_semaphore(
        &mut self,
        tables: &mut Tables,
        event: &Event<'_>,
        at: u64,
        count: u32,
    ) {
        self.ids.remove(&Key::Semaphore(at));
        if let Some(id) = self.semaphore(tables, event, at) {
            tables.set_initial(SemaphoreId(id), count);
        }
    }

    /// A barrier is initialised, and another one from here on.
    pub(super) fn new_barrier(
        &mut self,
        tables: &mut Tables,
        event: &Event<'_>,
        at: u64,
        count: u32,
    ) {
        self.ids.remove(&Key::Barrier(at));
        if let Some(id) = self.barrier(tables, event, at) {
            tables.set_parties(BarrierId(id), count);
        }
    }

    pub(super) fn region(
        &mut self,
        tables: &mut Tables,
        event: &Event<'_>,
        object: u32,
    ) -> Option<u32> {
        let birth = event.view.birth(object);
        let name = || event.view.name(object, 0, event.view.size(object));
        let id = self.id(Key::Region(object, birth), &mut tables.regions, name)?;
        if event.view.is_local(object) {
            self.locals.insert(id);
        }
        Some(id)
    }

    /// Whether a region is a local of a function.
    pub(super) fn is_local(&self, region: u32) -> bool {
        self.locals.contains(&region)
    }

    pub(super) fn variable(
        &mut self,
        tables: &mut Tables,
        event: &Event<'_>,
        object: u32,
        offset: u32,
        size: u32,
    ) -> Option<VarId> {
        let birth = event.view.birth(object);
        let key = Key::Variable(object, birth, offset, size);
        if let Some(&id) = self.ids.get(&key) {
            return Some(VarId(id));
        }
        let region = self.region(tables, event, object)?;
        let name = event.view.name(object, offset, size);
        self.piece(tables, ((object, birth), offset, size), region, name)
    }

    /// A piece of an object, by its number and birth, with a name.
    pub(super) fn piece(
        &mut self,
        tables: &mut Tables,
        ((object, birth), offset, size): ((u32, u32), u32, u32),
        region: u32,
        name: String,
    ) -> Option<VarId> {
        let key = Key::Variable(object, birth, offset, size);
        // What begins at one place is distinguished by its size, as in recordings of binaries.
        let taken = tables.variables.find(&name).and_then(|id| tables.range(VarId(id)));
        let name = match taken.filter(|range| range.region == region) {
            Some(_) => format!("{name} ({size} byte{})", if size == 1 { "" } else { "s" }),
            None => name,
        };
        let id = VarId(self.id(key, &mut tables.variables, || name.clone())?);
        tables.set_range(id, Range { region, offset: offset.into(), size });
        Some(id)
    }

    /// The location of the innermost frame outside the library.
    pub(super) fn location(&mut self, tables: &mut Tables, event: &Event<'_>) -> Option<u32> {
        let site = event.view.stack().find(|frame| !frame.library)?.site;
        self.location_of(tables, event, site)
    }

    /// The stack of the frames outside the library.
    pub(super) fn stack(&mut self, tables: &mut Tables, event: &Event<'_>) -> Option<StackId> {
        let mut sites: Vec<_> = event.view.stack().filter(|f| !f.library).map(|f| f.site).collect();
        let mut stack = None;
        while let Some(site) = sites.pop() {
            let location = self.location_of(tables, event, site)?;
            let next = self.ids.entry(Key::Frame(stack, location));
            let frame = Frame { caller: stack, location };
            stack = Some(StackId(*next.or_insert_with(|| tables.add_frame(frame).0)));
        }
        stack
    }

    fn location_of(&mut self, tables: &mut Tables, event: &Event<'_>, site: Site) -> Option<u32> {
        if let Some(&id) = self.ids.get(&Key::Location(site)) {
            return Some(id);
        }
        let (file, line) = super::locate(event.view.program(), site)?;
        let id = tables.locations.intern(format!("{file}:{line}").as_bytes()).ok()?;
        self.ids.insert(Key::Location(site), id);
        Some(id)
    }

    /// The id for a key, with a name that no other key of the table has.
    fn id(&mut self, key: Key, names: &mut Names, name: impl Fn() -> String) -> Option<u32> {
        if let Some(&id) = self.ids.get(&key) {
            return Some(id);
        }
        let name = name();
        let mut unique = name.clone();
        let mut n = 2;
        while names.find(&unique).is_some() {
            unique = format!("{name}#{n}");
            n += 1;
        }
        let id = names.intern(unique.as_bytes()).ok()?;
        self.ids.insert(key, id);
        Some(id)
    }
}
