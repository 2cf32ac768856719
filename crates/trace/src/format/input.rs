//! Input: bytes from a file, the standard input or memory, decompressed on the way.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek};
use std::ops::Deref;
use std::path::Path;
use std::rc::Rc;

use memmap2::Mmap;

use super::{ReadError, rdl};

/// How a file is compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip
    Gzip,
    /// Zstandard
    Zstd,
}

const LONGEST_MAGIC: usize = 8;

/// What is in a file, decompressed.
pub(crate) enum Content<'a> {
    /// A file in the native format, whole.
    Rdl(Bytes<'a>),
    /// Anything else is taken for text and read as a stream.
    Text(Text<'a>),
}

/// A stream of text.
pub(crate) struct Text<'a> {
    pub(crate) stream: Box<dyn Read + 'a>,
    /// Bytes of text, if that is known without reading it.
    pub(crate) size: Option<u64>,
    /// Bytes of the input that were read so far, before decompression.
    pub(crate) consumed: Rc<Cell<u64>>,
}

/// A whole file, mapped, read or given.
pub(crate) enum Bytes<'a> {
    Mapped(Mmap),
    Read(Vec<u8>),
    Given(&'a [u8]),
}

/// Opens a file; `-` is the standard input.
pub(crate) fn open(path: &Path, limit: u64) -> Result<(Compression, Content<'static>), ReadError> {
    if path == Path::new("-") {
        return recognise(Box::new(io::stdin().lock()), None, limit);
    }
    let mut file = File::open(path)?;
    let meta = file.metadata()?;
    if meta.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory").into());
    }
    if !meta.is_file() {
        return recognise(Box::new(file), None, limit);
    }
    if rdl::is_rdl(&peek(&mut file)?) {
        // SAFETY: the map is only read. If another process shortens the file meanwhile, reading
        // may raise SIGBUS; files in this format are written once and only ever grow.
        let map = unsafe { Mmap::map(&file)? };
        return Ok((Compression::None, Content::Rdl(Bytes::Mapped(map))));
    }
    file.rewind()?;
    recognise(Box::new(file), Some(meta.len()), limit)
}

/// Looks at bytes in memory.
pub(crate) fn from_bytes(
    bytes: &[u8],
    limit: u64,
) -> Result<(Compression, Content<'_>), ReadError> {
    if rdl::is_rdl(bytes) {
        return Ok((Compression::None, Content::Rdl(Bytes::Given(bytes))));
    }
    recognise(Box::new(bytes), Some(bytes.len() as u64), limit)
}

fn recognise<'a>(
    mut stream: Box<dyn Read + 'a>,
    size: Option<u64>,
    limit: u64,
) -> Result<(Compression, Content<'a>), ReadError> {
    let magic = peek(&mut stream)?;
    let compression = match magic.as_slice() {
        [0x1f, 0x8b, ..] => Compression::Gzip,
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
        _ => Compression::None,
    };
    let consumed = Rc::new(Cell::new(0));
    let counted = Counted { inner: Cursor::new(magic).chain(stream), n: Rc::clone(&consumed) };
    let mut stream: Box<dyn Read + 'a> = match compression {
        Compression::None => Box::new(counted),
        Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(counted)),
        Compression::Zstd => Box::new(zstd::Decoder::new(counted)?),
    };
    let head = peek(&mut stream)?;
    let is_rdl = rdl::is_rdl(&head);
    let stream: Box<dyn Read + 'a> = Box::new(Cursor::new(head).chain(stream));
    if is_rdl {
        return Ok((compression, Content::Rdl(read_whole(stream, limit)?)));
    }
    let size = size.filter(|_| compression == Compression::None);
    Ok((compression, Content::Text(Text { stream, size, consumed })))
}

fn read_whole<'a>(stream: Box<dyn Read + 'a>, limit: u64) -> Result<Bytes<'a>, ReadError> {
    let mut bytes = Vec::new();
    stream.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    let needed = bytes.len() as u64;
    if needed > limit {
        return Err(ReadError::TooLarge { n_events: 0, needed, limit });
    }
    Ok(Bytes::Read(bytes))
}

/// The first bytes of a stream, which is then behind them.
fn peek(stream: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(LONGEST_MAGIC);
    stream.take(LONGEST_MAGIC as u64).read_to_end(&mut head)?;
    Ok(head)
}

struct Counted<R> {
    inner: R,
    n: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.n.set(self.n.get() + n as u64);
        Ok(n)
    }
}

impl Deref for Bytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Read(bytes) => bytes,
            Bytes::Given(bytes) => bytes,
        }
    }
}
