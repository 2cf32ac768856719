//! Values of accesses (R10).

use raddle_trace::EventId;
use raddle_wire::Code;

use super::Converter;

/// What became of the last record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Last {
    /// A read that is held back.
    Held,
    /// An access.
    Event(EventId),
    /// Nothing that has a value.
    Other,
}

impl Converter<'_> {
    /// The access of the last record has a value.
    pub(super) fn value(&mut self, code: Code, value: u64) {
        match (self.last, code) {
            (Last::Event(event), Code::Found) => self.events.set_found(event, value),
            (Last::Event(event), _) => self.events.set_value(event, value),
            (Last::Held, _) => {
                if let Some(read) = self.thinner.last() {
                    read.with.value = Some(value);
                }
            }
            (Last::Other, _) => {}
        }
    }
    /// The access of the last record has these bytes.
    pub(super) fn block(&mut self, bytes: &[u8]) {
        match self.last {
            Last::Event(event) if self.events.block(event).is_none() => {
                self.events.set_block(event, bytes);
            }
            Last::Held => {
                if let Some(read) = self.thinner.last() {
                    read.with.block = Some(self.blocks.len() as u32);
                    self.blocks.push(bytes.into());
                }
            }
            Last::Event(_) | Last::Other => {}
        }
    }
}
