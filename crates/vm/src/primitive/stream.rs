//! Input and output, and the text of floating-point numbers.

use super::{Done, Result, double};
use crate::machine::Machine;
use crate::observe::{Observer, What};

/// What `write` and `read` return for a descriptor they cannot use.
const FAILED: u64 = -1_i64 as u64;

impl Machine {
    pub(super) fn write<O: Observer>(&mut self, a: [u64; 6], o: &mut O) -> Result {
        let [fd, address, size, ..] = a;
        if fd != 1 && fd != 2 {
            return Ok(Done::Value(FAILED));
        }
        if size == 0 {
            return Ok(Done::Value(0));
        }
        let (object, offset) = self.state.memory.locate(address, size)?;
        let bytes = self.state.memory.bytes(object, offset, size as u32);
        self.state.output.extend_from_slice(bytes);
        let end = self.state.output.len();
        match self.state.parts.last_mut() {
            Some((last, part)) if u64::from(*last) == fd => *part = end,
            _ => self.state.parts.push((fd as u8, end)),
        }
        self.emit(o, What::Output { fd: fd as u8, len: size as u32 });
        Ok(Done::Value(size))
    }

    pub(super) fn read(&mut self, a: [u64; 6]) -> Result {
        let [fd, address, size, ..] = a;
        if fd != 0 {
            return Ok(Done::Value(FAILED));
        }
        let start = self.state.counters.n_read;
        let input = &self.image.settings.stdin[start..];
        let n = input.len().min(size as usize);
        if n > 0 {
            let (object, offset) = self.state.memory.locate_mut(address, n as u64)?;
            self.state.memory.bytes_mut(object, offset, n as u32).copy_from_slice(&input[..n]);
        }
        self.state.counters.n_read += n;
        Ok(Done::Value(n as u64))
    }

    pub(super) fn format_double(&mut self, a: [u64; 6]) -> Result {
        let [address, room, number, conversion, precision, flags] = a;
        let number = f64::from_bits(number);
        let text = double::format(number, conversion as u8, precision as i32, flags as u32);
        let n = text.len().min(room as usize);
        if n > 0 {
            let (object, offset) = self.state.memory.locate_mut(address, n as u64)?;
            let bytes = self.state.memory.bytes_mut(object, offset, n as u32);
            bytes.copy_from_slice(&text.as_bytes()[..n]);
        }
        Ok(Done::Value(text.len() as u64))
    }

    pub(super) fn parse_double(&mut self, a: [u64; 6]) -> Result {
        let [address, end, ..] = a;
        let (object, offset) = self.state.memory.locate(address, 1)?;
        let size = self.state.memory.object(object).size;
        let bytes = self.state.memory.bytes(object, offset, size - offset);
        let (value, n) = double::parse(bytes);
        if end != 0 {
            let kind = self.image.program.data_model.pointer();
            let (object, offset) = self.state.memory.locate_mut(end, kind.size().into())?;
            self.state.memory.write(object, offset, kind, address + n as u64);
        }
        Ok(Done::Value(value.to_bits()))
    }
}
