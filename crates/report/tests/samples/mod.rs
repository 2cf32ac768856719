//! Reports to test with, made from lines of text.
#![allow(dead_code, reason = "each test binary uses some of them")]

use raddle_finding::*;
use serde_json::json;

/// A story of lines like `deposit write balance 7 bank.c:30`, where `-` is none; `!` in front decides.
pub fn story(lines: &str) -> Story {
    let mut story = Story::default();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(thread) = line.strip_prefix("preempt ") {
            let number = 1 + story.switches.len() as u32;
            let (before, thread) =
                (story.steps.len() as u32, index(&mut story.threads, thread.to_owned()));
            story.switches.push(Switch { before, thread, why: Leaving::Preempted { number } });
            continue;
        }
        let (is_decisive, line) = (line.starts_with('!'), line.trim_start_matches('!'));
        let words: Vec<_> = line.split(' ').collect();
        let known = |word: &str| (word != "-").then(|| word.to_owned());
        let action = *Action::ALL.iter().find(|action| action.name() == words[1]).unwrap();
        let kind = match action {
            Action::Lock | Action::Unlock | Action::Ask => ObjectKind::Lock,
            Action::Fork | Action::Join => ObjectKind::Thread,
            _ => ObjectKind::Variable,
        };
        if is_decisive {
            story.decisive.push(story.steps.len() as u32);
        }
        let thread = index(&mut story.threads, words[0].to_owned());
        let object = known(words[2]).map(|name| index(&mut story.objects, Object::new(kind, name)));
        let place = known(words[4]).map(|place| index(&mut story.places, Location::parse(&place)));
        let value = known(words[3]);
        story.steps.push(Step { object, place, value, ..Step::new(thread, action) });
    }
    assert!(story.is_sound());
    story
}

fn index<T: PartialEq>(list: &mut Vec<T>, item: T) -> u32 {
    let at = list.iter().position(|known| *known == item).unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    });
    at as u32
}

fn finding(property: Property, message: &str, story: Story) -> Finding {
    let sites = story.decisive.iter().map(|&at| {
        let step = &story.steps[at as usize];
        let place = step.place.map_or(Location::unknown(), |n| story.places[n as usize].clone());
        Site::new("takes part", place).by_thread(&story.threads[step.thread as usize])
    });
    let objects = story.objects.first().cloned().into_iter().collect();
    let mut finding = Finding::new(property, Verdict::Replayed, message, sites.collect(), objects);
    let schedule: Schedule = "rs1:9f3ac2:0r5,1,0r2".parse().unwrap();
    finding.witness = Some(schedule.clone().into());
    finding.replay = Some(format!("raddle replay bank.c {schedule}"));
    finding.schedule = Some(schedule);
    finding.preemptions = Some(1);
    finding.details.insert("minimal".into(), json!(true));
    finding.details.insert("switches".into(), json!(3));
    finding.story = Some(story);
    finding
}

const BANK: &str = "static int balance = 100;\n\nstatic void change(int amount)\n{\n    int seen = balance;\n    \
    balance = seen + amount;\n}\n\nint main(void)\n{\n    start(deposit);\n    start(withdraw);\n    \
    assert(balance == 120);\n}\n";

