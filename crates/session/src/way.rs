//! The names of strategies, and what is true of each: `icb`, `depth:20`, `pct:3`, …

use std::fmt;
use std::str::FromStr;

use raddle_explore::Sampler;

/// How executions are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
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

impl FromStr for Way {
    type Err = String;

    fn from_str(text: &str) -> Result<Way, String> {
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
            ("icb", None) => Way::Icb,
            ("dfs", None) => Way::Dfs,
            ("depth", Some(Some(n))) => Way::Depth(n),
            ("idepth", Some(Some(n))) => Way::IterativeDepth(n),
            ("delay", None) => Way::Delay,
            ("random", None) => Way::Sample(Sampler::Random),
            ("pct", depth) => Way::Sample(Sampler::Pct { depth: depth.flatten().unwrap_or(3) }),
            ("pos", None) => Way::Sample(Sampler::Pos),
            ("surw", None) => Way::Sample(Sampler::Surw),
            ("race", None) => Way::Sample(Sampler::Pause),
            ("portfolio", None) => Way::Portfolio,
            _ => {
                return Err("strategies are icb, dfs, depth:N, idepth:N, delay, random, pct:D, \
                            pos, surw, race and portfolio"
                    .to_owned());
            }
        })
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Way::Icb => f.write_str("icb"),
            Way::Dfs => f.write_str("dfs"),
            Way::Depth(n) => write!(f, "depth:{n}"),
            Way::IterativeDepth(n) => write!(f, "idepth:{n}"),
            Way::Delay => f.write_str("delay"),
            Way::Sample(Sampler::Random) => f.write_str("random"),
            Way::Sample(Sampler::Pct { depth }) => write!(f, "pct:{depth}"),
            Way::Sample(Sampler::Pos) => f.write_str("pos"),
            Way::Sample(Sampler::Pause) => f.write_str("race"),
            Way::Sample(_) => f.write_str("surw"),
            Way::Portfolio => f.write_str("portfolio"),
        }
    }
}

impl Way {
    /// Whether it enumerates executions one by one, and comes to an end.
    pub fn enumerates(self) -> bool {
        !matches!(self, Way::Sample(_))
    }

    /// Whether a number of preemptions or delays bounds it.
    pub fn is_bounded(self) -> bool {
        matches!(self, Way::Icb | Way::Delay | Way::Portfolio)
    }

    /// Whether its bounds are numbers of preemptions, as those of Theorem 1.
    pub fn counts_preemptions(self) -> bool {
        matches!(self, Way::Icb | Way::Portfolio)
    }

    /// What its bounds count: one of them, and more; none if it has no bounds.
    pub fn unit(self) -> Option<(&'static str, &'static str)> {
        match self {
            Way::Icb | Way::Portfolio => Some(("preemption", "preemptions")),
            Way::Delay => Some(("delay", "delays")),
            Way::Depth(_) | Way::IterativeDepth(_) => Some(("step", "steps")),
            Way::Dfs | Way::Sample(_) => None,
        }
    }
}
