//! Code: from an address in an object file to functions and lines.

use std::path::Path;

use addr2line::Loader;

/// Where an instruction comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The function it was written in first, then those that this was inlined into.
    pub frames: Vec<Frame>,
    /// Where no line is known: the file name of the module, and the address in it.
    pub module: Option<(String, u64)>,
    /// Whether the module is one of the system.
    pub is_system: bool,
}

/// One function of a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Its name, demangled.
    pub function: Option<String>,
    /// The source file.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<u32>,
    /// The column in that.
    pub column: Option<u32>,
}

impl Frame {
    /// `file:line`.
    pub fn location(&self) -> Option<String> {
        Some(format!("{}:{}", self.file.as_ref()?, self.line?))
    }

    /// Whether its line is known, and one of the program.
    pub fn is_own(&self) -> bool {
        self.line.is_some() && !self.is_library()
    }

    fn is_library(&self) -> bool {
        self.file.as_ref().is_some_and(|file| is_of_system(file))
    }
}

impl Place {
    /// The innermost frame outside the headers of the system, or the innermost one.
    pub fn frame(&self) -> Option<&Frame> {
        self.frames.iter().find(|frame| frame.is_own()).or(self.frames.first())
    }

    /// Whether it is in a header or a library of the system.
    pub fn is_library(&self) -> bool {
        match self.frame().filter(|frame| frame.line.is_some()) {
            Some(frame) => frame.is_library(),
            None => self.is_system,
        }
    }

    /// `file:line` of that frame.
    pub fn location(&self) -> Option<String> {
        self.frame()?.location()
    }

    /// The location with its column, or what comes nearest to it: it separates what is in one line.
    pub fn exact(&self) -> Option<String> {
        let text = self.text()?;
        let column = self.location().and_then(|_| self.frame()?.column);
        Some(column.map_or_else(|| text.clone(), |column| format!("{text}:{column}")))
    }

    /// The location, or what comes nearest to it: `function (module)`, `module+0x1139`.
    pub fn text(&self) -> Option<String> {
        self.location().or_else(|| {
            let (module, address) = self.module.as_ref()?;
            let function = self.frames.first().and_then(|frame| frame.function.as_ref());
            Some(match function {
                Some(function) => format!("{function} ({module})"),
                None => format!("{module}+{address:#x}"),
            })
        })
    }
}

/// Whether a file comes with the system, or with a compiler.
pub(super) fn is_of_system(path: &str) -> bool {
    const SYSTEM: [&str; 5] = ["/usr/include/", "/usr/lib/", "/lib/", "/lib64/", "/rustc/"];
    SYSTEM.iter().any(|folder| path.starts_with(folder))
}

/// What is known of the code of one object file.
pub(super) struct Code {
    loader: Loader,
}

impl Code {
    pub(super) fn load(path: &Path) -> Option<Code> {
        Some(Code { loader: Loader::new(path).ok()? })
    }

    /// The place of an address in the file; without frames if nothing is known.
    pub(super) fn place(&self, address: u64, shown: &dyn Fn(&str) -> String) -> Place {
        let mut place = Place::default();
        if let Ok(mut frames) = self.loader.find_frames(address) {
            while let Ok(Some(frame)) = frames.next() {
                let function = frame.function.as_ref();
                let location = frame.location.as_ref();
                place.frames.push(Frame {
                    function: function.and_then(|f| Some(f.demangle().ok()?.into_owned())),
                    file: location.and_then(|location| location.file).map(shown),
                    line: location.and_then(|location| location.line),
                    column: location.and_then(|location| location.column).filter(|&it| it > 0),
                });
            }
        }
        if place.frames.iter().all(|frame| frame.function.is_none()) {
            let symbol = self.loader.find_symbol(address);
            let function = symbol.map(|s| addr2line::demangle_auto(s.into(), None).into_owned());
            match place.frames.first_mut() {
                Some(frame) => frame.function = function,
                None if function.is_some() => {
                    place.frames.push(Frame { function, ..Frame::default() });
                }
                None => {}
            }
        }
        place
    }
}