/// A lost update, a race and a deadlock, with everything that a search says.
pub fn bank() -> Report {
    let lost = story(
        "main fork deposit - bank.c:11\nmain fork withdraw - bank.c:12\ndeposit read balance 100 bank.c:5\n\
         preempt deposit\nwithdraw read balance 100 bank.c:5\nwithdraw write balance 70 bank.c:6\n\
         deposit write balance 150 bank.c:6\nmain join deposit - bank.c:13\n\
         main read balance 150 bank.c:13\n!main assert-fail - - bank.c:13",
    );
    let race = story(
        "main fork deposit - bank.c:11\nmain fork withdraw - bank.c:12\n!deposit write balance 150 bank.c:6\n\
         !withdraw read balance 150 bank.c:5",
    );
    let cycle = story(
        "up lock a - bank.c:3\npreempt up\ndown lock b - bank.c:5\n!up ask b - bank.c:4\n!down ask a - bank.c:6",
    );
    let mut report = Report::new(Input::named("bank.c"));
    report.seed = Some(1);
    report.findings = vec![
        finding(Property::Assertion, "assertion failed: balance == 120", lost),
        finding(Property::Deadlock, "2 threads are blocked forever", cycle),
        finding(Property::Race, "balance is written and read, and nothing orders that", race),
    ];
    let lines = BANK.lines().map(str::to_owned).collect();
    report.sources =
        vec![Source { file: "bank.c".into(), parts: vec![Excerpt { first: 1, lines }] }];
    report.stats.insert("exploration".into(), json!({
        "strategy": "portfolio", "unit": "preemptions", "ending": "done", "executions": 87, "restarts": 1,
        "spins": 0, "claim": "covered: every execution with at most 2 preemptions", "complete": true,
        "conditions": ["memory is sequentially consistent, and time is virtual"],
        "maxima": { "threads": 3, "steps": 14, "blocking_steps": 2, "preemptions": 6 },
    }));
    report.stats.insert("bounds".into(), json!([
        { "bound": null, "executions": 63, "states": 58, "complete": false, "theorem_1": null },
        { "bound": 0, "executions": 3, "states": 58, "complete": true, "theorem_1": "362880" },
        { "bound": 1, "executions": 11, "states": 58, "complete": true, "theorem_1": "65000000" },
    ]));
    report.stats.insert("growth".into(), json!([[1, 14], [9, 37], [20, 52], [40, 57], [87, 58]]));
    report.stats.insert("race".into(), json!({
        "candidates": 12, "lsa": 9, "mhb": 4, "asked": 4, "ucg": 3, "witnessed": 2, "unknown": 0,
    }));
    report.stats.insert(
        "ranges".into(),
        json!({
            "assertions": [{ "text": "assert at bank.c:13", "verdict": "refuted", "by": "replay" }],
        }),
    );
    report.timing.insert("total_s".into(), json!(0.25));
    report
}

/// A race that was predicted, one that was ruled out, and a specification.
pub fn predicted() -> Report {
    let race = story(
        "deposit lock m - bank.c:4\ndeposit read balance 100 bank.c:5\ndeposit unlock m - bank.c:7\n\
         withdraw lock m - bank.c:4\nwithdraw read balance 100 bank.c:5\nwithdraw unlock m - bank.c:7\n\
         !deposit write balance 150 bank.c:6\n!withdraw write balance 70 bank.c:6",
    );
    let mut race =
        finding(Property::Race, "write of balance by deposit and by withdraw race", race);
    race.verdict = Verdict::Witnessed;
    (race.schedule, race.replay, race.preemptions) = (None, None, None);
    let only_one = "only one thread at a time holds m";
    race.details = [("orders".to_owned(), json!([[2, 3, only_one]]))].into();
    let mut report = Report { findings: vec![race], ..bank() };
    report.stats = [
        ("race".to_owned(), json!({ "candidates": 12, "asked": 4, "witnessed": 1, "unknown": 0 })),
        ("ruled_out".to_owned(), json!([{
            "property": "race", "message": "deposit|w(log) at bank.c:5, withdraw|w(log) at bank.c:6 do not race",
            "why": "these orders leave no possible interleaving",
            "core": [
                { "before": "deposit|rel(m) at bank.c:7", "after": "withdraw|acq(m) at bank.c:4", "because": only_one },
                { "before": "withdraw|r(flag) at bank.c:5", "after": "deposit|w(flag) at bank.c:6",
                  "because": "reads of flag see the same writes" },
            ],
        }])),
        ("specification".to_owned(), json!({
            "verdict": "inferred", "focus": ["balance"], "traces": 5, "cost": 1, "optimal_for": "all events",
            "if_star": [{ "file": "bank.c", "from": 5, "to": 6 }], "replayed": 5,
            "irrelevant": [{ "file": "bank.c", "from": 11, "to": 12 }],
            "conflicts": [{ "variable": "balance", "before": { "thread": "deposit 1", "file": "bank.c", "line": 13 },
                            "after": { "thread": "withdraw 2", "file": "bank.c", "line": 13 } }],
            "functional": { "holds": true, "orders": 2, "text": "No assertion fails in any of 2 sequential executions" },
        })),
    ].into();
    report
}

/// Every name is hostile.
pub const HOSTILE: [&str; 6] = [
    "</script><script>window.pwned = 1</script>",
    "<img src=x onerror='window.pwned = 2'>",
    "\"><svg onload=window.pwned=3>",
    "' onmouseover='window.pwned = 4",
    "\u{202e}evil\u{0}\u{1b}[31m\u{2028}\u{fffd}",
    "]]><!--<x>&amp;&#60;",
];

