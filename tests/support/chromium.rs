//! A real Chromium without a window, steered over its DevTools protocol.
//!
//! The protocol runs over two pipes (`--remote-debugging-pipe`): texts of JSON, each ended by a NUL. Chromium reads
//! from its file descriptor 3 and writes to 4; a shell puts its own input and output there.
#![allow(dead_code)] // Each group of tests needs a part of it.

use std::cell::{Cell, RefCell};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Longer than anything takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// A page that is open in a browser of its own.
pub struct Browser {
    child: Child,
    to: RefCell<ChildStdin>,
    from: Receiver<Value>,
    next: Cell<u64>,
    session: String,
    /// What the page's script threw, and what it logged as an error.
    complaints: RefCell<Vec<String>>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Opens a file. Fails where there is no Chromium: `scripts/test` installs it.
    pub fn open(file: &Path) -> Browser {
        let profile = tempfile::tempdir().expect("a folder");
        let program = std::env::var("CHROMIUM").unwrap_or_else(|_| "chromium".to_owned());
        let mut child = Command::new("sh")
            .args([
                "-c",
                "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1",
                "sh",
            ])
            .arg(program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
            ])
            .args([
                "--remote-debugging-pipe",
                "--window-size=1280,800",
                "--no-first-run",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let to = child.stdin.take().expect("piped");
        let out = child.stdout.take().expect("piped");
        let (sender, from) = channel();
        thread::spawn(move || {
            let messages = BufReader::new(out).split(0).map_while(Result::ok);
            for message in messages {
                let Ok(message) = serde_json::from_slice(&message) else {
                    break;
                };
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut browser = Browser {
            child,
            to: RefCell::new(to),
            from,
            next: Cell::new(1),
            session: String::new(),
            complaints: RefCell::default(),
            _profile: profile,
        };
        let made = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attached = browser.call(
            "Target.attachToTarget",
            json!({ "targetId": made["targetId"], "flatten": true }),
        );
        browser.session = attached["sessionId"]
            .as_str()
            .expect("a session")
            .to_owned();
        browser.call("Runtime.enable", json!({}));
        browser.call("Network.enable", json!({}));
        browser.show(file);
        browser
    }

    /// Opens another file in its place.
    pub fn show(&self, file: &Path) {
        let path = file.canonicalize().expect("a file");
        let url = format!("file://{}", path.display());
        self.call("Page.navigate", json!({ "url": url }));
        self.wait_for(&format!(
            "document.readyState === 'complete' && location.href === {url:?}"
        ));
    }

    /// Makes the window another size, and the scheme of colours `light` or `dark`.
    pub fn look(&self, width: u32, height: u32, scheme: &str) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        self.call(
            "Emulation.setEmulatedMedia",
            json!({ "features": [feature] }),
        );
        self.settle();
    }

    /// Waits until what follows the size of the window, or of a part of it, has followed it.
    pub fn settle(&self) {
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => true)");
    }

    /// A command of the protocol, and its result.
    fn call(&self, method: &str, parameters: Value) -> Value {
        self.try_call(method, parameters)
            .unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// A command of the protocol, and its result or why there is none.
    fn try_call(&self, method: &str, parameters: Value) -> Result<Value, Value> {
        let id = self.next.replace(self.next.get() + 1);
        let mut message = json!({ "id": id, "method": method, "params": parameters });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        let mut text = message.to_string().into_bytes();
        text.push(0);
        let sent = self.to.borrow_mut().write_all(&text);
        sent.unwrap_or_else(|error| {
            panic!("is chromium installed (scripts/test does it)? {error}")
        });
        loop {
            let answer = self.from.recv_timeout(PATIENCE).unwrap_or_else(|error| {
                panic!(
                    "no answer to {method}: is chromium installed (scripts/test does it)? {error}"
                )
            });
            if answer["id"] == id {
                return match &answer["error"] {
                    Value::Null => Ok(answer["result"].clone()),
                    error => Err(error.clone()),
                };
            }
            self.note(&answer);
        }
    }

    /// Keeps what the page complains of, or asks of the network.
    fn note(&self, event: &Value) {
        let parameters = &event["params"];
        let complains = match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => parameters["type"] == "error",
            Some("Network.requestWillBeSent") => {
                let url = parameters["request"]["url"].as_str().unwrap_or_default();
                !url.starts_with("file://") && !url.starts_with("about:")
            }
            _ => false,
        };
        if complains {
            self.complaints.borrow_mut().push(parameters.to_string());
        }
    }

    /// The value of an expression of the page's script.
    pub fn value(&self, expression: &str) -> Value {
        let result = self.call(
            "Runtime.evaluate",
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true }),
        );
        assert!(
            result["exceptionDetails"].is_null(),
            "{expression}: {result}"
        );
        result["result"]["value"].clone()
    }

