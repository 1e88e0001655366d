//! Sockets: accept, hand over to `connection`, stop without losing an answer.
//!
//! One thread per core, each with its own event loop, all accepting from one socket: a connection
//! goes to whoever is free, stays with that thread, and the queue of the kernel is one queue, so
//! that emptying it at the end empties it. (A socket per thread with `SO_REUSEPORT` was rejected
//! for now: it lets a second server take the same port without an error, and closing one loses
//! what waits in its queue.)
//!
//! Stopping has two steps. *Draining*: no more connections are accepted once the queue is empty,
//! and every answer says `Connection: close`; requests that were under way when the signal came
//! have `GRACE` to arrive. *Closing*: idle connections are closed, those with an answer under way
//! finish it, for at most `DRAIN_MAX`. A second signal ends the program at once, and says so.
//!
//! What this cannot save: a connection that arrives between the last look at the queue and the
//! close of the socket, some microseconds, is reset. Handing the socket over to a successor will.

mod connection;

use crate::error::{Error, Fault};
use crate::signals::Signals;
use crate::site::Snapshot;
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::num::NonZero;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tokio::net::TcpSocket;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::time::{sleep, timeout};

/// Connections that may wait to be accepted. The kernel cuts it to `net.core.somaxconn`.
const BACKLOG: u32 = 1024;
/// Connections at a time; fewer if the limit of descriptors asks for it.
const CONNECTIONS_MAX: usize = 16_384;
/// Descriptors that are no connections.
const DESCRIPTORS_OTHER: usize = 64;
/// A client that takes nothing of an answer for so long is gone.
const STALLED_MS_MAX: u32 = 30_000;
/// How long idle connections stay open after the signal, for requests already under way.
const GRACE: Duration = Duration::from_millis(50);
/// How long answers may take to finish after the signal.
const DRAIN_MAX: Duration = Duration::from_secs(10);
/// How long to wait when the system is out of descriptors or memory.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Where the server stands between start and end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Open,
    Draining,
    Closing,
}

/// A server that listens already, and does not answer yet.
#[derive(Debug)]
pub struct Server {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Takes the address.
    ///
    /// # Errors
    /// [`Error::Listen`] if the address is taken, forbidden or not of this machine.
    pub fn bind(address: SocketAddr) -> Result<Self, Error> {
        let runtime = runtime()?;
        let fail = |error| Error::Listen(Fault::io(address, &error));
        let listener = runtime.block_on(async { listen(address) }).map_err(fail)?;
        let address = listener.local_addr().map_err(fail)?;
        Ok(Self { runtime, listener, address })
    }

    /// The address, with the port that the system chose if it was asked to.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until a signal asks to stop. `ready` is called once signals are listened to and
    /// every thread is about to accept.
    ///
    /// # Errors
    /// [`Error::System`] if the system gives no thread, descriptor or signal handler, and what
    /// `ready` returns.
    pub fn run(
        self,
        site: Arc<Snapshot>,
        ready: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let slots = (connections_max() / threads).max(1);
        let (phase, watcher) = watch::channel(Phase::Open);
        let (done, mut all_done) = mpsc::channel::<Infallible>(1);
        for number in 1..threads {
            let worker = Worker { site: site.clone(), phase: watcher.clone(), slots };
            let listener = self.listener.try_clone().map_err(|error| system(&error))?;
            let runtime = runtime()?;
            let done = done.clone();
            let work = move || {
                runtime.block_on(worker.run(listener));
                drop(done);
            };
            let named = thread::Builder::new().name(format!("serve-{number}"));
            named.spawn(work).map_err(|error| system(&error))?;
        }
        drop(done);
        let worker = Worker { site, phase: watcher, slots };
        self.runtime.block_on(async {
            let signals = Signals::listen().map_err(|error| system(&error))?;
            ready()?;
            let work = async {
                worker.run(self.listener).await;
                // Ends when the last of the other threads has dropped its end.
                let _ = all_done.recv().await;
            };
            tokio::select! {
                () = work => Ok(()),
                () = stop(signals, &phase) => {
                    Err(Error::System(Fault::new("stop", "a second signal cut answers off")))
                }
            }
        })
    }
}

