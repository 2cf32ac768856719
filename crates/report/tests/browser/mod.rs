//! The page in a real browser: open, step, fold, copy, dark mode, keys; and names that mean harm.
//!
//! A picture of each view is left in the target's directory for tests, or where `RADDLE_PICTURES` says.

mod chromium;

use std::fs;
use std::path::PathBuf;

use crate::samples;
use chromium::Chromium;
use raddle_finding::Report;
use raddle_report::html;
use serde_json::{Value, json};

fn picture(browser: &mut Chromium, name: &str) {
    let folder = std::env::var_os("RADDLE_PICTURES").map(PathBuf::from);
    let folder =
        folder.unwrap_or_else(|| PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pictures"));
    fs::create_dir_all(&folder).unwrap();
    let png = browser.picture();
    assert!(png.starts_with(b"\x89PNG"), "{name} is no picture");
    fs::write(folder.join(format!("{name}.png")), png).unwrap();
}

fn open(report: &Report, scheme: &str, hash: &str) -> Option<Chromium> {
    let mut browser = Chromium::start(scheme)?;
    browser.open(&html::render(report), hash);
    Some(browser)
}

#[track_caller]
fn is_quiet(browser: &mut Chromium) {
    // Whatever the page did before this question is done when it answers.
    browser.value("1");
    assert!(browser.failure.is_empty(), "{:?}", browser.failure);
}

#[test]
fn the_overview_says_what_was_proved_and_draws_it() {
    let Some(mut browser) = open(&samples::bank(), "light", "#overview") else { return };
    assert!(browser.text(".claim").contains("every execution with at most 2 preemptions"));
    assert!(browser.text("main").contains("sequentially consistent"));
    assert_eq!(browser.count("main svg"), 3, "bounds, growth and a funnel");
    assert_eq!(browser.count("main tbody a"), 3);
    picture(&mut browser, "overview-light");
    browser.click("main tbody a");
    browser.until("document.getElementById('main').dataset.view === '1'");
    is_quiet(&mut browser);
}

#[test]
fn a_specification_stands_in_the_lines_of_the_program() {
    for scheme in ["light", "dark"] {
        let Some(mut browser) = open(&samples::predicted(), scheme, "#overview") else { return };
        let starred = browser.text(".listing .star");
        assert_eq!(starred.trim(), "if (*) {");
        assert_eq!(browser.count(".listing .star"), 4, "two lines, and what is around them");
        assert_eq!(browser.count(".listing .clash"), 1);
        assert!(browser.text("#specification").contains("deposit 1"));
        browser.value("document.getElementById('specification').scrollIntoView()");
        picture(&mut browser, &format!("specification-{scheme}"));
        assert_eq!(browser.value(include_str!("contrast.js")), json!([]), "{scheme}");
        is_quiet(&mut browser);
    }
}

#[test]
fn what_is_ruled_out_has_its_core_and_what_must_come_first_is_drawn() {
    for scheme in ["light", "dark"] {
        let Some(mut browser) = open(&samples::predicted(), scheme, "#overview") else { return };
        browser.click("#ruled-out summary");
        browser.until("document.querySelector('#ruled-out details').open");
        assert_eq!(browser.count("#ruled-out li"), 2);
        assert!(browser.text("#ruled-out").contains("reads of flag see the same writes"));
        browser.value("document.getElementById('ruled-out').scrollIntoView()");
        picture(&mut browser, &format!("ruled-out-{scheme}"));
        assert_eq!(browser.value(include_str!("contrast.js")), json!([]), "{scheme}");
        browser.press("]");
        browser.until("document.getElementById('main').dataset.view === '1'");
        assert_eq!(browser.count(".graph path.needed[marker-end]"), 1);
        assert_eq!(browser.text(".graph path.needed title"), "only one thread at a time holds m");
        assert!(browser.text(".graph-legend").contains("must come first"));
        browser.value("document.querySelector('.graph').scrollIntoView()");
        picture(&mut browser, &format!("predicted-{scheme}"));
        is_quiet(&mut browser);
    }
}

#[test]
fn keys_step_through_the_interleaving_with_the_source_beside_it() {
    let Some(mut browser) = open(&samples::bank(), "light", "#finding-1") else { return };
    let now = "document.querySelector('.row.now').id";
    assert_eq!(browser.value(now), "step-8", "it begins at what decides");
    browser.press("Home");
    assert_eq!(browser.value(now), "step-0");
    for expected in ["step-1", "step-2", "step-3", "step-4"] {
        browser.press("j");
        assert_eq!(browser.value(now), expected);
    }
    assert_eq!(browser.text(".source .here i"), "6");
    assert!(browser.text("#values").contains("balance70"), "{}", browser.text("#values"));
    browser.press("k");
    assert_eq!(browser.text(".source .here i"), "5");
    browser.press("n");
    assert_eq!(browser.value(now), "step-8");
    assert!(browser.text(".row.switch.preempted").contains("preemption 1"));
    assert!(browser.text("#where").contains("step 9 of 9"));
    picture(&mut browser, "finding-light");
    browser.press("]");
    browser.until("document.getElementById('main').dataset.view === '2'");
    picture(&mut browser, "deadlock-light");
    assert_eq!(browser.count(".graph path.blocked[d]"), 2 + 2, "a cycle, and two tips or keys");
    browser.press("0");
    browser.until("document.getElementById('main').dataset.view === '0'");
    is_quiet(&mut browser);
}

/// The text of a step runs on over the lanes to its right, and the last lane has room for its own.
#[test]
fn no_step_is_cropped_in_a_narrow_window() {
    for width in [1100, 1300, 1700] {
        let Some(mut browser) = Chromium::start("light") else { return };
        browser.size(width, 900);
        browser.open(&html::render(&samples::bank()), "#finding-1");
        let cropped = browser.value(
            "(() => { const end = document.querySelector('.field').getBoundingClientRect().right; \
             return [...document.querySelectorAll('.cell.own span')] \
             .filter((one) => one.getBoundingClientRect().right > end).map((one) => one.textContent); })()",
        );
        assert_eq!(cropped, json!([]), "{width} pixels");
        is_quiet(&mut browser);
    }
}

#[test]
fn buttons_do_what_keys_do() {
    let Some(mut browser) = open(&samples::bank(), "light", "#finding-1") else { return };
    browser.press("Home");
    browser.click("#forth");
    assert_eq!(browser.value("document.querySelector('.row.now').id"), "step-1");
    browser.click("#step-3");
    assert_eq!(browser.value("document.querySelector('.row.now').id"), "step-3");
    browser.click("#help");
    browser.until("document.querySelector('dialog[open]') !== null");
    picture(&mut browser, "keys-light");
    browser.press("Escape");
    is_quiet(&mut browser);
}

#[test]
fn the_command_that_replays_can_be_copied() {
    let Some(mut browser) = Chromium::start("light") else { return };
    browser.allow_clipboard();
    browser.open(&html::render(&samples::bank()), "#finding-1");
    browser.press("c");
    browser.until("document.getElementById('said').textContent === 'copied'");
    let shown = browser.text("#replay");
    assert_eq!(shown, "raddle replay bank.c rs1:9f3ac2:0r5,1,0r2");
    // What is on the clipboard is what a paste gives.
    browser.value("(() => { const t = document.createElement('textarea'); t.id = 'paste'; document.body.append(t); t.focus(); })()");
    let read =
        browser.value("navigator.clipboard.readText().catch(() => getSelection().toString())");
    assert_eq!(read, Value::String(shown));
}

#[test]
fn dark_follows_the_system_and_the_key() {
    let Some(mut browser) = open(&samples::bank(), "dark", "#finding-2") else { return };
    let theme = "document.documentElement.dataset.theme";
    assert_eq!(browser.value(theme), "dark");
    picture(&mut browser, "deadlock-dark");
    browser.press("0");
    browser.until("document.getElementById('main').dataset.view === '0'");
    picture(&mut browser, "overview-dark");
    browser.press("t");
    assert_eq!(browser.value(theme), "light");
    is_quiet(&mut browser);
}

/// WCAG AA: 4.5 to 1 for text, looked up where it is drawn.
#[test]
fn all_text_meets_the_contrast_rules() {
    let contrast = include_str!("contrast.js");
    for scheme in ["light", "dark"] {
        let Some(mut browser) = open(&samples::bank(), scheme, "#overview") else { return };
        for view in 0..4 {
            browser.press(if view == 0 { "0" } else { "]" });
            browser.until(&format!("document.getElementById('main').dataset.view === '{view}'"));
            let faults = browser.value(contrast);
            assert_eq!(faults, json!([]), "{scheme}, view {view}");
        }
    }
}

#[test]
fn everything_can_be_reached_without_a_mouse() {
    let Some(mut browser) = open(&samples::bank(), "light", "#finding-1") else { return };
    let unnamed = browser.value(
        "[...document.querySelectorAll('button, a[href], [tabindex=\"0\"], [role=img]')]\
         .filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label'))).map((e) => e.outerHTML)",
    );
    assert_eq!(unnamed, json!([]));
    browser.value("document.getElementById('lanes').focus()");
    browser.press("Home");
    browser.press("ArrowDown");
    let active = "document.getElementById('lanes').getAttribute('aria-activedescendant')";
    assert_eq!(browser.value(active), "step-1");
    assert_eq!(browser.value("document.querySelector('[aria-selected=true]').id"), "step-1");
}

#[test]
fn hostile_names_are_inert() {
    for (view, hash) in
        [("overview", "#overview"), ("address", "#finding-<script>"), ("finding", "#finding-1")]
    {
        let Some(mut browser) = open(&samples::hostile(), "light", hash) else { return };
        for key in ["j", "j", "n", "f", "f", "Enter"] {
            browser.press(key);
        }
        assert_eq!(browser.value("window.pwned ?? null"), Value::Null);
        assert_eq!(browser.count("img, iframe, [onerror], [onload], [onmouseover]"), 0);
        assert_eq!(browser.count("script"), 2, "the data and the behaviour");
        assert!(browser.text("header").contains("</script>"), "names are shown as they are");
        is_quiet(&mut browser);
        picture(&mut browser, &format!("hostile-{view}"));
    }
}

#[test]
fn a_long_story_is_folded_around_what_decides() {
    let report = samples::long(100_000);
    let page = html::render(&report);
    assert!(page.len() < 20_000_000, "{} bytes", page.len());
    let Some(mut browser) = Chromium::start("light") else { return };
    browser.open(&page, "#finding-1");
    let ms = browser.value("performance.now()");
    println!("100,000 steps: {} bytes, opened after {ms} ms", page.len());
    assert!(browser.count(".row") < 200, "only what is in sight is drawn");
    assert!(browser.count(".row.fold") > 0);
    // The cycle and both scopes around it stay, however long the rest is.
    for step in ["2", "99997", "99998", "99999"] {
        browser.value("document.getElementById('lanes').scrollTop = 0");
        let row = format!("document.getElementById('step-{step}') !== null");
        browser.until(&row);
    }
    picture(&mut browser, "long-folded");
    browser.press("f");
    browser.press("Home");
    assert_eq!(browser.value("document.querySelector('.row.now').id"), "step-0");
    assert_eq!(browser.count(".row.fold"), 0);
    browser.press("End");
    browser.until("document.getElementById('step-99999') !== null");
    assert!(browser.count(".row") < 200);
    browser.press("f");
    browser.press("Home");
    browser.press("Enter");
    browser.until("document.querySelectorAll('.row.fold').length < 3 && document.getElementById('step-9') !== null");
    is_quiet(&mut browser);
}
