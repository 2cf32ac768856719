//! STD text: what is read, what is settled, what is refused, and what is written.

use crate::check::{Mode, Rule};
use crate::format::{LineError, Loaded, Options, ReadError, read, read_raw, sketch, std as text};
use crate::id::EventId;
use crate::trace::Trace;

fn load(text: &str) -> Loaded {
    read(text.as_bytes(), Options::default()).unwrap()
}

/// The events as `thread|operation(object)`, separated by blanks.
fn shown(trace: &Trace) -> String {
    let event = |e: crate::Event| crate::format::notation(trace, e.thread, e.op);
    trace.iter().map(event).collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check_refused(text: &[u8], expected: &str) {
    match read(text, Options::default()) {
        Err(error) => assert_eq!(error.to_string(), expected),
        Ok(loaded) => panic!("read as {}", shown(&loaded.trace)),
    }
}

#[track_caller]
fn check_written(lines: &str) {
    let loaded = load(lines);
    let mut out = Vec::new();
    let loss = text::write(&loaded.trace, &mut out, &mut ()).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), lines);
    assert!(loss.is_none(), "{loss:?}");
}

#[test]
fn lines_become_events_with_names_and_locations() {
    let trace = load("T1|w(x)|12\nT2|r(x)|a.c:7\n").trace;
    assert_eq!(shown(&trace), "T1|w(x) T2|r(x)");
    assert_eq!(trace.tables.locations.iter().collect::<Vec<_>>(), ["12", "a.c:7"]);
    assert_eq!(trace.writer(EventId(1)), Some(EventId(0)));
}

#[test]
fn blank_lines_comments_and_carriage_returns_are_not_events() {
    let trace = load("# a trace\r\n\r\nT1|w(x)|1\r\n  \nT1|r(x)|2").trace;
    assert_eq!(shown(&trace), "T1|w(x) T1|r(x)");
    assert_eq!([0, 1].map(|e| trace.source.line(EventId(e))), [Some(3), Some(5)]);
}

#[test]
fn a_fork_without_the_prefix_names_the_thread_that_has_it() {
    let trace = load("T9|fork(12)|1\nT12|w(x)|2\nT9|fork(13)|3\nT9|join(12)|4\n").trace;
    assert_eq!(shown(&trace), "T9|fork(T12) T12|w(x) T9|fork(T13) T9|join(T12)");
}

#[test]
fn a_fork_of_a_thread_of_that_very_name_is_taken_literally() {
    let trace = load("T9|fork(12)|1\n12|w(x)|2\nT12|w(x)|2\n").trace;
    assert_eq!(shown(&trace), "T9|fork(12) 12|w(x) T12|w(x)");
}

#[test]
fn begin_and_end_around_all_of_a_thread_are_its_start_and_end() {
    let loaded = load("T0|begin(0)|0\nT0|w(x)|1\nT0|end(0)|2\n");
    assert_eq!(loaded.begin_end, Some(text::BeginEnd::Thread));
    assert_eq!(shown(&loaded.trace), "T0|start(0) T0|w(x) T0|exit(0)");
}

#[test]
fn begin_and_end_inside_a_thread_are_a_transaction() {
    let loaded = load("T0|w(x)|1\nT0|begin|0\nT0|w(x)|1\nT0|end|2\n");
    assert_eq!(loaded.begin_end, Some(text::BeginEnd::Transaction));
    assert_eq!(loaded.trace.transactions().len(), 1);
}

#[test]
fn begin_and_end_mean_what_the_caller_says() {
    let options = Options { begin_end: text::BeginEnd::Transaction, ..Options::default() };
    let loaded = read(b"T0|begin(0)|0\nT0|w(x)|1\nT0|end(0)|2\n", options).unwrap();
    assert_eq!(loaded.trace.transactions().len(), 1);
}

const WAIT: &str = "T1|acq(m)|1\nT1|rel(m)|2\nT1|wait(m)|2\nT2|acq(m)|3\nT2|notify(m)|4\n\
                    T2|rel(m)|5\nT1|req(m)|6\nT1|acq(m)|6\nT1|rel(m)|7\n";

