//! Presets: configs with a name, `10m` or `10m-local`.

use std::fmt;
use std::str::FromStr;

use super::config::Config;

/// How large a trace is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Size {
    /// 30 events.
    Tiny,
    /// A thousand events.
    Small,
    /// Ten thousand events.
    K10,
    /// A hundred thousand events.
    K100,
    /// A million events.
    M1,
    /// Ten million events.
    M10,
}

/// What a trace consists of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Shape {
    /// Accesses, locks, forks and joins, with much interaction.
    Plain,
    /// The same with the little interaction of real programs: few variables are shared, and
    /// threads run long on their own.
    Local,
    /// Every kind of event.
    Full,
}

/// A config with a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Preset {
    /// How large.
    pub size: Size,
    /// What kind.
    pub shape: Shape,
}

/// No preset has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown preset `{name}`; the presets are tiny, small, 10k, 100k, 1m and 10m, \
     each alone or with -local or -full"
)]
pub struct UnknownPreset {
    /// The name asked for.
    pub name: String,
}

/// Name, events, threads, locks, variables.
const SIZES: [(Size, &str, usize, u32, u32, u32); 6] = [
    (Size::Tiny, "tiny", 30, 3, 2, 4),
    (Size::Small, "small", 1_000, 4, 5, 24),
    (Size::K10, "10k", 10_000, 8, 12, 250),
    (Size::K100, "100k", 100_000, 12, 40, 2_500),
    (Size::M1, "1m", 1_000_000, 16, 100, 20_000),
    (Size::M10, "10m", 10_000_000, 16, 200, 100_000),
];

const SHAPES: [(Shape, &str); 3] =
    [(Shape::Plain, ""), (Shape::Local, "-local"), (Shape::Full, "-full")];

impl Shape {
    /// The knobs of this shape, with the default size.
    pub fn config(self) -> Config {
        let plain = Config::default();
        match self {
            Shape::Plain => plain,
            Shape::Local => Config {
                burst: 150,
                fork_span: 0.02,
                locking: 0.01,
                depth: 2,
                shared: 0.01,
                local: 0.97,
                protect: 0.95,
                ..plain
            },
            Shape::Full => Config {
                retire: 0.25,
                begin_end: true,
                request: true,
                readers: 0.2,
                trylock: 0.2,
                atomic: 0.15,
                update: 0.5,
                values: true,
                wait: 0.2,
                semaphore: 0.04,
                barrier: 0.02,
                transaction: 0.04,
                branch: 0.1,
                alloc: 0.03,
                ..plain
            },
        }
    }
}

impl Preset {
    /// Every preset, by size and shape.
    pub fn all() -> impl Iterator<Item = Preset> {
        SIZES.into_iter().flat_map(|(size, ..)| SHAPES.map(|(shape, _)| Preset { size, shape }))
    }

    /// The config of that name.
    pub fn config(self) -> Config {
        let (_, _, events, threads, locks, vars) = SIZES[self.size as usize];
        let shape = self.shape.config();
        // Every thread gets its turns, however short the trace is.
        let burst = shape.burst.min(1 + events as u32 / threads / 10);
        Config { events, threads, locks, vars, burst, ..shape }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(SIZES[self.size as usize].1)?;
        f.write_str(SHAPES[self.shape as usize].1)
    }
}

impl FromStr for Preset {
    type Err = UnknownPreset;

    fn from_str(name: &str) -> Result<Preset, UnknownPreset> {
        let mut all = Preset::all();
        all.find(|p| p.to_string() == name).ok_or_else(|| UnknownPreset { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_in_the_order_of_their_enums() {
        assert!(SIZES.iter().enumerate().all(|(n, row)| row.0 as usize == n));
        assert!(SHAPES.iter().enumerate().all(|(n, row)| row.0 as usize == n));
    }

    #[test]
    fn names_read_back_and_configs_make_sense() {
        for preset in Preset::all() {
            assert_eq!(preset.to_string().parse(), Ok(preset));
            assert_eq!(preset.config().validate(), Ok(()));
        }
        let local = Preset { size: Size::M10, shape: Shape::Local };
        assert_eq!("10m-local".parse(), Ok(local));
        assert!("10m-".parse::<Preset>().is_err());
    }
}
