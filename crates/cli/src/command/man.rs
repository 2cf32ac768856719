//! `raddle man`: manual pages, made of what `--help` says.

use std::path::Path;
use std::{fs, io};

use clap::CommandFactory;

use crate::args::Cli;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;

/// Writes one page for each command.
pub(crate) fn run(folder: &Path) -> Result<Exit, Diagnostic> {
    write(folder).map(|()| Exit::Done).map_err(|error| {
        Diagnostic::error(format!("cannot write to `{}`", folder.display())).because(&error)
    })
}

fn write(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let made = tempfile::tempdir()?;
    clap_mangen::generate_to(Cli::command(), made.path())?;
    for page in fs::read_dir(made.path())? {
        let page = page?;
        let text = with_examples(&fs::read_to_string(page.path())?);
        fs::write(folder.join(page.file_name()), text)?;
    }
    Ok(())
}

/// The page with its notes and examples under their names, and the examples line by line: by default what follows the
/// options is called extra, and its lines are filled like those of a paragraph.
fn with_examples(page: &str) -> String {
    let Some((before, rest)) = page.split_once("\n.SH EXTRA\n") else { return page.to_owned() };
    let (extra, after) = rest.split_at(rest.find("\n.SH ").map_or(rest.len(), |at| at + 1));
    let Some((notes, examples)) = extra.split_once("Examples:\n") else {
        return format!("{before}\n.SH NOTES\n{rest}");
    };
    let notes = match notes.trim_end() {
        "" => String::new(),
        notes => format!(".SH NOTES\n{notes}\n"),
    };
    format!("{before}\n{notes}.SH EXAMPLES\n.nf\n{examples}.fi\n{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_keep_their_lines() {
        for (page, expected) in [
            (".SH NAME\nx\n.SH VERSION\n", ".SH NAME\nx\n.SH VERSION\n"),
            ("x\n.SH EXTRA\nA note.\n", "x\n.SH NOTES\nA note.\n"),
            (
                "x\n.SH EXTRA\nA note.\n\nExamples:\n  a\n",
                "x\n.SH NOTES\nA note.\n.SH EXAMPLES\n.nf\n  a\n.fi\n",
            ),
            (
                "x\n.SH EXTRA\nExamples:\n  a\n  b\n.SH VERSION\nv\n",
                "x\n.SH EXAMPLES\n.nf\n  a\n  b\n.fi\n.SH VERSION\nv\n",
            ),
        ] {
            assert_eq!(with_examples(page), expected);
        }
    }
}
