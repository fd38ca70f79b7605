//! One connection of the closed loop: its socket, the request in flight, the answer being read. It does not count.

use std::io;
use std::io::Read;
use std::io::Write;
use std::net::SocketAddr;
use std::net::TcpStream;

use nix::errno::Errno;
use socket2::Domain;
use socket2::Protocol;
use socket2::SockAddr;
use socket2::Socket;
use socket2::Type;

use crate::loadgen::answer::AnswerReader;
use crate::loadgen::answer::Needle;
use crate::loadgen::answer::Progress;
use crate::loadgen::answer::Sink;
use crate::loadgen::answer::StreamSearch;

/// Reads from one socket before the others get their turn: a peer that sends faster than we read must not stop the clock.
const READS_AT_ONCE: usize = 4;

/// Where a slot is in its cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Rests after a failed connect; not in flight.
    Resting {
        /// Until when.
        until_ns: u64,
    },
    /// Waits for a connection that was begun then.
    Connecting {
        /// Since when.
        since_ns: u64,
    },
    /// Sends the request or reads its answer.
    Exchanging,
}

/// What reading gave.
#[derive(Debug)]
pub enum Received {
    /// Nothing more for now.
    Pending,
    /// There is more to read, but others have their turn first.
    Unread,
    /// A whole answer; the connection may be used again or not.
    Answered {
        /// It may.
        reusable: bool,
    },
    /// What came is no HTTP.
    NoHttp,
    /// The peer closed before the answer was whole.
    Closed,
    /// The connection broke.
    Failed(io::Error),
}

/// See the module.
#[derive(Debug)]
pub struct Slot {
    address: SockAddr,
    stream: Option<TcpStream>,
    /// Tells events of this connection from those of earlier ones in this slot.
    pub generation: u32,
    /// Where in the cycle.
    pub phase: Phase,
    /// When the request in flight began.
    pub started_ns: u64,
    /// Failed connects in a row.
    pub refusals: u32,
    /// The peer will send no more than what is already here.
    pub peer_closed: bool,
    /// Its token is in the list of those with more to read.
    pub listed: bool,
    /// Bytes of the answer so far, head included.
    pub received: u64,
    /// Whole answers that came on this connection.
    pub answers: u64,
    sent: usize,
    send_error: Option<io::Error>,
    reader: AnswerReader,
    search: StreamSearch,
}

struct BodySearch<'a> {
    search: &'a mut StreamSearch,
    needle: Option<&'a Needle>,
}

impl Sink for BodySearch<'_> {
    fn body(&mut self, bytes: &[u8]) {
        if let Some(needle) = self.needle {
            self.search.push(needle, bytes);
        }
    }
}

impl Slot {
    /// A slot without a connection.
    pub fn new(address: SocketAddr) -> Self {
        Self {
            address: SockAddr::from(address),
            stream: None,
            generation: 0,
            phase: Phase::Resting { until_ns: 0 },
            started_ns: 0,
            refusals: 0,
            peer_closed: false,
            listed: false,
            received: 0,
            answers: 0,
            sent: 0,
            send_error: None,
            reader: AnswerReader::default(),
            search: StreamSearch::default(),
        }
    }

    /// Forgets the last request and its answer.
    pub fn begin(&mut self, now_ns: u64) {
        self.started_ns = now_ns;
        self.sent = 0;
        self.received = 0;
        self.reader.reset();
        self.search.reset();
    }

    /// The connection, when there is one.
    pub fn stream(&self) -> Option<&TcpStream> {
        self.stream.as_ref()
    }

    /// Drops the connection.
    pub fn close(&mut self) {
        self.stream = None;
        self.generation = self.generation.wrapping_add(1);
        self.answers = 0;
        self.sent = 0;
        self.peer_closed = false;
        self.listed = false;
        self.send_error = None;
    }

    /// A socket that does not block and does not wait to fill segments.
    pub fn open_socket(&self) -> io::Result<Socket> {
        let domain = Domain::from(i32::from(self.address.family()));
        let socket = Socket::new(domain, Type::STREAM.nonblocking(), Some(Protocol::TCP))?;
        socket.set_tcp_nodelay(true)?;
        Ok(socket)
    }

    /// Begins to connect; the result comes as an event.
    pub fn connect(&mut self, socket: Socket, now_ns: u64) -> io::Result<()> {
        match socket.connect(&self.address) {
            Err(error) if error.raw_os_error() != Some(Errno::EINPROGRESS as i32) => return Err(error),
            _ => {}
        }
        self.stream = Some(socket.into());
        self.phase = Phase::Connecting { since_ns: now_ns };
        Ok(())
    }

    /// The error a failed connect left on the socket.
    pub fn connect_error(&self) -> Option<io::Error> {
        match self.stream.as_ref()?.take_error() {
            Ok(error) => error,
            Err(error) => Some(error),
        }
    }

    /// Sends what is left of the request. An error is kept until reading shows whether an answer came all the same.
    pub fn send(&mut self, request: &[u8]) {
        let Some(stream) = &self.stream else { return };
        while self.sent < request.len() && self.send_error.is_none() {
            match (&mut &*stream).write(&request[self.sent..]) {
                Ok(written) => self.sent += written,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.send_error = Some(error),
            }
        }
    }

    /// Sending failed: whatever has come must be read now, no event will tell of it.
    pub fn has_send_error(&self) -> bool {
        self.send_error.is_some()
    }

    /// A kept connection that broke before a byte of this answer came: HTTP's idle-close race, to be tried again.
    pub fn lost_the_race(&self) -> bool {
        self.answers > 0 && self.received == 0
    }

    /// Reads what is there.
    pub fn receive(&mut self, buffer: &mut [u8], request_length: usize, needle: Option<&Needle>) -> Received {
        let Some(stream) = &self.stream else { return Received::Pending };
        let last_call = self.peer_closed || self.send_error.is_some();
        for _ in 0..READS_AT_ONCE {
            let length = match (&mut &*stream).read(buffer) {
                Ok(0) => return self.closed(),
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return self.send_error.take().map_or(Received::Pending, Received::Failed);
                }
                Err(error) => return Received::Failed(error),
            };
            self.received += length as u64;
            let mut sink = BodySearch { search: &mut self.search, needle };
            match self.reader.push(&buffer[..length], &mut sink) {
                Progress::Done(taken) => {
                    let clean = taken == length && self.sent == request_length && !last_call;
                    return Received::Answered { reusable: clean && self.reader.is_reusable() };
                }
                Progress::Broken(_) => return Received::NoHttp,
                // A short read has emptied the socket: the next event will come by itself (epoll's edge).
                Progress::More if length < buffer.len() && !last_call => return Received::Pending,
                Progress::More => {}
            }
        }
        Received::Unread
    }

    fn closed(&mut self) -> Received {
        match self.send_error.take() {
            _ if self.reader.close() => Received::Answered { reusable: false },
            Some(error) => Received::Failed(error),
            None => Received::Closed,
        }
    }

    /// Status of the whole answer.
    pub fn status(&self) -> u16 {
        self.reader.status()
    }

    /// Body bytes so far.
    pub fn body_bytes(&self) -> u64 {
        self.reader.body_bytes()
    }

    /// The needle was in the body; without a needle there is nothing to miss.
    pub fn found(&self, needle: Option<&Needle>) -> bool {
        needle.is_none_or(|needle| self.search.found(needle))
    }
}
