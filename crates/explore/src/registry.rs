//! The registry of strategies: what is known of each beside how it works.
//!
//! One table has a row for each. Parsing, printing, help, and with which options a strategy goes come from it. A strategy
//! without a row does not compile.

use std::fmt;
use std::str::FromStr;

use crate::sample::Sampler;

/// How executions are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StrategyKind {
    /// By the number of preemptions.
    Icb,
    /// Everything.
    Dfs,
    /// The first steps of everything.
    Depth(u32),
    /// The same, with so many more steps each time.
    IterativeDepth(u32),
    /// By how often the next thread in line is passed over.
    Delay,
    /// At random.
    Sample(Sampler),
    /// `Icb` and sampling in turns.
    Portfolio,
}

/// What is known of a strategy.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name, without the parameter.
    pub name: &'static str,
    /// How it is written: the name, and a letter for its number.
    pub form: &'static str,
    parameter: Parameter,
    /// Which executions it chooses: the end of a sentence.
    pub help: &'static str,
    /// What its bounds count.
    pub bound: Bounds,
    /// Whether there is one that leaves out executions that are equivalent to others.
    pub is_reducible: bool,
    /// Whether it can be split into parts that are searched apart.
    pub is_divisible: bool,
    /// What it has to know if it draws executions; none if it enumerates them, and comes to an end.
    pub draws: Option<Draws>,
}

/// Whether a number follows the name of a strategy and a colon.
#[derive(Clone, Copy, Debug)]
enum Parameter {
    None,
    Needed,
    Or(u32),
}

/// What the bounds of a strategy count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bounds {
    /// It has none.
    None,
    /// Preemptions, as in Theorem 1.
    Preemptions,
    /// Delays.
    Delays,
    /// Steps.
    Steps,
}

/// What a strategy that draws executions has to know.
#[derive(Clone, Copy, Debug)]
pub struct Draws {
    /// What of the first run.
    pub(crate) profile: Profiled,
    /// What threads are about to do.
    pub(crate) operations: bool,
    /// Whether it counts steps from the beginning, so that none can be left out.
    pub(crate) from_start: bool,
}

/// What of the first run a strategy has to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Profiled {
    Nothing,
    /// Its points, and who created whom.
    Points,
    /// Also which objects threads share, so its operations have to be noted.
    Objects,
}

/// What rows have in common.
const ENUMERATES: Entry = Entry {
    name: "",
    form: "",
    parameter: Parameter::None,
    help: "",
    bound: Bounds::None,
    is_reducible: false,
    is_divisible: false,
    draws: None,
};

/// A row of a strategy that draws executions.
const fn draws(profile: Profiled, operations: bool, from_start: bool) -> Entry {
    Entry { draws: Some(Draws { profile, operations, from_start }), ..ENUMERATES }
}

macro_rules! strategies {
    ($(
        $name:literal $(($number:ident: $letter:literal $(or $default:literal)?))?
            [$($kind:tt)+] = $entry:expr, $help:literal;
    )+) => {
        /// What is known of all strategies, in the order in which people are shown them.
        pub const STRATEGIES: &[Entry] = &[$(strategies!(
            @entry $name $(($letter $(or $default)?))? $entry, $help
        ),)+];

        impl StrategyKind {
            /// What is known of it.
            pub fn entry(self) -> &'static Entry {
                match self {
                    $(#[allow(unused_variables, reason = "the same pattern as in `parameter`")]
                    $($kind)+ => const {
                        &strategies!(@entry $name $(($letter $(or $default)?))? $entry, $help)
                    },)+
                }
            }

            /// The number in its name.
            fn parameter(self) -> Option<u32> {
                match self {
                    $($($kind)+ => [$(Some($number),)? None][0],)+
                }
            }

            /// The one with a name, which is in the table, and a number, if it has one.
            fn new(name: &str, number: u32) -> Option<StrategyKind> {
                match name {
                    $($name => {
                        $(let $number = number;)?
                        Some($($kind)+)
                    })+
                    _ => None,
                }
            }
        }
    };
    (@entry $name:literal ($letter:literal) $entry:expr, $help:literal) => {
        strategies!(@row $name, concat!($name, ":", $letter), Parameter::Needed, $entry, $help)
    };
    (@entry $name:literal ($letter:literal or $default:literal) $entry:expr, $help:literal) => {
        strategies!(@row $name, concat!($name, ":", $letter), Parameter::Or($default), $entry, $help)
    };
    (@entry $name:literal $entry:expr, $help:literal) => {
        strategies!(@row $name, $name, Parameter::None, $entry, $help)
    };
    (@row $name:expr, $form:expr, $parameter:expr, $entry:expr, $help:expr) => {
        Entry { name: $name, form: $form, parameter: $parameter, help: $help, ..$entry }
    };
}

