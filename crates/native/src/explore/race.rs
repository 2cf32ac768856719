//! Races of binaries in words.

use raddle_explore::{Failure, FailureKind, Race, Touch};
use raddle_finding::Location;

use super::ending::{Endings, text};

/// One of the two accesses.
struct Side {
    /// Where it is, with its column: races in one line are not one race.
    exact: String,
    place: String,
    function: Option<String>,
    touch: Touch,
}

impl Endings {
    /// Where a race is, and what it is about.
    pub(super) fn race(&self, race: &Race) -> Failure {
        let mut symbols = self.symbols.borrow_mut();
        let mut side = |index: usize| {
            let pc = race.callers[index];
            let place = symbols.place(pc);
            let function = place.as_ref().and_then(|place| place.frame()?.function.clone());
            let exact = place.as_ref().and_then(|place| place.exact());
            let place = text(&mut symbols, pc);
            Side {
                exact: exact.unwrap_or_else(|| place.clone()),
                place,
                function,
                touch: race.touches[index],
            }
        };
        let mut sides = [side(0), side(1)];
        sides.sort_unstable_by(|one, other| one.exact.cmp(&other.exact));
        let (address, size) = (race.object.1, u64::from(race.bytes.1));
        let name = symbols.data(address, size);
        let name = name.map_or_else(|| "memory".to_owned(), |name| format!("`{name}`"));
        let deed = |Side { place, function, touch, .. }: &Side| {
            let does = match touch {
                Touch::Read => "read",
                Touch::Write => "written",
                Touch::AtomicRead => "read atomically",
                Touch::AtomicWrite => "written atomically",
                Touch::Free | Touch::End => "freed",
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
        let places = sides.map(|side| Location::parse(&side.exact));
        Failure::new(FailureKind::Race, places, message)
    }
}
