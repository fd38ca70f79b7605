//! A server for tests that behaves as badly as a test wants. One thread a connection; ends when dropped.

use std::io::Read as _;
use std::io::Write as _;
use std::net::SocketAddr;
use std::net::TcpListener;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

/// A listening server on a free port of 127.0.0.1.
pub struct Scripted {
    pub address: SocketAddr,
    ended: Arc<AtomicBool>,
    accepted: Arc<AtomicU64>,
}

impl Scripted {
    /// Runs `script` for every connection, with the connection's number from 0.
    pub fn new(script: impl Fn(&mut TcpStream, u64) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (ended, accepted) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (of_thread, counter, script) = (Arc::clone(&ended), Arc::clone(&accepted), Arc::new(script));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                if of_thread.load(Ordering::SeqCst) {
                    return;
                }
                // A client that never closes must not keep a thread for ever.
                stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
                let (number, script) = (counter.fetch_add(1, Ordering::SeqCst), Arc::clone(&script));
                thread::spawn(move || script(&mut stream, number));
            }
        });
        Self { address, ended, accepted }
    }

    /// Answers every request with these bytes; the connection stays.
    pub fn answering(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        Self::new(move |stream, _| while read_request(stream) && stream.write_all(&answer).is_ok() {})
    }

    /// Answers one request a connection with these bytes, then closes.
    pub fn answering_once(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        Self::new(move |stream, _| {
            if read_request(stream) {
                let _ = stream.write_all(&answer);
            }
        })
    }

    /// Connections so far.
    pub fn accepted(&self) -> u64 {
        self.accepted.load(Ordering::SeqCst)
    }

    /// Waits until so many connections were accepted: they may still stand in the kernel's queue.
    pub fn wait_for_accepted(&self, count: u64) {
        let begun = std::time::Instant::now();
        while self.accepted() < count && begun.elapsed() < Duration::from_secs(10) {
            thread::sleep(Duration::from_millis(2));
        }
        assert_eq!(self.accepted(), count);
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }
}

/// Reads one request's head; false when the client closed instead.
pub fn read_request(stream: &mut TcpStream) -> bool {
    let mut head = Vec::new();
    let mut buffer = [0; 4096];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return false,
            Ok(length) => head.extend_from_slice(&buffer[..length]),
        }
    }
    true
}

/// Waits until the client is gone, reading what it says.
pub fn wait_for_close(stream: &mut TcpStream) {
    let mut buffer = [0; 4096];
    while matches!(stream.read(&mut buffer), Ok(length) if length > 0) {}
}

/// Closes so that the client gets a reset.
pub fn reset(stream: &TcpStream) {
    socket2::SockRef::from(stream).set_linger(Some(Duration::ZERO)).unwrap();
}

/// A port on which nobody listens.
pub fn refusing_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// `HTTP/1.1 <status>` with this body and its length.
pub fn answer(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}
