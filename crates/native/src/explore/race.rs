//! What to tell people about a race.

use raddle_explore::{Race, Touch, Trouble};

use super::ending::{Endings, text};

impl Endings {
    /// Where a race is, and what it is about.
    pub(super) fn race(&self, race: &Race) -> Trouble {
        let mut symbols = self.symbols.borrow_mut();
        let mut side = |index: usize| {
            let pc = race.callers[index];
            let function = symbols.place(pc).and_then(|place| place.frame()?.function.clone());
            (text(&mut symbols, pc), function, race.touches[index])
        };
        let mut sides = [side(0), side(1)];
        sides.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        let (address, size) = (race.object.1, u64::from(race.bytes.1));
        let name = symbols.data(address, size);
        let name = name.map_or_else(|| "memory".to_owned(), |name| format!("`{name}`"));
        let deed = |(place, function, touch): &(String, Option<String>, Touch)| {
            let does = match touch {
                Touch::Read => "read",
                Touch::Write => "written",
                Touch::AtomicRead => "read atomically",
                Touch::AtomicWrite => "written atomically",
                Touch::Free => "freed",
            };
            match function {
                Some(function) => format!("{does} in {function} ({place})"),
                None => format!("{does} ({place})"),
            }
        };
        let message = format!(
            "{name} is {} and {}, and nothing orders them",
            deed(&sides[0]),
            deed(&sides[1])
        );
        Trouble { kind: "race".to_owned(), places: sides.map(|side| side.0).into(), message }
    }
}
