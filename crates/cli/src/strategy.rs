//! The argument that names a strategy: its values, help and completions come from the registry of strategies.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};
use raddle_explore::{Entry, STRATEGIES, Sampler, StrategyKind};

/// Reads the name of any strategy.
#[derive(Clone)]
pub(crate) struct AnyStrategy;

/// Reads the name of a strategy that draws executions.
#[derive(Clone)]
pub(crate) struct Drawing;

impl TypedValueParser for AnyStrategy {
    type Value = StrategyKind;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<StrategyKind, Error> {
        listed(value, |_| true)?;
        let read = |name: String| name.parse::<StrategyKind>();
        StringValueParser::new().try_map(read).parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(values(|_| true)))
    }
}

impl TypedValueParser for Drawing {
    type Value = Sampler;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Sampler, Error> {
        listed(value, draws)?;
        let read = |name: String| match name.parse::<StrategyKind>() {
            Ok(StrategyKind::Sample(sampler)) => Ok(sampler),
            _ => Err(format!("strategies that choose runs at random are\n{}", list(draws))),
        };
        StringValueParser::new().try_map(read).parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(values(draws)))
    }
}

fn draws(entry: &Entry) -> bool {
    !entry.enumerates()
}

fn values(wanted: fn(&Entry) -> bool) -> impl Iterator<Item = PossibleValue> {
    let value = |entry: &Entry| PossibleValue::new(entry.form).help(entry.help);
    STRATEGIES.iter().filter(move |entry| wanted(entry)).map(value)
}

/// Shows the strategies as help is shown, if `list` is the value.
fn listed(value: &OsStr, wanted: fn(&Entry) -> bool) -> Result<(), Error> {
    if value != "list" {
        return Ok(());
    }
    let help = Command::new("strategies").override_help(list(wanted) + "\n");
    help.try_get_matches_from(["strategies", "--help"]).map(|_| ())
}

fn list(wanted: fn(&Entry) -> bool) -> String {
    Entry::list(wanted).trim_end().to_owned()
}
