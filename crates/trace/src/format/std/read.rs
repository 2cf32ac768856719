//! Reading STD text: each line becomes one event.

use std::io::Read;
use std::ops::Range;

use super::lines::{Lines, MAX_LINE, Next};
use super::settle::{self, BeginEnd};
use super::waits::{self, Explicit};
use crate::events::Events;
use crate::format::input::Text;
use crate::format::notation;
use crate::format::{LineError, Monitor, ReadError, Syntax, check_memory, report};
use crate::id::{EventId, NONE, ThreadId};
use crate::names::{Key, Names};
use crate::op::{Kind, ObjectClass, OpCode};
use crate::source::{LineMap, Source};

/// Lines that are taken apart before the first of them is looked up. Look-ups that follow each
/// other closely wait for their cache misses together.
const BATCH: usize = 32;

/// Reads events, with the meaning that `begin` and `end` turned out to have.
pub(in crate::format) fn read(
    text: Text<'_>,
    begin_end: BeginEnd,
    limit: u64,
    monitor: &mut dyn Monitor,
) -> Result<(Events, Option<BeginEnd>), ReadError> {
    let mut lines = Lines::new(text.stream);
    let mut reader = Reader::default();
    lines.fill()?;
    if let Some(size) = text.size {
        let n_events = estimate(lines.buffered(), size);
        check_memory(n_events, limit)?;
        reader.events.reserve(n_events as usize);
    }
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        let next = reader.gather(&mut lines, &mut batch)?;
        reader.look_up(&mut batch);
        for fields in batch.drain(..) {
            reader.event(&lines, &fields)?;
        }
        let n_events = reader.events.len() as u64;
        match next {
            Next::Line(..) => {}
            Next::TooLong => return Err(too_long(lines.number())),
            Next::End => break,
            Next::Fill => {
                check_memory(n_events, limit)?;
                report(monitor, text.consumed.get(), n_events)?;
                lines.fill()?;
            }
        }
        if n_events > (Events::MAX_LEN - BATCH) as u64 {
            return Err(ReadError::TooManyEvents);
        }
    }
    reader.finish(begin_end)
}

/// How many events `size` bytes hold, if all are like the first.
fn estimate(first: &[u8], size: u64) -> u64 {
    let n_lines = memchr::memchr_iter(b'\n', first).count() as u64 + 1;
    let n_bytes = (first.len() as u64).max(1);
    (u128::from(size) * u128::from(n_lines) / u128::from(n_bytes)) as u64
}

/// A syntax error and the bytes of the line that it is about.
struct At(usize, usize, Syntax);

impl At {
    #[cold]
    fn into_error(self, line: &[u8], number: u64) -> ReadError {
        const EXCERPT: usize = 160;
        let At(start, end, syntax) = self;
        let excerpt_start =
            if start < EXCERPT / 2 { 0 } else { (start - EXCERPT / 4).min(line.len()) };
        let excerpt = &line[excerpt_start..line.len().min(excerpt_start + EXCERPT)];
        ReadError::Line(Box::new(LineError {
            line: number,
            column: start + 1,
            length: end.saturating_sub(start),
            syntax,
            excerpt: String::from_utf8_lossy(excerpt).into_owned(),
            excerpt_start,
        }))
    }
}

fn too_long(line: u64) -> ReadError {
    At(MAX_LINE, MAX_LINE, Syntax::TooLong(MAX_LINE)).into_error(b"", line)
}

/// A line, taken apart. `start` and `end` are places in the buffer, the others in the line.
struct Fields {
    start: usize,
    number: u64,
    end: u32,
    /// Where the thread ends.
    thread: u32,
    object: (u32, u32),
    /// Where the location begins.
    location: u32,
    code: OpCode,
    thread_key: Key,
    object_key: Key,
    location_key: Key,
    /// The ids of the names, where they are known already.
    object_id: u32,
    location_id: u32,
}

