//! Places in the source, and stacks of them.

use raddle_trace::{Frame, LocationId, StackId, Tables};

use super::{Key, Namer};
use crate::recording::atomic::Functions;

impl Namer<'_> {
    /// The location of a return address: the address itself where nothing else is known of it.
    #[inline]
    pub(in crate::recording) fn location(&mut self, pc: u64, tables: &mut Tables) -> Option<u32> {
        if let Some(id) = self.locations.get(pc, 0) {
            return Some(id);
        }
        let id = self.find_location(pc, tables)?;
        self.locations.put(pc, 0, id);
        Some(id)
    }

    fn find_location(&mut self, pc: u64, tables: &mut Tables) -> Option<u32> {
        if let Some(&id) = self.ids.get(&Key::Location(pc)) {
            return Some(id);
        }
        let place = self.symbols.place(pc);
        let known = place.as_ref().and_then(|place| place.text());
        let text = known.or_else(|| (pc != 0).then(|| format!("{pc:#x}")))?;
        let id = tables.locations.intern(text.as_bytes()).ok()?;
        if place.is_some_and(|place| place.is_library()) {
            self.libraries.insert(LocationId(id));
        }
        self.ids.insert(Key::Location(pc), id);
        Some(id)
    }

    /// The functions at a return address whose lines are known, the innermost first.
    pub(in crate::recording) fn frames(&mut self, pc: u64) -> Vec<crate::symbol::Frame> {
        let frames = self.symbols.place(pc).map(|place| place.frames.clone()).unwrap_or_default();
        frames.into_iter().filter(|frame| frame.location().is_some()).collect()
    }

    /// Which of some functions is entered at an address.
    pub(in crate::recording) fn function(
        &mut self,
        functions: &mut Functions,
        pc: u64,
    ) -> Option<usize> {
        functions.at(pc, self.symbols)
    }

    /// The stack with all functions at a return address on top of another.
    pub(in crate::recording) fn stack(
        &mut self,
        caller: Option<StackId>,
        pc: u64,
        tables: &mut Tables,
    ) -> Option<StackId> {
        let Some(place) = self.symbols.place(pc) else { return caller };
        let locations =
            place.frames.iter().rev().filter_map(|frame| Some((frame, frame.location()?)));
        let mut stack = caller;
        for (frame, location) in locations {
            let Ok(location) = tables.locations.intern(location.as_bytes()) else { continue };
            if !frame.is_own() {
                self.libraries.insert(LocationId(location));
            }
            let frame = Frame { caller: stack, location };
            let next = self.ids.entry(Key::Frame(stack, location));
            stack = Some(StackId(*next.or_insert_with(|| tables.add_frame(frame).0)));
        }
        stack
    }
}