#[test]
fn a_wait_is_one_step_with_its_release_and_wakes_after_the_acquire() {
    let trace = load(WAIT).trace;
    assert_eq!(
        shown(&trace),
        "T1|acq(m) T1|wait(m) T1|rel(m) T2|acq(m) T2|notify(m) T2|rel(m) T1|req(m) T1|acq(m) \
         T1|wake(m) T1|rel(m)"
    );
    let wait = trace.waits()[0];
    assert_eq!(
        (wait.wait, wait.wake, wait.notify),
        (EventId(1), Some(EventId(8)), Some(EventId(4)))
    );
    // Positions and lines are those of the input; the wake-up stands for the re-acquire.
    let positions: Vec<_> = (0..10).map(|e| trace.source.position(EventId(e)).unwrap()).collect();
    assert_eq!(positions, [0, 2, 1, 3, 4, 5, 6, 7, 7, 8]);
}

#[test]
fn the_last_notify_by_another_thread_before_the_acquire_ends_a_wait() {
    let lines = "T1|acq(m)|1\nT2|notify(m)|1\nT1|rel(m)|2\nT1|wait(m)|2\nT2|notify(m)|3\n\
                 T3|notify(m)|4\nT1|acq(m)|6\nT2|notify(m)|7\n";
    let trace = load(lines).trace;
    let notify = trace.waits()[0].notify.unwrap();
    assert_eq!(trace.source.position(notify), Some(5));
}

#[test]
fn a_wait_without_notify_is_refused_or_listed() {
    let lines = b"T1|acq(m)|1\nT1|rel(m)|2\nT1|wait(m)|2\nT1|acq(m)|6\n";
    let Err(ReadError::IllFormed(violation)) = read(lines, Options::default()) else {
        panic!("the wait has no notify");
    };
    assert_eq!((violation.rule, violation.place.line), (Rule::Notified, Some(4)));
    let options = Options { mode: Mode::Normalise, ..Options::default() };
    let trace = read(lines, options).unwrap().trace;
    assert_eq!(trace.repairs().len(), 1);
    assert!(shown(&trace).contains("T1|wake.spurious(m)"));
}

#[test]
fn two_waits_ended_by_one_notify_make_it_a_notify_all() {
    let lines = b"T1|acq(m)|1\nT1|rel(m)|2\nT1|wait(m)|2\nT2|acq(m)|1\nT2|rel(m)|2\nT2|wait(m)|2\n\
                  T3|notify(m)|3\nT1|acq(m)|4\nT1|rel(m)|5\nT2|acq(m)|4\nT2|rel(m)|5\n";
    let Err(ReadError::IllFormed(violation)) = read(lines, Options::default()) else {
        panic!("the notify wakes two");
    };
    assert_eq!(violation.rule, Rule::NotifyWakesOne);
    let options = Options { mode: Mode::Normalise, ..Options::default() };
    let trace = read(lines, options).unwrap().trace;
    assert_eq!(trace.repairs().len(), 1);
    assert!(shown(&trace).contains("T3|notifyAll(m)"));
}

#[test]
fn what_is_no_event_is_refused_with_its_position() {
    check_refused(b"", "the trace is empty: it has no event");
    check_refused(b"# nothing\n\n", "the trace is empty: it has no event");
    check_refused(
        b"T1|w(x)|1\nhello\n",
        "line 2, column 1: expected `thread|operation(object)|location`",
    );
    check_refused(b"|w(x)|1\n", "line 1, column 1: the thread has no name");
    check_refused(b"T1|zap(x)|1\n", "line 1, column 4: unknown operation `zap`");
    check_refused(b"T1|w|1\n", "line 1, column 5: expected `(` and the object of the operation");
    check_refused(b"T1|w(x|1\n", "line 1, column 6: expected `)` at the end of the operation");
    check_refused(
        b"T1|w(x)\n",
        "line 1, column 8: expected `|` and a location after the operation",
    );
    check_refused(b"T1|w(\xff)|1\n", "line 1, column 6: the name is not valid UTF-8");
    check_refused(
        b"\x00\x01\x02|\xff",
        "line 1, column 6: expected `|` and a location after the operation",
    );
}

#[test]
fn a_line_without_end_is_refused_before_it_is_read() {
    let endless = vec![b'x'; 3 << 20];
    check_refused(&endless, "line 1, column 1048577: the line is longer than 1048576 bytes");
}

#[test]
fn more_threads_than_are_supported_are_refused_where_they_begin() {
    let lines: String = (0..70_000).map(|t| format!("T{t}|w(x)|1\n")).collect();
    check_refused(lines.as_bytes(), "line 65537, column 1: more than 65536 threads");
}