/// A report in which everything that comes from outside is hostile.
pub fn hostile() -> Report {
    let long = format!("{}{}", HOSTILE[0], "x".repeat(5000));
    let name = |n: usize| HOSTILE[n % HOSTILE.len()].to_owned();
    let place = |n: usize| Location {
        line: Some(1),
        file: Some(name(n)),
        function: Some(name(n + 1)),
        ..Location::named(name(n))
    };
    let step = |n: usize| Step {
        thread: (n % 3) as u32,
        action: Action::ALL[n % Action::ALL.len()],
        object: Some((n % 6) as u32),
        place: Some((n % 6) as u32),
        value: Some(name(n)),
        found: Some(name(n + 1)),
    };
    let story = Story {
        title: Some(name(0)),
        why: vec![name(1), name(2)],
        threads: vec![name(0), name(1), long.clone()],
        objects: (0..6).map(|n| Object::new(ObjectKind::Lock, name(n))).collect(),
        places: (0..6).map(place).collect(),
        steps: (0..30).map(step).collect(),
        decisive: vec![3, 7],
        switches: vec![Switch { before: 2, thread: 1, why: Leaving::Waits { awaited: name(0) } }],
        ..Story::default()
    };
    let mut one = finding(Property::Race, &long, story);
    one.replay = Some(name(0));
    one.details.insert("status".into(), json!(name(1)));
    one.details.insert("orders".into(), json!([[0, 1, name(0)], [name(1), 2], [7, 99, 1]]));
    one.causes = vec![Cause { replay: Some(name(2)), ..Cause::from(&one) }];
    let mut report = Report::new(Input::named(name(0)));
    report.findings = vec![one];
    let source = |n: usize| Source {
        file: name(n),
        parts: vec![Excerpt {
            first: 1,
            lines: HOSTILE.iter().map(|line| (*line).to_owned()).collect(),
        }],
    };
    report.sources = (0..6).map(source).collect();
    report.skipped = vec![Skipped { property: Property::Atomicity, reason: name(0) }];
    report.repairs = vec![Repair { event: Some(1), line: Some(2), rule: name(0), action: name(1) }];
    report.stats.insert(name(0), json!({ "witnessed": 1, "candidates": 2 }));
    let core = json!([{ "before": name(0), "after": name(1), "because": name(2) }]);
    report
        .stats
        .insert("ruled_out".into(), json!([{ "message": name(0), "why": name(1), "core": core }]));
    let access = json!({ "thread": name(0), "file": name(1), "line": 2 });
    let conflict = json!({ "variable": name(2), "before": access, "after": access });
    report.stats.insert(
        "specification".into(),
        json!({
            "verdict": name(0), "focus": [name(1)], "optimal_for": name(2), "conflicts": [conflict],
            "if_star": [{ "file": name(0), "from": 1, "to": 2 }], "functional": { "text": name(1) },
        }),
    );
    report.stats.insert("exploration".into(), json!({
        "strategy": name(0), "unit": name(1), "executions": 3, "claim": name(0), "conditions": [name(1)],
    }));
    report
}

/// Two threads that take turns with a lock, so many steps, and a lock that is asked for in vain.
pub fn long(n_steps: usize) -> Report {
    let mut story = story("main fork a - bank.c:11\nmain fork b - bank.c:12");
    story.threads = vec!["main".into(), "a".into(), "b".into()];
    story.objects.push(Object::new(ObjectKind::Lock, "outer"));
    story.objects.push(Object::new(ObjectKind::Lock, "inner"));
    story.objects.push(Object::new(ObjectKind::Variable, "counter"));
    let (outer, inner, counter) = (2, 3, 4);
    let step = |thread, action, object, value: Option<String>| Step {
        object: Some(object),
        place: Some(0),
        value,
        ..Step::new(thread, action)
    };
    story.steps.push(step(1, Action::Lock, outer, None));
    let mut n = 0;
    while story.steps.len() + 3 < n_steps {
        n += 1;
        story.steps.push(match n % 4 {
            0 => step(2, Action::Lock, inner, None),
            1 => step(2, Action::Write, counter, Some(n.to_string())),
            2 => step(2, Action::Unlock, inner, None),
            _ => step(1, Action::Read, counter, Some(n.to_string())),
        });
    }
    story.steps.push(step(2, Action::Lock, inner, None));
    story.decisive = vec![story.steps.len() as u32, story.steps.len() as u32 + 1];
    story.steps.push(step(1, Action::Ask, inner, None));
    story.steps.push(step(2, Action::Ask, outer, None));
    assert!(story.is_sound());
    let mut report = bank();
    report.findings = vec![finding(Property::Deadlock, "2 threads are blocked forever", story)];
    report
}