/// Waits for a signal and moves the phases on. Returns when a second signal comes.
async fn stop(mut signals: Signals, phase: &watch::Sender<Phase>) {
    signals.next().await;
    phase.send_replace(Phase::Draining);
    if timeout(GRACE, signals.next()).await.is_ok() {
        return;
    }
    phase.send_replace(Phase::Closing);
    signals.next().await;
}

/// One thread's part of the work.
struct Worker {
    site: Arc<Snapshot>,
    phase: watch::Receiver<Phase>,
    slots: usize,
}

impl Worker {
    async fn run(mut self, listener: TcpListener) {
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
            return; // the event loop refuses the socket: the other threads have it too
        };
        // Taken by each connection while it lives.
        let slots = Arc::new(Semaphore::new(self.slots));
        while let Some(permit) = self.or_draining(slots.clone().acquire_owned()).await {
            let Ok(permit) = permit else { break };
            let Some(accepted) = self.or_draining(listener.accept()).await else {
                break;
            };
            match accepted {
                Ok((stream, _)) => self.spawn(stream, permit),
                Err(error) if is_shortage(&error) => sleep(ACCEPT_PAUSE).await,
                Err(_) => {} // the client left before it was its turn
            }
        }
        // Who connected before the signal is in the queue and gets an answer.
        while let Ok(permit) = slots.clone().try_acquire_owned() {
            match now_or_never(listener.accept()).await {
                Some(Ok((stream, _))) => self.spawn(stream, permit),
                Some(Err(error)) if !is_shortage(&error) => {}
                _ => break,
            }
        }
        drop(listener);
        // All slots free: all connections are done.
        let all = u32::try_from(self.slots).unwrap_or(u32::MAX);
        let _ = timeout(DRAIN_MAX, slots.acquire_many(all)).await;
    }

    fn spawn(&self, stream: tokio::net::TcpStream, permit: tokio::sync::OwnedSemaphorePermit) {
        let site = self.site.clone();
        let phase = self.phase.clone();
        tokio::spawn(async move {
            connection::converse(stream, site, phase).await;
            drop(permit);
        });
    }

    /// The outcome of `work`, or `None` once the server drains.
    async fn or_draining<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            _ = self.phase.wait_for(|phase| *phase >= Phase::Draining) => None,
            outcome = work => Some(outcome),
        }
    }
}

/// The outcome of `work` if it is there already.
///
/// The first poll may find the event loop's idea of the socket out of date; one turn of the loop
/// brings it up to date.
async fn now_or_never<T>(work: impl Future<Output = T>) -> Option<T> {
    timeout(Duration::from_millis(1), work).await.ok()
}

fn runtime() -> Result<Runtime, Error> {
    Builder::new_current_thread().enable_io().enable_time().build().map_err(|error| system(&error))
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // A restart may take the address over from connections that are still saying goodbye; it does
    // not let two servers listen on it.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    let listener = socket.listen(BACKLOG)?;
    // Both are inherited by every accepted socket: set once instead of once per connection.
    rustix::net::sockopt::set_tcp_nodelay(&listener, true)?;
    rustix::net::sockopt::set_tcp_user_timeout(&listener, STALLED_MS_MAX)?;
    listener.into_std()
}

/// Raises the limit of descriptors as far as it goes, and says how many connections fit.
fn connections_max() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let current = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    };
    let descriptors = current.map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX));
    descriptors.saturating_sub(DESCRIPTORS_OTHER).min(CONNECTIONS_MAX)
}

/// Errors of `accept` that come back at once if it is tried again at once.
fn is_shortage(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let shortages = [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM];
    shortages.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

fn system(error: &io::Error) -> Error {
    Error::System(Fault::io("the system", error))
}
