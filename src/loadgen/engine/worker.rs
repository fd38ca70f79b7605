//! One thread of the engine: the event loop over its share of the connections.

use std::io;
use std::time::Duration;

use nix::sys::epoll::Epoll;
use nix::sys::epoll::EpollCreateFlags;
use nix::sys::epoll::EpollEvent;
use nix::sys::epoll::EpollFlags;
use nix::sys::epoll::EpollTimeout;

use crate::loadgen::answer::Needle;
use crate::loadgen::engine::slot::Phase;
use crate::loadgen::engine::slot::Received;
use crate::loadgen::engine::slot::Slot;
use crate::loadgen::engine::tally::Ended;
use crate::loadgen::engine::tally::Tally;
use crate::loadgen::engine::usage;
use crate::loadgen::engine::verdict::Verdict;
use crate::loadgen::engine::verdict::class_of_break;
use crate::loadgen::engine::verdict::class_of_refusal;
use crate::loadgen::engine::window::Claim;
use crate::loadgen::engine::window::Window;
use crate::loadgen::engine::window::nanoseconds;
use crate::loadgen::error::LoadError;
use crate::model::load::Expect;
use crate::model::measurement::Outcome;

/// Bytes read at once; one buffer a thread.
const BUFFER_BYTES: usize = 64 * 1024;
/// Events taken at once.
const EVENTS: usize = 256;
/// Longest sleep: how late a stop may be noticed.
const SLEEP_NS_MAX: u64 = 100_000_000;
/// First rest after a failed connect; it doubles with each further failure in a row.
const REST_NS_MIN: u64 = 10_000_000;
/// Longest rest.
const REST_NS_MAX: u64 = 100_000_000;

/// What all threads of a measurement have in common. Not for printing: the request may hold secrets.
pub struct Common<'a> {
    /// Times and totals.
    pub window: &'a Window,
    /// The request's bytes.
    pub request: &'a [u8],
    /// What a good answer is.
    pub expect: &'a Expect,
    /// When a request is given up.
    pub timeout: Duration,
    /// Connections are used again.
    pub keep_alive: bool,
}

/// See the module.
pub struct Worker<'a> {
    common: &'a Common<'a>,
    timeout_ns: u64,
    needle: Option<Needle>,
    epoll: Epoll,
    slots: Vec<Slot>,
    buffer: Vec<u8>,
    unread: Vec<u64>,
    tally: Tally,
    /// Slots in flight, and since when that has been so.
    in_flight: u64,
    in_flight_since_ns: u64,
    /// No deadline or rest ends before this.
    look_again_ns: u64,
    /// Ended since progress was last told.
    ended: u64,
    ended_good: u64,
    /// A request ended after the window: nothing counts any more.
    over: bool,
    cpu_at_start_s: Option<(f64, f64)>,
}

