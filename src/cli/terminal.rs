//! The person's own terminal: its size, what is typed as it is typed, and its settings, which are put back however the
//! program ends. What the other side does with it is not known here.

use std::io;
use std::io::IsTerminal;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Mutex, PoisonError};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::termios::{SetArg, Termios, cfmakeraw, tcgetattr, tcsetattr};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::machine::{TerminalKind, TerminalSize};

/// Size of a terminal that does not say it.
const USUAL: TerminalSize = TerminalSize { rows: 24, columns: 80 };
/// Kind of a terminal that does not say it: what nearly all can do.
const PLAIN: &str = "xterm";

/// The settings to put back. Not in [`Raw`], for the third signal leaves without dropping anything.
static SAVED: Mutex<Option<Termios>> = Mutex::new(None);

/// Whether standard input is a terminal.
#[must_use]
pub fn is_there() -> bool {
    io::stdin().is_terminal()
}

/// What a program on the terminal is told of it; `name` is `TERM`.
#[must_use]
pub fn kind(name: Option<String>) -> TerminalKind {
    TerminalKind { name: name.unwrap_or_else(|| PLAIN.to_owned()), size: size() }
}

/// Its size as it is now.
#[must_use]
pub fn size() -> TerminalSize {
    match terminal_size::terminal_size_of(io::stdin()) {
        Some((columns, rows)) => TerminalSize { rows: rows.0, columns: columns.0 },
        None => USUAL,
    }
}

/// Puts the settings back, if they were changed. Nothing can be done about a terminal that is gone.
pub fn restore() {
    if let Some(settings) = SAVED.lock().unwrap_or_else(PoisonError::into_inner).take() {
        let _ = tcsetattr(io::stdin(), SetArg::TCSANOW, &settings);
    }
}

/// Every key goes through as it is, Ctrl-C too, until this is dropped.
pub struct Raw(());

impl Raw {
    /// Changes the settings.
    ///
    /// # Errors
    /// When standard input is no terminal.
    pub fn enter() -> io::Result<Self> {
        let settings = tcgetattr(io::stdin())?;
        let mut raw = settings.clone();
        cfmakeraw(&mut raw);
        *SAVED.lock().unwrap_or_else(PoisonError::into_inner) = Some(settings);
        let entered = Self(());
        tcsetattr(io::stdin(), SetArg::TCSANOW, &raw)?;
        Ok(entered)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        restore();
    }
}

/// What is typed. Standard input stays as blocking as it was, since others have it open too; and no thread is left
/// waiting for a key when nobody wants one any more.
pub struct Keys(AsyncFd<OwnedFd>);

impl Keys {
    /// Of standard input.
    ///
    /// # Errors
    /// When the system does not tell when there is something to read.
    #[expect(
        deprecated,
        reason = "what replaces it is unsafe; an owned descriptor stays the one that is watched"
    )]
    pub fn open() -> io::Result<Self> {
        let input = io::stdin().as_fd().try_clone_to_owned()?;
        AsyncFd::with_interest(input, Interest::READABLE).map(Self)
    }

    /// The next keys; none when the terminal is gone.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut ready = self.0.readable().await?;
            let mut asked = [PollFd::new(self.0.get_ref().as_fd(), PollFlags::POLLIN)];
            if poll(&mut asked, PollTimeout::ZERO)? == 0 {
                ready.clear_ready();
                continue;
            }
            return match nix::unistd::read(self.0.get_ref(), buffer) {
                Err(Errno::EIO) => Ok(0),
                read => Ok(read?),
            };
        }
    }
}