strategies! {
    "icb" [StrategyKind::Icb] =
        Entry { bound: Bounds::Preemptions, is_reducible: true, is_divisible: true, ..ENUMERATES },
        "all, those with fewer preemptions first";
    "dfs" [StrategyKind::Dfs] =
        Entry { is_reducible: true, ..ENUMERATES },
        "all, depth first";
    "depth" (n: "N") [StrategyKind::Depth(n)] =
        Entry { bound: Bounds::Steps, ..ENUMERATES },
        "the first N steps of all, depth first";
    "idepth" (n: "N") [StrategyKind::IterativeDepth(n)] =
        Entry { bound: Bounds::Steps, ..ENUMERATES },
        "the first N steps of all, then N more each round, until nothing is cut";
    "delay" [StrategyKind::Delay] =
        Entry { bound: Bounds::Delays, is_divisible: true, ..ENUMERATES },
        "all, those with fewer delays first: the next thread in turn is passed over";
    "random" [StrategyKind::Sample(Sampler::Random)] =
        draws(Profiled::Nothing, false, false),
        "sampled: every choice is equally likely";
    "pct" (depth: "D" or 3) [StrategyKind::Sample(Sampler::Pct { depth })] =
        draws(Profiled::Points, false, false),
        "sampled: threads have random priorities, which change D - 1 times";
    "pos" [StrategyKind::Sample(Sampler::Pos)] =
        draws(Profiled::Nothing, true, false),
        "sampled: operations have random priorities";
    "walk" [StrategyKind::Sample(Sampler::Walk)] =
        draws(Profiled::Points, false, true),
        "sampled: every order of all steps is equally likely";
    "surw" [StrategyKind::Sample(Sampler::Surw)] =
        draws(Profiled::Objects, true, true),
        "sampled: every order of the operations on one object is equally likely";
    "race" [StrategyKind::Sample(Sampler::Pause)] =
        draws(Profiled::Objects, true, false),
        "sampled: threads wait before an access to one object for another thread to come to it";
    "portfolio" [StrategyKind::Portfolio] =
        Entry { bound: Bounds::Preemptions, ..ENUMERATES },
        "alternately sampled (surw, pos, pct:3, random) and enumerated (icb)";
}

impl Entry {
    /// Whether it enumerates executions one by one, and comes to an end.
    pub fn enumerates(&self) -> bool {
        self.draws.is_none()
    }

    /// Those that something is true of, as a list: one a line, with what it does.
    pub fn list(wanted: impl Fn(&Entry) -> bool) -> String {
        let line = |entry: &Entry| format!("  {:<10} {}\n", entry.form, entry.help);
        STRATEGIES.iter().filter(|entry| wanted(entry)).map(line).collect()
    }

    /// The names of those that something is true of, as in a sentence.
    pub fn names(wanted: impl Fn(&Entry) -> bool) -> String {
        let names = STRATEGIES.iter().filter(|entry| wanted(entry)).map(|entry| entry.form);
        let names: Vec<_> = names.collect();
        match names.split_last() {
            Some((last, [])) => (*last).to_owned(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => String::new(),
        }
    }
}

impl StrategyKind {
    /// Whether it enumerates executions one by one, and comes to an end.
    pub fn enumerates(self) -> bool {
        self.entry().enumerates()
    }

    /// Whether a number of preemptions or delays bounds it.
    pub fn is_bounded(self) -> bool {
        matches!(self.entry().bound, Bounds::Preemptions | Bounds::Delays)
    }

    /// Whether its bounds are numbers of preemptions, as those of Theorem 1.
    pub fn counts_preemptions(self) -> bool {
        self.entry().bound == Bounds::Preemptions
    }

    /// What its bounds count: one of them, and more; none if it has no bounds.
    pub fn unit(self) -> Option<(&'static str, &'static str)> {
        match self.entry().bound {
            Bounds::None => None,
            Bounds::Preemptions => Some(("preemption", "preemptions")),
            Bounds::Delays => Some(("delay", "delays")),
            Bounds::Steps => Some(("step", "steps")),
        }
    }
}

impl Sampler {
    /// What it has to know.
    pub(crate) fn draws(self) -> Draws {
        StrategyKind::Sample(self).entry().draws.expect("rows of samplers say it")
    }
}

impl FromStr for StrategyKind {
    type Err = String;

    fn from_str(text: &str) -> Result<StrategyKind, String> {
        let (name, number) = match text.split_once(':') {
            Some((name, number)) => (name, Some(number)),
            None => (text, None),
        };
        let number = number.map(|n| n.parse::<u32>().ok().filter(|&n| n > 0));
        if number == Some(None) {
            return Err(format!("`{text}` needs a number from 1 after the colon"));
        }
        let entry = STRATEGIES.iter().find(|entry| entry.name == name);
        let number = match (entry.map(|entry| entry.parameter), number.flatten()) {
            (Some(Parameter::None), None) => Some(0),
            (Some(Parameter::Needed), None) => return Err(format!("write it like `{name}:20`")),
            (Some(Parameter::Or(default)), None) => Some(default),
            (Some(Parameter::Needed | Parameter::Or(_)), number) => number,
            (Some(Parameter::None), Some(_)) | (None, _) => None,
        };
        let kind = number.and_then(|number| StrategyKind::new(name, number));
        kind.ok_or_else(|| format!("strategies are\n{}", Entry::list(|_| true).trim_end()))
    }
}

impl fmt::Display for StrategyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry().name)?;
        self.parameter().map_or(Ok(()), |number| write!(f, ":{number}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for entry in STRATEGIES {
            let name = entry.form.replace(":N", ":7").replace(":D", ":2");
            let kind: StrategyKind = name.parse().unwrap();
            assert_eq!(kind.to_string(), name);
            assert_eq!(kind.entry().name, entry.name);
            let samples = matches!(kind, StrategyKind::Sample(_));
            assert_eq!(kind.enumerates(), !samples, "{name}");
        }
    }

    #[test]
    fn numbers_that_are_left_out_have_a_default_or_are_asked_for() {
        assert_eq!("pct".parse(), Ok(StrategyKind::Sample(Sampler::Pct { depth: 3 })));
        let refused = |text: &str| text.parse::<StrategyKind>().unwrap_err();
        assert_eq!(refused("depth"), "write it like `depth:20`");
        assert_eq!(refused("depth:0"), "`depth:0` needs a number from 1 after the colon");
        for text in ["icb:3", "frob", ""] {
            assert!(refused(text).contains("\n  depth:N    the first N steps"), "{text}");
        }
    }
}
