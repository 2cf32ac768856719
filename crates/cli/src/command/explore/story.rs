//! The story of a run: who did what, block by block, with the lines of the source.
//!
//! In: a recorded run, and where in it threads were switched. Out: blocks of one thread each, with
//! the reason why each of them ended; and these as text.
//!
//! Accesses to variables that one thread alone uses are no part of it. Long stories are told
//! without the middle of long blocks, and then without their beginning.

use std::fmt::Write;

use raddle_trace::{EventId, Events, LockMode, Op, ThreadId, VarId, WakeReason};

use crate::command::predict::interleaving::{cut_end, cut_start};
use crate::output::Styles;
use crate::quantity::counted;
use crate::sanitise::visible;

/// How many lines of a block are shown.
const BLOCK: usize = 10;

/// How many blocks are shown.
const BLOCKS: usize = 40;

/// How many things that a line does are shown.
const DOES: usize = 4;

/// How wide places and source lines may be.
const PLACE: usize = 24;
const SOURCE: usize = 40;

/// A line of a file of the source, by its number from 1.
pub(super) type Lines<'a> = &'a dyn Fn(&str, u32) -> Option<String>;

/// The story of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Story {
    pub(super) blocks: Vec<Block>,
}

/// What one thread did before another one went on.
#[derive(Clone, Debug)]
pub(super) struct Block {
    thread: String,
    lines: Vec<Line>,
    end: End,
}

/// Why a block ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// The thread could have gone on: a preemption, with its number.
    Preempted(u32),
    /// It had to wait for this.
    Waits(String),
    /// It gave way by itself, or has ended.
    GaveWay,
    /// It spins.
    Spins,
    /// The run ended.
    Over,
}

/// What a line of the source did.
#[derive(Clone, Debug)]
struct Line {
    place: String,
    source: String,
    does: Vec<String>,
    decisive: bool,
}

/// A switch: before the event with this number another thread was chosen.
#[derive(Clone, Debug)]
pub(super) struct Switch {
    pub(super) event: u32,
    /// Who went on until then.
    pub(super) thread: String,
    pub(super) end: End,
}

impl Story {
    /// Tells a run. Switches are ascending; `kept` are the events that are left of all.
    pub(super) fn new(
        lines: Lines<'_>,
        events: &Events,
        kept: &[EventId],
        switches: &[Switch],
        decisive: &[EventId],
    ) -> Story {
        let mut story = Story::default();
        let mut switches = switches.iter().peekable();
        for (new, &old) in kept.iter().enumerate() {
            let event = EventId(new as u32);
            while let Some(switch) = switches.next_if(|switch| switch.event <= old.0) {
                story.end_block(switch);
            }
            story.add(lines, events, event, decisive.contains(&event));
        }
        switches.for_each(|switch| story.end_block(switch));
        story
    }

    /// A block in which nothing visible happened is told only if it was interrupted.
    fn end_block(&mut self, switch: &Switch) {
        let thread = visible(&switch.thread);
        let is_open = |block: &&mut Block| block.end == End::Over && block.thread == thread;
        match self.blocks.last_mut().filter(is_open) {
            Some(block) => block.end = switch.end.clone(),
            None if matches!(switch.end, End::Preempted(_)) => {
                self.blocks.push(Block { thread, lines: Vec::new(), end: switch.end.clone() });
            }
            None => {}
        }
    }

    fn add(&mut self, lines: Lines<'_>, events: &Events, event: EventId, decisive: bool) {
        let Some(does) = does(events, event) else { return };
        let thread = visible(events.tables.thread(events.thread(event)));
        let open = self.blocks.last().is_some_and(|b| b.end == End::Over && b.thread == thread);
        if !open {
            self.blocks.push(Block { thread, lines: Vec::new(), end: End::Over });
        }
        let place = events.location(event).and_then(|l| events.tables.locations.get(l.0));
        let place = place.unwrap_or_default();
        let source = source(lines, place).unwrap_or_default();
        let Some(block) = self.blocks.last_mut() else { return };
        match block.lines.last_mut().filter(|line| line.place == place) {
            Some(line) => {
                // Who takes a lock has asked for it.
                line.does.pop_if(|asks| {
                    let asked = asks.strip_prefix("asks for ");
                    asked.is_some() && asked == does.strip_prefix("locks ")
                });
                line.does.push(does);
                line.decisive |= decisive;
            }
            None => {
                let place = place.to_owned();
                block.lines.push(Line { place, source, does: vec![does], decisive });
            }
        }
    }

