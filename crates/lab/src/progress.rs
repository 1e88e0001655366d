//! How far a measurement is: a bar with the time left on a terminal, plain lines elsewhere.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, stderr};
use std::time::Duration;

/// Progress on standard error, which is never data.
pub struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    /// For so many runs in all.
    ///
    /// # Panics
    /// Never: the bar's template is a constant.
    #[must_use]
    pub fn new(runs: u64) -> Self {
        let bar = stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(runs), ProgressDrawTarget::stderr());
            let style = "{bar:30} {percent:>3}%  {eta_precise} left  {wide_msg}";
            bar.set_style(ProgressStyle::with_template(style).expect("a constant template"));
            bar.enable_steady_tick(Duration::from_secs(1));
            bar
        });
        Progress { bar }
    }

    /// A case or a part of it begins.
    pub fn stage(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(text.to_owned()),
            None => crate::warn(text),
        }
    }

    /// One run is done.
    pub fn step(&self) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }

    /// Something the reader must not miss.
    pub fn warn(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(format!("lissom: {text}")),
            None => crate::warn(text),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