#[test]
fn a_trace_larger_than_memory_is_refused_before_it_is_read() {
    let lines = "T1|w(x)|1\n".repeat(1000);
    let options = Options { max_memory: Some(10_000), ..Options::default() };
    let error = read(lines.as_bytes(), options).unwrap_err();
    assert!(matches!(error, ReadError::TooLarge { limit: 10_000, .. }), "{error}");
}

#[test]
fn a_long_line_is_shown_only_at_its_beginning() {
    let line = format!("T1|zap({})|1\n", "x".repeat(1000));
    let Err(ReadError::Line(error)) = read(line.as_bytes(), Options::default()) else { panic!() };
    let LineError { excerpt, column, length, .. } = *error;
    assert_eq!((excerpt.len(), column, length), (160, 4, 3));
}

#[test]
fn an_error_far_to_the_right_is_shown_with_what_stands_around_it() {
    let line = format!("{}|zap(x)|1\n", "t".repeat(1000));
    let Err(ReadError::Line(error)) = read(line.as_bytes(), Options::default()) else { panic!() };
    let LineError { excerpt, column, excerpt_start, .. } = *error;
    assert_eq!(&excerpt[column - 1 - excerpt_start..], "zap(x)|1");
}

#[test]
fn a_fork_of_one_thread_too_many_is_refused_with_its_line() {
    let mut lines: String = (0..65_536).map(|t| format!("T{t}|w(x)|1\n")).collect();
    lines.push_str("T0|fork(late)|2\n");
    check_refused(lines.as_bytes(), "line 65537, column 1: more than 65536 threads");
}

#[test]
fn compressed_text_is_read_as_it_is() {
    let zstd = zstd::encode_all(WAIT.as_bytes(), 0).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, WAIT.as_bytes()).unwrap();
    for bytes in [zstd, gzip.finish().unwrap()] {
        assert_eq!(
            shown(&read(&bytes, Options::default()).unwrap().trace),
            shown(&load(WAIT).trace)
        );
    }
}

#[test]
fn written_text_reads_back_to_the_same_lines() {
    check_written(WAIT);
    check_written("T0|fork(T1)|1\nT1|start(0)|2\nT1|rmw(x)|3\nT1|exit(0)|4\nT0|join(T1)|5\n");
    check_written("T1|acq.sh(l)|\nT2|acq.sh(l)|\nT3|tryfail(l)|\nT1|rel.sh(l)|\nT2|rel.sh(l)|\n");
    check_written("T1|post(s)|1\nT2|take(s)|2\nT1|arrive(b)|3\nT2|arrive(b)|4\nT2|leave(b)|5\n");
    check_written(
        "T1|r.acq(x)|1\nT1|w.sc(x)|1\nT1|begin(t)|1\nT1|branch(0)|1\nT1|end(t)|1\nT1|alloc(p)|1\n",
    );
    check_written("T1|assert.holds(0)|1\nT1|assert.fails(0)|1\nT1|free(p)|1\n");
    check_written("T1|wait.pre(c)|1\nT2|notify(c)|2\nT1|wake(c)|3\n");
    check_written(
        "T1|acq(m)|1\nT1|wait.pre(c)|1\nT1|rel(m)|2\nT1|acq(m)|3\nT1|wake.timeout(c)|3\n",
    );
}

#[test]
fn a_wake_up_by_an_earlier_notify_says_so() {
    check_written(
        "T1|wait.pre(c)|1\nT2|wait.pre(c)|1\nT3|notify(c)|2\nT3|notify(c)|2\n\
         T1|wake.2(c)|3\nT2|wake(c)|3\n",
    );
}

#[test]
fn what_text_cannot_say_is_counted() {
    let mut events = sketch("T1 w x").unwrap();
    events.set_value(EventId(0), 42);
    events.tables.variables.intern(b"a|b").unwrap();
    let trace = Trace::new(events, Mode::Strict).unwrap();
    let loss = text::write(&trace, &mut Vec::new(), &mut ()).unwrap();
    assert_eq!((loss.values, loss.escaped_names), (1, 1));
}

#[test]
fn raw_events_are_not_checked() {
    let raw = read_raw(b"T1|rel(l)|1\n", Options::default()).unwrap();
    assert_eq!(raw.events.len(), 1);
}
