//! The signals that ask the server to stop.

use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGINT and SIGTERM, from the moment this exists.
#[derive(Debug)]
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    /// Takes the two signals over from the system, which would end the program. Needs to run inside
    /// the event loop.
    ///
    /// # Errors
    /// If the system refuses the handler.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits for the next of them.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
