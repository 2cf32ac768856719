//! A browser under test: Chromium without a window, driven by its DevTools protocol over two pipes.
//!
//! Messages are JSON with a zero byte behind each. Only what the tests need is here. Nothing waits for a
//! time: a page is asked until it says what is expected, or until a very slow machine would have, too.

use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use raddle_needs::{Need, Started, browser, met, start};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Longer than any machine takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// A browser with one page.
pub struct Chromium {
    /// Ends with this.
    _child: Started,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    id: u64,
    session: String,
    /// What went wrong on the page, and what it wanted to load.
    pub failure: Vec<String>,
    profile: TempDir,
}

impl Chromium {
    /// Starts it; `scheme` is `light` or `dark`. Without a browser the test is skipped.
    pub fn start(scheme: &str) -> Option<Chromium> {
        let name = met(Need::Chromium).then(browser)??;
        let profile = TempDir::with_prefix("raddle-browser-").unwrap();
        // The browser talks over descriptors 3 and 4; a shell can put our pipes there.
        let mut command = Command::new("sh");
        command
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", name])
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"])
            .args(["--disable-dev-shm-usage", "--hide-scrollbars", "--force-device-scale-factor=1"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = start(&mut command);
        let (to, from) =
            (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let session = String::new();
        let mut browser =
            Chromium { _child: child, to, from, id: 0, session, failure: Vec::new(), profile };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.call("Target.attachToTarget", attach);
        browser.session = session["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page", "Runtime", "Network", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser.scheme(scheme);
        browser.size(1440, 1100);
        Some(browser)
    }

    /// What the system prefers.
    pub fn scheme(&mut self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// The size of the window.
    pub fn size(&mut self, width: u32, height: u32) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Opens a page from its text, at a place in it, and waits until it is drawn.
    pub fn open(&mut self, html: &str, hash: &str) {
        let path = self.profile.path().join("report.html");
        std::fs::write(&path, html).unwrap();
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        let url = format!("file://{}{hash}", path.display());
        self.call("Page.navigate", json!({ "url": url }));
        self.until("document.documentElement?.dataset.ready === 'yes'");
    }

    /// What an expression is on the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let ask = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", ask);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// The text of the first element that a selector names.
    pub fn text(&mut self, selector: &str) -> String {
        let selector = json!(selector);
        let found = self.value(&format!("document.querySelector({selector})?.textContent ?? null"));
        found.as_str().unwrap_or_else(|| panic!("there is no {selector}")).to_owned()
    }

    /// How many elements a selector names.
    pub fn count(&mut self, selector: &str) -> u64 {
        let selector = json!(selector);
        self.value(&format!("document.querySelectorAll({selector}).length")).as_u64().unwrap()
    }

    /// Asks until something is true.
    #[track_caller]
    pub fn until(&mut self, expression: &str) {
        let start = Instant::now();
        while self.value(expression) != json!(true) {
            assert!(start.elapsed() < PATIENCE, "it never came true: {expression}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Presses a key, like `j` or `Enter`.
    pub fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({ "type": kind, "key": key });
            if key.chars().count() == 1 && kind == "keyDown" {
                event["text"] = json!(key);
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Clicks on the middle of an element.
    pub fn click(&mut self, selector: &str) {
        let selector = json!(selector);
        let at = self.value(&format!(
            "(() => {{ const e = document.querySelector({selector}); e.scrollIntoView({{block: 'center'}}); \
             const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let event =
                json!({ "type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Allows the page to use the clipboard.
    pub fn allow_clipboard(&mut self) {
        let permissions =
            json!({ "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] });
        let session = std::mem::take(&mut self.session);
        self.call("Browser.grantPermissions", permissions);
        self.session = session;
    }

    /// A picture of the window, as PNG.
    pub fn picture(&mut self) -> Vec<u8> {
        let answer = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        decode(answer["data"].as_str().unwrap())
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        let mut message = json!({ "id": self.id, "method": method, "params": params });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let mut bytes = Vec::new();
            self.from.read_until(0, &mut bytes).unwrap();
            assert!(!bytes.is_empty(), "the browser has gone");
            let answer: Value = serde_json::from_slice(&bytes[..bytes.len() - 1]).unwrap();
            if answer["id"] == json!(self.id) {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.note(&answer);
        }
    }

    /// Keeps what a page must not do: fail, complain, load anything.
    fn note(&mut self, event: &Value) {
        let params = &event["params"];
        match event["method"].as_str().unwrap_or("") {
            "Runtime.exceptionThrown" => self.failure.push(params.to_string()),
            "Log.entryAdded" => self.failure.push(params["entry"]["text"].to_string()),
            "Page.javascriptDialogOpening" => self.failure.push(format!("dialog: {params}")),
            "Network.requestWillBeSent" => {
                let url = params["request"]["url"].as_str().unwrap_or("");
                if !url.starts_with("file://") && !url.starts_with("data:,") && url != "about:blank"
                {
                    self.failure.push(format!("it loads {url}"));
                }
            }
            _ => {}
        }
    }
}

/// Base 64.
fn decode(text: &str) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let (mut bytes, mut bits, mut n) = (Vec::new(), 0u32, 0);
    for byte in text.bytes().filter(|&byte| byte != b'=') {
        bits = bits << 6 | u32::from(digit(byte));
        n += 6;
        if n >= 8 {
            n -= 8;
            bytes.push((bits >> n) as u8);
        }
    }
    bytes
}