impl Fields {
    /// Takes the line in `buffer[start..end]` apart; `None` for a line that is no event.
    #[inline]
    fn new(line: &[u8], start: usize, number: u64) -> Result<Option<Fields>, At> {
        let Some(bar) = line.iter().position(|&b| b == b'|') else {
            let blank = line.trim_ascii().is_empty() || line[0] == b'#';
            return if blank { Ok(None) } else { Err(At(0, line.len(), Syntax::NoFields)) };
        };
        if line[0] == b'#' {
            return Ok(None);
        }
        if bar == 0 {
            return Err(At(0, 1, Syntax::NoThread));
        }
        let field = bar + 1;
        let Some(length) = memchr::memchr(b'|', &line[field..]) else {
            return Err(At(line.len(), line.len(), Syntax::NoLocation));
        };
        let location = field + length + 1;
        let (code, object) = operation(line, field..field + length)?;
        Ok(Some(Fields {
            start,
            number,
            end: line.len() as u32,
            thread: bar as u32,
            object: (object.start as u32, object.end as u32),
            location: location as u32,
            code,
            thread_key: Key::new(&line[..bar]),
            object_key: Key::new(&line[object]),
            location_key: Key::new(&line[location..]),
            object_id: NONE,
            location_id: NONE,
        }))
    }

    fn object(&self) -> Range<usize> {
        self.object.0 as usize..self.object.1 as usize
    }
}

/// The operation in a field of the line, and where its object stands.
#[inline]
fn operation(line: &[u8], field: Range<usize>) -> Result<(OpCode, Range<usize>), At> {
    let Range { start, end } = field;
    let length = line[field.clone()].iter().position(|&b| b == b'(').unwrap_or(field.len());
    let name = &line[start..start + length];
    let Some(code) = notation::code(name) else {
        let unknown = String::from_utf8_lossy(&name[..name.len().min(40)]).into_owned();
        return Err(At(start, start + length, Syntax::UnknownOperation(unknown)));
    };
    match line[start + length..end] {
        [b'(', .., b')'] => Ok((code, start + length + 1..end - 1)),
        [] => match code.kind().class() {
            ObjectClass::None | ObjectClass::Transaction => Ok((code, end..end)),
            _ => Err(At(end, end, Syntax::NoObject)),
        },
        _ => Err(At(end - 1, end, Syntax::Unclosed)),
    }
}

#[derive(Default)]
struct Reader {
    events: Events,
    lines: LineMap,
    /// The threads that forks and joins name, which may lack the prefix of the other names.
    children: Names,
    /// The forks and joins; their objects are ids of `children` for now.
    family: Vec<EventId>,
    /// Waits and wake-ups that say more than usual.
    explicit: Explicit,
    /// Some transaction is called `tx.begin`, which leaves no doubt.
    explicit_transactions: bool,
    /// The thread of the last line: most lines are of the same thread as the line before. No
    /// thread has the empty key that this begins with.
    last_thread: (Key, ThreadId),
}

impl Reader {
    /// Takes apart the lines in the buffer, up to a batch of them, and says why it stopped.
    #[inline]
    fn gather<R: Read>(
        &mut self,
        lines: &mut Lines<R>,
        batch: &mut Vec<Fields>,
    ) -> Result<Next, ReadError> {
        loop {
            let next = lines.next();
            let Next::Line(start, end) = next else { return Ok(next) };
            let line = lines.bytes(start, end);
            let number = lines.number();
            match Fields::new(line, start, number) {
                Ok(fields) => batch.extend(fields),
                Err(at) => {
                    // A line before this one may be wrong too, in a way that shows later.
                    for fields in batch.drain(..) {
                        self.event(lines, &fields)?;
                    }
                    return Err(at.into_error(line, number));
                }
            }
            if batch.len() == BATCH {
                return Ok(next);
            }
        }
    }

    /// Looks up the names of a batch that are known already.
    fn look_up(&self, batch: &mut [Fields]) {
        for fields in batch.iter_mut().filter(|fields| fields.code.is_access()) {
            fields.object_id = self.events.tables.variables.find_short(fields.object_key);
        }
        for fields in batch {
            fields.location_id = self.events.tables.locations.find_short(fields.location_key);
        }
    }