    /// Waits until an expression is true. While the page is being loaded there is none.
    pub fn wait_for(&self, expression: &str) {
        let began = Instant::now();
        let parameters = json!({ "expression": expression, "returnByValue": true });
        let is_true = || {
            self.try_call("Runtime.evaluate", parameters.clone())
                .is_ok_and(|answer| answer["result"]["value"] == json!(true))
        };
        while !is_true() {
            assert!(began.elapsed() < PATIENCE, "never true: {expression}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// The text shown by the first element of a selector.
    pub fn text(&self, selector: &str) -> String {
        let text = self.value(&format!(
            "document.querySelector({selector:?})?.innerText ?? null"
        ));
        text.as_str()
            .unwrap_or_else(|| panic!("there is no {selector}"))
            .to_owned()
    }

    /// Whether the first element of a selector is shown.
    pub fn is_shown(&self, selector: &str) -> bool {
        let shown = format!(
            "document.querySelector({selector:?})?.checkVisibility({{opacityProperty: true}}) ?? false"
        );
        self.value(&shown) == json!(true)
    }

    /// Clicks with the mouse in the middle of the first element of a selector. It must be what is seen there.
    pub fn click(&self, selector: &str) {
        self.click_where(&format!("document.querySelector({selector:?})"));
    }

    /// Clicks in the middle of the element that an expression gives.
    pub fn click_where(&self, element: &str) {
        let place = self.value(&format!(
            "(() => {{
               const element = {element};
               if (!element) return null;
               element.scrollIntoView?.({{ block: 'nearest' }});
               const box = element.getBoundingClientRect();
               const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
               const top = document.elementFromPoint(x, y);
               return {{ x, y, seen: element === top || element.contains(top) || top.contains(element) }};
             }})()"
        ));
        assert!(!place.is_null(), "there is no {element}");
        assert_eq!(place["seen"], true, "{element} is covered");
        for kind in ["mousePressed", "mouseReleased"] {
            let at = json!({ "type": kind, "x": place["x"], "y": place["y"], "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", at);
        }
    }

    /// Presses a key, by the protocol's name for it; a single character is typed.
    pub fn press(&self, key: &str) {
        let typed = match key {
            "Enter" => "\r",
            _ if key.chars().count() == 1 => key,
            _ => "",
        };
        let code = match key {
            "Enter" => 13,
            "Escape" => 27,
            "Tab" => 9,
            "PageUp" => 33,
            "PageDown" => 34,
            "End" => 35,
            "Home" => 36,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            _ => 0,
        };
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({ "type": kind, "key": key, "windowsVirtualKeyCode": code });
            if kind == "keyDown" {
                event["text"] = json!(typed);
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Fails if the page's script failed, or asked for anything but its own file.
    pub fn nothing_went_wrong(&self) {
        self.value("0");
        assert!(
            self.complaints.borrow().is_empty(),
            "{:?}",
            self.complaints.borrow()
        );
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may be gone already; either way it is not to stay.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