impl<'a> Worker<'a> {
    /// A worker over these slots, none connected yet.
    pub fn new(common: &'a Common<'a>, slots: Vec<Slot>) -> Result<Self, LoadError> {
        let epoll =
            Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).map_err(failed("create an epoll instance"))?;
        Ok(Self {
            common,
            timeout_ns: nanoseconds(common.timeout),
            needle: common.expect.contains.as_deref().map(Needle::new),
            epoll,
            slots,
            buffer: vec![0; BUFFER_BYTES],
            unread: Vec::new(),
            tally: Tally::new(),
            in_flight: 0,
            in_flight_since_ns: 0,
            look_again_ns: u64::MAX,
            ended: 0,
            ended_good: 0,
            over: false,
            cpu_at_start_s: None,
        })
    }

    /// Loads until the window is over, or until it is stopped.
    pub fn run(mut self) -> Result<Tally, LoadError> {
        let window = self.common.window;
        for index in 0..self.slots.len() {
            self.leave_rest(index)?;
        }
        let mut events = vec![EpollEvent::empty(); EVENTS];
        loop {
            let now = window.now_ns();
            if now >= window.start_ns() && self.cpu_at_start_s.is_none() {
                self.cpu_at_start_s = Some((usage::thread_cpu_s()?, usage::process_cpu_s()?));
            }
            if self.over || now >= window.end_ns() || window.is_stopped() {
                return self.finish();
            }
            if now >= self.look_again_ns {
                self.look_at_clocks(now)?;
            }
            let count = match self.epoll.wait(&mut events, self.sleep(now)) {
                Ok(count) => count,
                Err(nix::errno::Errno::EINTR) => 0,
                Err(error) => return Err(failed("wait for events")(error)),
            };
            let waiting = std::mem::take(&mut self.unread);
            for event in &events[..count] {
                self.handle(event.data(), event.events())?;
            }
            for token in waiting {
                self.read_on(token)?;
            }
            window.add_progress(std::mem::take(&mut self.ended), std::mem::take(&mut self.ended_good));
        }
    }

    fn finish(mut self) -> Result<Tally, LoadError> {
        self.integrate(u64::MAX);
        let (thread, process) = self.cpu_at_start_s.unwrap_or_default();
        self.tally.thread_cpu_s = usage::thread_cpu_s()? - thread;
        self.tally.process_cpu_s = usage::process_cpu_s()? - process;
        self.tally.unfinished = self.in_flight;
        Ok(self.tally)
    }

    /// How long to sleep: to the next clock that matters, rounded up so that it has then passed.
    fn sleep(&self, now_ns: u64) -> EpollTimeout {
        if !self.unread.is_empty() {
            return EpollTimeout::ZERO;
        }
        let window = self.common.window;
        let start_ns = if self.cpu_at_start_s.is_none() { window.start_ns() } else { u64::MAX };
        let until_ns = self.look_again_ns.min(start_ns).min(window.end_ns());
        let sleep_ns = until_ns.saturating_sub(now_ns).min(SLEEP_NS_MAX);
        // At most 100: it fits.
        EpollTimeout::from(sleep_ns.div_ceil(1_000_000) as u8)
    }

    /// Adds the requests in flight since the last change to the integral, clipped to the window.
    fn integrate(&mut self, now_ns: u64) {
        let window = self.common.window;
        let from_ns = self.in_flight_since_ns.max(window.start_ns());
        let to_ns = now_ns.min(window.end_ns());
        self.tally.in_flight_ns += u128::from(self.in_flight) * u128::from(to_ns.saturating_sub(from_ns));
        self.in_flight_since_ns = now_ns;
    }

    /// Ends requests that took too long and rests that took long enough. All requests have the same timeout, so a
    /// scan is needed only when the oldest one seen by the last scan would have expired: it costs nothing a request.
    fn look_at_clocks(&mut self, now_ns: u64) -> Result<(), LoadError> {
        self.look_again_ns = u64::MAX;
        for index in 0..self.slots.len() {
            let slot = &self.slots[index];
            match slot.phase {
                Phase::Resting { until_ns } if until_ns <= now_ns => self.leave_rest(index)?,
                Phase::Resting { until_ns } => self.look_again_ns = self.look_again_ns.min(until_ns),
                Phase::Connecting { .. } | Phase::Exchanging => {
                    let deadline_ns = slot.started_ns.saturating_add(self.timeout_ns);
                    if deadline_ns <= now_ns {
                        self.fail(index, Outcome::TimedOut)?;
                    } else {
                        self.look_again_ns = self.look_again_ns.min(deadline_ns);
                    }
                }
            }
        }
        Ok(())
    }

    /// Goes on with a socket that had more to read than its turn allowed: no event will tell of it again.
    fn read_on(&mut self, token: u64) -> Result<(), LoadError> {
        let slot = &mut self.slots[index_of(token)];
        if token_of(index_of(token), slot.generation) == token {
            slot.listed = false;
        }
        self.handle(token, EpollFlags::EPOLLIN)
    }

    fn handle(&mut self, token: u64, flags: EpollFlags) -> Result<(), LoadError> {
        let index = index_of(token);
        let slot = &mut self.slots[index];
        if self.over || token_of(index, slot.generation) != token {
            return Ok(());
        }
        let gone = flags.intersects(EpollFlags::EPOLLRDHUP | EpollFlags::EPOLLHUP | EpollFlags::EPOLLERR);
        slot.peer_closed |= gone;
        if let Phase::Connecting { since_ns } = slot.phase {
            if flags.intersects(EpollFlags::EPOLLERR | EpollFlags::EPOLLHUP)
                && let Some(error) = slot.connect_error()
            {
                return self.refuse(index, error);
            }
            slot.phase = Phase::Exchanging;
            slot.refusals = 0;
            let now_ns = self.common.window.now_ns();
            let window = self.common.window;
            if now_ns >= window.start_ns() && now_ns < window.end_ns() {
                self.tally.record_connect(now_ns - since_ns);
            }
            slot.send(self.common.request);
        } else if flags.contains(EpollFlags::EPOLLOUT) {
            slot.send(self.common.request);
        }
        if gone || flags.contains(EpollFlags::EPOLLIN) || self.slots[index].has_send_error() {
            return self.receive(index, token);
        }
        Ok(())
    }

    fn receive(&mut self, index: usize, token: u64) -> Result<(), LoadError> {
        let slot = &mut self.slots[index];
        let request_length = self.common.request.len();
        match slot.receive(&mut self.buffer, request_length, self.needle.as_ref()) {
            Received::Pending => Ok(()),
            Received::Unread => {
                if !std::mem::replace(&mut slot.listed, true) {
                    self.unread.push(token);
                }
                Ok(())
            }
            Received::Answered { reusable } => {
                let found = slot.found(self.needle.as_ref());
                let verdict = Verdict::answered(slot.status(), slot.body_bytes(), found, self.common.expect);
                let reused = slot.answers > 0;
                slot.answers += 1;
                if !(reusable && self.common.keep_alive) {
                    slot.close();
                }
                self.end(index, verdict, reused)
            }
            Received::NoHttp => self.fail(index, Outcome::ClosedEarly),
            Received::Closed | Received::Failed(_) if slot.lost_the_race() => {
                slot.close();
                let started_ns = slot.started_ns;
                self.open(index, started_ns)
            }
            Received::Closed => self.fail(index, Outcome::ClosedEarly),
            Received::Failed(error) => self.fail(index, class_of_break(&error)),
        }
    }

    /// Ends a request without an answer; its connection is of no more use.
    fn fail(&mut self, index: usize, outcome: Outcome) -> Result<(), LoadError> {
        self.slots[index].close();
        self.end(index, Verdict::failed(outcome), false)
    }

    /// Counts the request that ended and begins the slot's next one.
    fn end(&mut self, index: usize, verdict: Verdict, reused: bool) -> Result<(), LoadError> {
        let now_ns = self.common.window.now_ns();
        if self.count(index, verdict, reused, now_ns) { self.start(index, now_ns) } else { Ok(()) }
    }

    /// Counts a request that ended now. False when no other may follow: that was the last one, or it came too late and
    /// is still in flight as far as the window goes.
    fn count(&mut self, index: usize, verdict: Verdict, reused: bool, now_ns: u64) -> bool {
        let window = self.common.window;
        if now_ns >= window.end_ns() {
            self.over = true;
            return false;
        }
        if now_ns >= window.start_ns() {
            let claim = window.claim(now_ns);
            self.over = claim != Claim::Counts;
            if claim == Claim::TooLate {
                return false;
            }
            let slot = &self.slots[index];
            self.tally.record(&Ended {
                verdict,
                after_ns: now_ns - window.start_ns(),
                latency_ns: now_ns - slot.started_ns,
                bytes: slot.received,
                body_bytes: slot.body_bytes(),
                reused,
            });
            if self.over {
                self.integrate(now_ns);
                self.in_flight -= 1;
            }
        }
        self.ended += 1;
        self.ended_good += u64::from(verdict.good);
        !self.over
    }

    /// Begins a request on the slot's connection, or on a new one.
    fn start(&mut self, index: usize, now_ns: u64) -> Result<(), LoadError> {
        let slot = &mut self.slots[index];
        slot.begin(now_ns);
        self.look_again_ns = self.look_again_ns.min(now_ns.saturating_add(self.timeout_ns));
        if slot.stream().is_some() {
            slot.send(self.common.request);
            if !slot.has_send_error() {
                return Ok(());
            }
            slot.close();
        }
        self.open(index, now_ns)
    }

    /// Opens a connection for the request that began then.
    fn open(&mut self, index: usize, started_ns: u64) -> Result<(), LoadError> {
        let now_ns = self.common.window.now_ns();
        let slot = &mut self.slots[index];
        slot.begin(started_ns);
        let socket = slot.open_socket().map_err(engine("open a socket"))?;
        if let Err(error) = slot.connect(socket, now_ns) {
            return self.refuse(index, error);
        }
        let interest =
            EpollFlags::EPOLLIN | EpollFlags::EPOLLOUT | EpollFlags::EPOLLRDHUP | EpollFlags::EPOLLET;
        let token = token_of(index, slot.generation);
        match slot.stream() {
            Some(stream) => {
                self.epoll.add(stream, EpollEvent::new(interest, token)).map_err(failed("watch a connection"))
            }
            None => Ok(()),
        }
    }

    /// Counts a connect attempt that failed and lets the slot rest.
    fn refuse(&mut self, index: usize, error: io::Error) -> Result<(), LoadError> {
        let Some(outcome) = class_of_refusal(&error) else {
            return Err(engine("open another connection")(error));
        };
        let now_ns = self.common.window.now_ns();
        self.slots[index].close();
        if self.count(index, Verdict::failed(outcome), false, now_ns) {
            self.integrate(now_ns);
            self.in_flight -= 1;
            let slot = &mut self.slots[index];
            let rest_ns = (REST_NS_MIN << slot.refusals.min(8)).min(REST_NS_MAX);
            slot.refusals += 1;
            slot.phase = Phase::Resting { until_ns: now_ns + rest_ns };
            self.look_again_ns = self.look_again_ns.min(now_ns + rest_ns);
        }
        Ok(())
    }

    /// Ends a slot's rest (or its wait for the load to begin) with its next request.
    fn leave_rest(&mut self, index: usize) -> Result<(), LoadError> {
        let now_ns = self.common.window.now_ns();
        self.integrate(now_ns);
        self.in_flight += 1;
        self.start(index, now_ns)
    }
}

/// An event's token: the slot's index in the low half, the connection's generation in the high half.
fn token_of(index: usize, generation: u32) -> u64 {
    u64::from(generation) << 32 | index as u64
}

fn index_of(token: u64) -> usize {
    (token & u64::from(u32::MAX)) as usize
}

fn engine(doing: &'static str) -> impl Fn(io::Error) -> LoadError {
    move |source| LoadError::Engine { doing, source }
}

fn failed(doing: &'static str) -> impl Fn(nix::errno::Errno) -> LoadError {
    move |error| LoadError::Engine { doing, source: io::Error::from(error) }
}