    #[inline]
    fn event<R: Read>(&mut self, lines: &Lines<R>, fields: &Fields) -> Result<(), ReadError> {
        let line = lines.bytes(fields.start, fields.start + fields.end as usize);
        self.append(line, fields).map_err(|at| at.into_error(line, fields.number))
    }

    #[inline]
    fn append(&mut self, line: &[u8], fields: &Fields) -> Result<(), At> {
        let thread = if fields.thread_key == self.last_thread.0 && self.last_thread.0.is_whole() {
            self.last_thread.1
        } else {
            self.thread(&line[..fields.thread as usize], fields.thread_key)?
        };
        let object = match fields.object_id {
            NONE => self.object(line, fields)?,
            id => id,
        };
        let location = match fields.location_id {
            NONE => self.location(line, fields)?,
            id => id,
        };
        let event = self.events.push_raw(thread, fields.code, object, location);
        self.lines.push(event.0, fields.number);
        if !fields.code.is_access() {
            self.remember(event, fields.code.kind(), &line[fields.thread as usize + 1..]);
        }
        Ok(())
    }

    /// Notes what has to be settled when all lines are read.
    fn remember(&mut self, event: EventId, kind: Kind, operation: &[u8]) {
        match kind {
            Kind::Fork | Kind::Join => self.family.push(event),
            Kind::Wait if operation.starts_with(b"wait.pre") => {
                self.explicit.waits.insert(event);
            }
            Kind::Wake => {
                let name = operation.split(|&b| b == b'(').next().unwrap_or_default();
                self.explicit.wakes.extend(notation::wake_rank(name).map(|n| (event, n)));
            }
            Kind::TxBegin if operation.starts_with(b"tx.") => self.explicit_transactions = true,
            _ => {}
        }
    }

    fn thread(&mut self, name: &[u8], key: Key) -> Result<ThreadId, At> {
        let id = self.events.tables.threads.intern_keyed(key, name);
        let id = id.map_err(|e| At(0, name.len(), e.into()))?;
        if id as usize >= Events::MAX_THREADS {
            return Err(At(0, name.len(), Syntax::TooManyThreads));
        }
        self.last_thread = (key, ThreadId(id));
        Ok(ThreadId(id))
    }

    fn object(&mut self, line: &[u8], fields: &Fields) -> Result<u32, At> {
        let at = |syntax| At(fields.object().start, fields.object().end, syntax);
        let class = fields.code.kind().class();
        let names = match class {
            ObjectClass::Thread => &mut self.children,
            class => match self.events.tables.names_mut(class) {
                Some(names) => names,
                None => return Ok(0),
            },
        };
        let id = names.intern_keyed(fields.object_key, &line[fields.object()]);
        let id = id.map_err(|e| at(e.into()))?;
        if class == ObjectClass::Thread && id as usize >= Events::MAX_THREADS {
            return Err(at(Syntax::TooManyThreads));
        }
        Ok(id)
    }

    fn location(&mut self, line: &[u8], fields: &Fields) -> Result<u32, At> {
        let name = &line[fields.location as usize..];
        if name.is_empty() {
            return Ok(NONE);
        }
        let id = self.events.tables.locations.intern_keyed(fields.location_key, name);
        id.map_err(|e| At(fields.location as usize, line.len(), e.into()))
    }

    fn finish(self, begin_end: BeginEnd) -> Result<(Events, Option<BeginEnd>), ReadError> {
        let Reader { mut events, lines, children, family, explicit, .. } = self;
        if events.is_empty() {
            return Err(ReadError::Empty);
        }
        events.source = Source::identity(lines);
        settle::name_children(&mut events, &children, &family).map_err(|(event, syntax)| {
            At(0, 0, syntax).into_error(b"", events.source.line(event).unwrap_or(1))
        })?;
        let asked = if self.explicit_transactions { BeginEnd::Transaction } else { begin_end };
        let meaning = settle::begin_end(&mut events, asked);
        Ok((waits::settle(events, &explicit), meaning))
    }
}