    /// Ends the story with what a thread must not have done.
    pub(super) fn fail(&mut self, lines: Lines<'_>, thread: &str, place: String, what: String) {
        let thread = visible(thread);
        let open = self.blocks.last().is_some_and(|b| b.end == End::Over && b.thread == thread);
        if !open {
            self.blocks.push(Block { thread, lines: Vec::new(), end: End::Over });
        }
        let source = source(lines, &place).unwrap_or_default();
        let Some(block) = self.blocks.last_mut() else { return };
        match block.lines.last_mut().filter(|line| line.place == place) {
            Some(line) => {
                line.does.push(visible(&what));
                line.decisive = true;
            }
            None => {
                block.lines.push(Line {
                    place,
                    source,
                    does: vec![visible(&what)],
                    decisive: true,
                });
            }
        }
    }

    /// The story as text.
    pub(super) fn text(&self, styles: &Styles) -> String {
        let mut text = String::new();
        let lines = || self.blocks.iter().flat_map(|block| &block.lines);
        let width = |of: fn(&Line) -> &str, most: usize| {
            lines().map(|line| of(line).chars().count()).max().unwrap_or(0).min(most)
        };
        let widths = (width(|line| short(&line.place), PLACE), width(|line| &line.source, SOURCE));
        let hidden = self.blocks.len().saturating_sub(BLOCKS);
        if hidden > 0 {
            let dim = styles.dim;
            let _ = writeln!(text, "  {dim}… {} before{dim:#}", counted(hidden, "block"));
        }
        for block in &self.blocks[hidden..] {
            block.write(&mut text, widths, styles);
        }
        text
    }
}

impl Block {
    fn write(&self, text: &mut String, widths: (usize, usize), styles: &Styles) {
        let (heading, dim, caution) = (styles.heading, styles.dim, styles.caution);
        let _ = writeln!(text, "  {heading}{}{heading:#}", self.thread);
        let n = self.lines.len();
        // The middle of a long block says least.
        let hidden = if n > BLOCK { BLOCK / 2..n - BLOCK / 2 } else { 0..0 };
        let is_hidden = |i: usize| hidden.contains(&i) && !self.lines[i].decisive;
        let mut n_hidden = 0;
        for (i, line) in self.lines.iter().enumerate() {
            n_hidden += usize::from(is_hidden(i));
            if is_hidden(i) {
                continue;
            }
            if std::mem::take(&mut n_hidden) > 0 || i > 0 && is_hidden(i - 1) {
                let _ = writeln!(text, "      {dim}…{dim:#}");
            }
            let mark =
                if line.decisive { format!("{caution}▶{caution:#}") } else { " ".to_owned() };
            let place = cut_start(&visible(short(&line.place)), widths.0);
            let source = cut_end(&visible(&line.source), widths.1);
            let does = match line.does.len() {
                ..=DOES => line.does.join(", "),
                n => {
                    let last = &line.does[n - 1];
                    format!("{}, … {last}", line.does[..DOES - 1].join(", "))
                }
            };
            let _ = writeln!(
                text,
                "  {mark} {dim}{place:<0$}{dim:#}  {source:<1$}  {does}",
                widths.0, widths.1
            );
        }
        let _ = match &self.end {
            End::Preempted(n) => {
                writeln!(text, "    {caution}── interrupted here: preemption {n} ──{caution:#}")
            }
            End::Waits(what) => writeln!(text, "    {dim}waits for {what}{dim:#}"),
            End::Spins => writeln!(text, "    {dim}spins{dim:#}"),
            End::GaveWay | End::Over => Ok(()),
        };
    }
}

