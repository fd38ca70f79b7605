//! Single exchanges over tokio: one HTTP request, or bytes out and bytes in. Not for load.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::loadgen::answer::AnswerReader;
use crate::loadgen::answer::Progress;
use crate::loadgen::answer::Sink;
use crate::loadgen::contract::Answer;
use crate::loadgen::contract::FetchRequest;
use crate::loadgen::error::LoadError;
use crate::loadgen::request::Persistence;
use crate::loadgen::request::request_bytes;

/// Most bytes an exchange returns.
const EXCHANGE_BYTES_MAX: usize = 1024 * 1024;
/// Bytes read at once.
const BUFFER_BYTES: usize = 16 * 1024;

/// Keeps head and body, the body up to a limit.
struct Kept {
    head: String,
    body: Vec<u8>,
    body_bytes_max: usize,
    too_long: bool,
}

impl Sink for Kept {
    fn head_line(&mut self, line: &[u8]) {
        if !self.head.is_empty() {
            self.head.push_str("\r\n");
        }
        self.head.push_str(&String::from_utf8_lossy(line));
    }

    fn interim(&mut self) {
        self.head.clear();
    }

    fn body(&mut self, bytes: &[u8]) {
        self.too_long |= bytes.len() > self.body_bytes_max - self.body.len();
        if !self.too_long {
            self.body.extend_from_slice(bytes);
        }
    }
}

/// One GET on its own connection.
pub async fn fetch(request: &FetchRequest) -> Result<Answer, LoadError> {
    match timeout(request.at_most, fetch_unlimited(request)).await {
        Ok(result) => result,
        Err(_) => Err(no_answer(request.address, &request.path, io::ErrorKind::TimedOut.into())),
    }
}

async fn fetch_unlimited(request: &FetchRequest) -> Result<Answer, LoadError> {
    let lost = |source| no_answer(request.address, &request.path, source);
    let bad = |what: &str| LoadError::BadAnswer {
        address: request.address,
        path: request.path.clone(),
        what: what.to_owned(),
    };
    let bytes = request_bytes(&request.host, &request.path, &request.headers, Persistence::Close);
    let mut stream = TcpStream::connect(request.address).await.map_err(lost)?;
    // A server may answer and close before it has read everything: the answer decides.
    let sent = stream.write_all(&bytes).await;
    let mut reader = AnswerReader::default();
    let mut kept = Kept {
        head: String::new(),
        body: Vec::new(),
        body_bytes_max: request.body_bytes_max,
        too_long: false,
    };
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        let length = stream.read(&mut buffer).await.map_err(lost)?;
        if length == 0 {
            if reader.close() {
                break;
            }
            sent.map_err(lost)?;
            return Err(lost(io::ErrorKind::UnexpectedEof.into()));
        }
        let progress = reader.push(&buffer[..length], &mut kept);
        if kept.too_long {
            return Err(bad(&format!("a body over {} bytes", request.body_bytes_max)));
        }
        match progress {
            Progress::More => {}
            Progress::Done(_) => break,
            Progress::Broken(why) => return Err(bad(why)),
        }
    }
    Ok(Answer { status: reader.status(), head: kept.head, body: kept.body })
}

/// Sends bytes and reads until the peer closes, the time is over, or 1 MiB has come. What came before a reset counts.
pub async fn exchange(address: SocketAddr, send: &[u8], at_most: Duration) -> Result<Vec<u8>, LoadError> {
    let lost = |source| no_answer(address, "", source);
    let until = tokio::time::Instant::now() + at_most;
    let out_of_time = || lost(io::ErrorKind::TimedOut.into());
    let mut stream = tokio::time::timeout_at(until, TcpStream::connect(address))
        .await
        .map_err(|_| out_of_time())?
        .map_err(lost)?;
    // Who has nothing to say only wanted to know whether somebody listens, and many servers wait to be spoken to.
    if send.is_empty() {
        return Ok(Vec::new());
    }
    tokio::time::timeout_at(until, stream.write_all(send)).await.map_err(|_| out_of_time())?.map_err(lost)?;
    let mut received = Vec::new();
    let mut buffer = vec![0; BUFFER_BYTES];
    while received.len() < EXCHANGE_BYTES_MAX {
        match tokio::time::timeout_at(until, stream.read(&mut buffer)).await {
            Err(_) | Ok(Ok(0)) => break,
            Ok(Ok(length)) => received.extend_from_slice(&buffer[..length]),
            Ok(Err(error)) if received.is_empty() => return Err(lost(error)),
            Ok(Err(_)) => break,
        }
    }
    received.truncate(EXCHANGE_BYTES_MAX);
    Ok(received)
}

fn no_answer(address: SocketAddr, path: &str, source: io::Error) -> LoadError {
    LoadError::NoAnswer { address, path: path.to_owned(), source }
}
