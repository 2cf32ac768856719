//! The argument that names a strategy: its values, help and completions come from the registry of strategies.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};
use raddle_explore::{Entry, STRATEGIES, Sampler, StrategyKind};

/// Reads the name of any strategy.
pub(crate) fn any() -> impl TypedValueParser<Value = StrategyKind> {
    Named(|_| true)
}

/// Reads the name of a strategy that draws executions.
pub(crate) fn drawing() -> impl TypedValueParser<Value = Sampler> {
    Named(|entry| !entry.enumerates()).try_map(|kind| match kind {
        StrategyKind::Sample(sampler) => Ok(sampler),
        other => Err(format!("{other} does not choose runs at random")),
    })
}

/// Reads the name of a strategy of which something is true.
#[derive(Clone)]
struct Named(fn(&Entry) -> bool);

impl TypedValueParser for Named {
    type Value = StrategyKind;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<StrategyKind, Error> {
        let wanted = self.0;
        if value == "list" {
            let help = Command::new("strategies").override_help(Entry::list(wanted));
            help.try_get_matches_from(["strategies", "--help"])?;
        }
        let read = move |name: String| match name.parse::<StrategyKind>() {
            Ok(kind) if wanted(kind.entry()) => Ok(kind),
            Err(error) if STRATEGIES.iter().all(wanted) => Err(error),
            _ => Err(format!("strategies are\n{}", Entry::list(wanted).trim_end())),
        };
        StringValueParser::new().try_map(read).parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let wanted = STRATEGIES.iter().filter(|entry| self.0(entry));
        Some(Box::new(wanted.map(|entry| PossibleValue::new(entry.form).help(entry.help))))
    }
}