/// A place without the directories of its file.
fn short(place: &str) -> &str {
    place.rsplit(['/', '\\']).next().unwrap_or(place)
}

/// The line of the source that `file:line` names.
fn source(lines: Lines<'_>, place: &str) -> Option<String> {
    let (file, line) = place.rsplit_once(':')?;
    let text = lines(file, line.parse().ok()?)?;
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// What an event does, in a few words; none if it is not worth a word.
fn does(events: &Events, event: EventId) -> Option<String> {
    let op = events.op(event);
    let (code, object) = op.encode();
    let names = events.tables.names(code.kind().class());
    let name = visible(names.and_then(|names| names.get(object)).unwrap_or("?"));
    let value = |var: VarId| {
        let size = events.tables.range(var).map_or(8, |range| range.size);
        events.value(event).map_or(String::new(), |value| format!(" = {}", number(value, size)))
    };
    let thread = |thread: ThreadId| visible(events.tables.thread(thread));
    let shared = |mode| if mode == LockMode::Shared { " for reading" } else { "" };
    Some(match op {
        Op::Read { var, .. } => format!("reads {name}{}", value(var)),
        Op::Write { var, .. } => format!("writes {name}{}", value(var)),
        Op::ReadModifyWrite { var, .. } => format!("changes {name}{}", value(var)),
        Op::Acquire { mode, .. } => format!("locks {name}{}", shared(mode)),
        Op::Release { .. } => format!("unlocks {name}"),
        Op::Request { mode, .. } => format!("asks for {name}{}", shared(mode)),
        Op::TryFail { .. } => format!("tries {name} in vain"),
        Op::Fork { child } => format!("starts {}", thread(child)),
        Op::Join { child } => format!("joins {}", thread(child)),
        Op::Begin => return None,
        Op::End => "ends".to_owned(),
        Op::Wait { .. } => format!("waits on {name}"),
        Op::Wake { reason, .. } => match reason {
            WakeReason::Notified => format!("wakes up from {name}"),
            WakeReason::Timeout => format!("wakes up from {name}: time is over"),
            WakeReason::Spurious => format!("wakes up from {name} for no reason"),
        },
        Op::Notify { .. } => format!("signals {name}"),
        Op::NotifyAll { .. } => format!("broadcasts {name}"),
        Op::Post { .. } => format!("posts {name}"),
        Op::Take { .. } => format!("takes {name}"),
        Op::Arrive { .. } => format!("arrives at {name}"),
        Op::Leave { .. } => format!("leaves {name}"),
        Op::Alloc { .. } => format!("allocates {name}"),
        Op::Free { .. } => format!("frees {name}"),
        Op::Assert { holds: false } => "the assertion fails".to_owned(),
        Op::Assert { .. } | Op::Branch | Op::TxBegin { .. } | Op::TxEnd { .. } => return None,
    })
}

/// A value as people would write it: small negative numbers are more likely than huge ones.
fn number(value: u64, size: u32) -> String {
    let bits = 8 * u64::from(size.min(8)).max(1);
    let signed = (value << (64 - bits)) as i64 >> (64 - bits);
    match signed {
        0.. if value > u64::from(u32::MAX) => format!("{value:#x}"),
        i64::MIN..=-1 if signed < -(1 << 31) => format!("{value:#x}"),
        small => small.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_signed_and_addresses_are_not() {
        let cases = [
            (150, 4, "150"),
            (u64::from(u32::MAX), 4, "-1"),
            (255, 1, "-1"),
            (u64::MAX, 8, "-1"),
            (0x1_0000_0000_0010, 8, "0x1000000000010"),
        ];
        for (value, size, text) in cases {
            assert_eq!(number(value, size), text);
        }
    }
}
