//! SIGINT and SIGTERM as a flag that is looked at between runs.

use crate::error::{Error, Result};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// From now on a signal sets the flag and ends nothing.
///
/// # Errors
/// When the system refuses the handler.
pub fn listen() -> Result<()> {
    static ONCE: Once = Once::new();
    let mut outcome = Ok(());
    ONCE.call_once(|| {
        outcome = ctrlc::set_handler(|| ASKED.store(true, Ordering::Relaxed));
    });
    outcome.map_err(|error| Error::System {
        subject: "signals".into(),
        cause: std::io::Error::other(error.to_string()),
    })
}

/// Whether we were asked to stop.
#[must_use]
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
