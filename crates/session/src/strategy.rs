//! The names of strategies, and what is true of each: `icb`, `depth:20`, `pct:3`, …

use std::fmt;
use std::str::FromStr;

use raddle_explore::Sampler;

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

impl FromStr for StrategyKind {
    type Err = String;

    fn from_str(text: &str) -> Result<StrategyKind, String> {
        let (name, number) = match text.split_once(':') {
            Some((name, number)) => (name, Some(number)),
            None => (text, None),
        };
        let number = number.map(|n| n.parse::<u32>().ok().filter(|&n| n > 0));
        Ok(match (name, number) {
            (_, Some(None)) => {
                return Err(format!("`{text}` needs a number from 1 after the colon"));
            }
            ("depth" | "idepth", None) => return Err(format!("write it like `{name}:20`")),
            ("icb", None) => StrategyKind::Icb,
            ("dfs", None) => StrategyKind::Dfs,
            ("depth", Some(Some(n))) => StrategyKind::Depth(n),
            ("idepth", Some(Some(n))) => StrategyKind::IterativeDepth(n),
            ("delay", None) => StrategyKind::Delay,
            ("random", None) => StrategyKind::Sample(Sampler::Random),
            ("pct", depth) => {
                StrategyKind::Sample(Sampler::Pct { depth: depth.flatten().unwrap_or(3) })
            }
            ("pos", None) => StrategyKind::Sample(Sampler::Pos),
            ("surw", None) => StrategyKind::Sample(Sampler::Surw),
            ("race", None) => StrategyKind::Sample(Sampler::Pause),
            ("portfolio", None) => StrategyKind::Portfolio,
            _ => {
                return Err("strategies are icb, dfs, depth:N, idepth:N, delay, random, pct:D, \
                            pos, surw, race and portfolio"
                    .to_owned());
            }
        })
    }
}

impl fmt::Display for StrategyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StrategyKind::Icb => f.write_str("icb"),
            StrategyKind::Dfs => f.write_str("dfs"),
            StrategyKind::Depth(n) => write!(f, "depth:{n}"),
            StrategyKind::IterativeDepth(n) => write!(f, "idepth:{n}"),
            StrategyKind::Delay => f.write_str("delay"),
            StrategyKind::Sample(Sampler::Random) => f.write_str("random"),
            StrategyKind::Sample(Sampler::Pct { depth }) => write!(f, "pct:{depth}"),
            StrategyKind::Sample(Sampler::Pos) => f.write_str("pos"),
            StrategyKind::Sample(Sampler::Pause) => f.write_str("race"),
            StrategyKind::Sample(_) => f.write_str("surw"),
            StrategyKind::Portfolio => f.write_str("portfolio"),
        }
    }
}

impl StrategyKind {
    /// Whether it enumerates executions one by one, and comes to an end.
    pub fn enumerates(self) -> bool {
        !matches!(self, StrategyKind::Sample(_))
    }

    /// Whether a number of preemptions or delays bounds it.
    pub fn is_bounded(self) -> bool {
        matches!(self, StrategyKind::Icb | StrategyKind::Delay | StrategyKind::Portfolio)
    }

    /// Whether its bounds are numbers of preemptions, as those of Theorem 1.
    pub fn counts_preemptions(self) -> bool {
        matches!(self, StrategyKind::Icb | StrategyKind::Portfolio)
    }

    /// What its bounds count: one of them, and more; none if it has no bounds.
    pub fn unit(self) -> Option<(&'static str, &'static str)> {
        match self {
            StrategyKind::Icb | StrategyKind::Portfolio => Some(("preemption", "preemptions")),
            StrategyKind::Delay => Some(("delay", "delays")),
            StrategyKind::Depth(_) | StrategyKind::IterativeDepth(_) => Some(("step", "steps")),
            StrategyKind::Dfs | StrategyKind::Sample(_) => None,
        }
    }
}
