//! The log, on stderr: what was read from where, how long it took.

use std::io::Write;
use std::time::Instant;

use env_logger::{Builder, Target, WriteStyle};
use log::LevelFilter;

use raddle_report::sanitise::visible;

/// Starts the log: `-v` counts, then the filter of `RADDLE_LOG` or `raddle.toml`.
pub(crate) fn start(verbose: u8, filter: Option<&str>, coloured: bool) {
    let mut builder = Builder::new();
    match (verbose, filter) {
        (0, None) => builder.filter_level(LevelFilter::Warn),
        (0, Some(filter)) => builder.parse_filters(&visible(filter)),
        (1, _) => builder.filter_level(LevelFilter::Info),
        (2, _) => builder.filter_level(LevelFilter::Debug),
        _ => builder.filter_level(LevelFilter::Trace),
    };
    let style = if coloured { WriteStyle::Always } else { WriteStyle::Never };
    builder.target(Target::Stderr).write_style(style);
    let start = Instant::now();
    builder.format(move |out, record| {
        let (time, level) = (start.elapsed().as_secs_f64(), record.level());
        let style = out.default_level_style(level);
        writeln!(out, "[{time:.3} s {style}{level:<5}{style:#}] {}", record.args())
    });
    // Only fails if there is a log already.
    let _ = builder.try_init();
}
