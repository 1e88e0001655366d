//! A browser, driven by WebDriver: JSON over HTTP to `chromedriver`, which starts the browser.

use crate::http::{Connection, PATIENCE};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::os::unix::fs::MetadataExt;
use std::process::{Child, Command, Stdio};

/// A browser with one window. Ends with the value.
pub(crate) struct Browser {
    driver: Child,
    address: SocketAddr,
    session: String,
    /// Its profile: fresh, and deleted with it.
    _profile: tempfile::TempDir,
}

impl Browser {
    /// `None` where there is no Chromium; under `CI` that fails.
    pub(crate) fn start() -> Option<Self> {
        let driver = Command::new("chromedriver")
            .args(["--port=0", "--log-level=SEVERE"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut driver) = driver else {
            lissom_testkit::absent("chromedriver (Debian: chromium-driver)");
            return None;
        };
        let lines = BufReader::new(driver.stdout.take().expect("piped above")).lines();
        let port = lines.map_while(Result::ok).find_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        let address = SocketAddr::from(([127, 0, 0, 1], port.expect("chromedriver says its port")));
        let profile = lissom_testkit::folder();
        let mut arguments: Vec<String> = [
            "--headless",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--force-device-scale-factor=1",
        ]
        .map(str::to_owned)
        .to_vec();
        arguments.push(format!("--user-data-dir={}", profile.path().display()));
        if std::fs::metadata("/proc/self").expect("procfs").uid() == 0 {
            arguments.push("--no-sandbox".to_owned()); // Chromium's refuses to run as root
        }
        let mut browser = Self { driver, address, session: String::new(), _profile: profile };
        let capabilities = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
            "timeouts": {"script": PATIENCE.as_millis(), "pageLoad": PATIENCE.as_millis()},
        }}});
        match browser.ask("POST", "/session", &capabilities) {
            Ok(value) => {
                value["sessionId"].as_str().expect("an id").clone_into(&mut browser.session);
            }
            Err(error) if error.contains("cannot find Chrome binary") => {
                lissom_testkit::absent("chromium");
                return None;
            }
            Err(error) => panic!("no session: {error}"),
        }
        Some(browser)
    }

    /// Loads an address and waits until it has loaded.
    pub(crate) fn open(&self, address: &str) {
        self.command("/url", &json!({"url": address}));
    }

    /// Runs the body of a function that may return a promise; gives what it comes to.
    pub(crate) fn run(&self, script: &str) -> Value {
        let script = format!(
            "const done = arguments[0]; (async () => {{ {script} }})().then(done, e => done('failed: ' + e));"
        );
        self.command("/execute/async", &json!({"script": script, "args": []}))
    }

    /// A command of the developer tools.
    pub(crate) fn devtools(&self, name: &str, parameters: &Value) -> Value {
        self.command("/goog/cdp/execute", &json!({"cmd": name, "params": parameters}))
    }

    /// What the console has shown as an error since the last call.
    pub(crate) fn console_errors(&self) -> Vec<Value> {
        let log = self.command("/se/log", &json!({"type": "browser"}));
        let entries = log.as_array().expect("a list").iter();
        entries.filter(|entry| entry["level"] == "SEVERE").cloned().collect()
    }

    /// Light or dark, and how many CSS pixels wide.
    pub(crate) fn emulate(&self, scheme: &str, width: u32) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.devtools("Emulation.setEmulatedMedia", &json!({"features": features}));
        let metrics =
            json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600});
        self.devtools("Emulation.setDeviceMetricsOverride", &metrics);
    }

    /// The whole page as a PNG file.
    pub(crate) fn screenshot(&self) -> Vec<u8> {
        let shot = self.devtools(
            "Page.captureScreenshot",
            &json!({"format": "png", "captureBeyondViewport": true}),
        );
        base64(shot["data"].as_str().expect("a picture"))
    }

    fn command(&self, path: &str, parameters: &Value) -> Value {
        let path = format!("/session/{}{path}", self.session);
        self.ask("POST", &path, parameters).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn ask(&self, method: &str, path: &str, parameters: &Value) -> Result<Value, String> {
        let body = parameters.to_string();
        let mut connection = Connection::open(self.address);
        let (address, length) = (self.address, body.len());
        connection.send(
            format!(
                "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
                 Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
            )
            .as_bytes(),
        );
        let answer = connection.answer(true).expect("chromedriver answers");
        let value: Value = serde_json::from_slice(&answer.body).expect("JSON");
        if answer.status == 200 { Ok(value["value"].clone()) } else { Err(value.to_string()) }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            // Closes the browser; its driver is ended in any case.
            drop(self.ask("DELETE", &format!("/session/{}", self.session), &json!({})));
        }
        drop(self.driver.kill());
        drop(self.driver.wait());
    }
}

fn base64(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let mut bits = 0_u32;
    let mut count = 0;
    for digit in text.bytes().take_while(|byte| *byte != b'=') {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            _ => 63,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).expect("eight bits"));
        }
    }
    bytes
}

#[test]
fn base64_as_in_the_rfc() {
    assert_eq!(base64("Zm9vYmFy"), b"foobar");
    assert_eq!(base64("Zm9vYg=="), b"foob");
}
