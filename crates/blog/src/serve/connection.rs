//! One connection: hyper reads requests, the snapshot answers, hyper writes.
//!
//! Budget per request: the look-up allocates nothing (see `site`); handing the answer to hyper
//! copies its table of fields (two allocations) and counts a reference to its body. One `read` and
//! one `writev` on a kept-alive connection; head and body leave together.
//!
//! Limits: [`HEAD_TIME_MAX`] from the first byte waited for to the last of the head, which also
//! bounds how long a connection is kept alive idle; [`HEAD_BYTES_MAX`]; a body is not read.

use super::Phase;
use crate::request::RequestHead;
use crate::site::{Ready, Snapshot};
use bytes::Bytes;
use http::header::{CONNECTION, HOST, IF_NONE_MATCH, TRANSFER_ENCODING};
use http::{HeaderValue, Request, Response, Version};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::future::{self, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;

/// A request whose head takes longer is not waited for.
const HEAD_TIME_MAX: Duration = Duration::from_secs(8);
/// Longest head, path and fields together.
const HEAD_BYTES_MAX: usize = 16 << 10;
/// What a client may still send after the last answer, and for how long.
const LINGER_BYTES_MAX: usize = 1 << 20;
const LINGER_MAX: Duration = Duration::from_secs(2);
const LINGER_CLOSING_MAX: Duration = Duration::from_millis(200);

/// Answers the requests of one client until either side has had enough.
pub(super) async fn converse(
    stream: TcpStream,
    site: Arc<Snapshot>,
    mut phase: watch::Receiver<Phase>,
) {
    let answers = Answers { site, phase: phase.clone() };
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME_MAX)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), answers);
    let closing = async {
        // An error means that the server is gone, which is the last of the phases.
        let _ = phase.wait_for(|phase| *phase >= Phase::Closing).await;
    };
    let outcome = tokio::select! {
        biased;
        outcome = poll_fn(|context| connection.poll_without_shutdown(context)) => Some(outcome),
        () = closing => None,
    };
    let outcome = match outcome {
        Some(outcome) => outcome,
        None => {
            Pin::new(&mut connection).graceful_shutdown();
            poll_fn(|context| connection.poll_without_shutdown(context)).await
        }
    };
    // hyper has answered what can be answered; whatever it complains about, the client has heard it
    // or cannot.
    drop(outcome);
    let linger_max =
        if *phase.borrow() == Phase::Closing { LINGER_CLOSING_MAX } else { LINGER_MAX };
    let stream = connection.into_parts().io.into_inner();
    let _ = timeout(linger_max, linger(stream)).await;
}

/// Says that no more will come, and takes what the client still sends.
///
/// A socket that is closed with unread bytes in it sends a reset, which can overtake the answer:
/// the client of a refused upload would see an error instead of the refusal.
async fn linger(mut stream: TcpStream) {
    if stream.shutdown().await.is_err() {
        return;
    }
    let mut sink = [0; 1024];
    let mut taken = 0;
    while let Ok(read) = stream.read(&mut sink).await {
        taken += read;
        if read == 0 || taken > LINGER_BYTES_MAX {
            return;
        }
    }
}

/// The snapshot as hyper wants to see it.
struct Answers {
    site: Arc<Snapshot>,
    phase: watch::Receiver<Phase>,
}

impl Service<Request<Incoming>> for Answers {
    type Response = Response<Once>;
    type Error = Infallible;
    type Future = future::Ready<Result<Self::Response, Infallible>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let head = head_of(&request);
        let ready = self.site.answer(&head);
        let is_last = head.has_transfer_coding || *self.phase.borrow() >= Phase::Draining;
        future::ready(Ok(response(ready, is_last)))
    }
}

fn head_of(request: &Request<Incoming>) -> RequestHead<'_> {
    let fields = request.headers();
    let mut tags = fields.get_all(IF_NONE_MATCH).iter();
    RequestHead {
        method: request.method().as_str(),
        path: request.uri().path(),
        is_http_11: request.version() == Version::HTTP_11,
        host: (fields.get(HOST).map(HeaderValue::as_bytes), fields.get_all(HOST).iter().count()),
        has_transfer_coding: fields.contains_key(TRANSFER_ENCODING),
        if_none_match: match (tags.next(), tags.next()) {
            (Some(only), None) => Some(only.as_bytes()),
            _ => None,
        },
    }
}

fn response(ready: &Ready, is_last: bool) -> Response<Once> {
    let mut response = Response::new(Once(ready.body.clone()));
    *response.status_mut() = ready.status;
    *response.headers_mut() = ready.headers.clone();
    if is_last {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// A body that is there already: one frame, empty once it is taken.
struct Once(Bytes);

impl Body for Once {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let bytes = std::mem::take(&mut self.0);
        Poll::Ready((!bytes.is_empty()).then(|| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.len() as u64)
    }
}
