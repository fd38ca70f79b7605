//! A pretended terminal: says its kind, its size at every change and the scripted answer, and shows what is typed. It
//! ends at Ctrl-D with status 7 and at Ctrl-C with 42, as a program would that handles both.

use std::sync::Arc;
use std::sync::atomic::AtomicI32;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use tokio::io::AsyncReadExt;
use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::mpsc::unbounded_channel;

use crate::machine::contract::Terminal;
use crate::machine::contract::TerminalControl;
use crate::machine::contract::TerminalKind;
use crate::machine::contract::TerminalSize;
use crate::machine::error::MachineError;
use crate::machine::fake::FakeShared;

/// Keys that end it, with the status they give.
const ENDINGS: [(u8, i32); 2] = [(3, 42), (4, 7)];

/// Opens one.
#[must_use]
pub fn open(shared: &Arc<FakeShared>, answer: &str, kind: &TerminalKind) -> Terminal {
    let (input, mut typed) = tokio::io::duplex(4096);
    let (mut shown, output) = tokio::io::duplex(4096);
    let (sender, mut sizes) = unbounded_channel::<TerminalSize>();
    let status = Arc::new(AtomicI32::new(0));
    let ended = status.clone();
    let mut words = format!("{} {}{answer}", kind.name, in_words(kind.size));
    tokio::spawn(async move {
        let mut byte = [0];
        while shown.write_all(words.as_bytes()).await.is_ok() {
            tokio::select! {
                size = sizes.recv() => match size {
                    Some(size) => words = in_words(size),
                    None => break,
                },
                read = typed.read(&mut byte) => {
                    if read.unwrap_or(0) == 0 {
                        break;
                    }
                    if let Some((_, status)) = ENDINGS.iter().find(|(key, _)| *key == byte[0]) {
                        ended.store(*status, Ordering::SeqCst);
                        break;
                    }
                    words = char::from(byte[0]).to_string();
                }
            }
        }
    });
    let control = FakeTerminal { shared: shared.clone(), sizes: sender, status };
    Terminal { input: Box::new(input), output: Box::new(output), control: Box::new(control) }
}

fn in_words(size: TerminalSize) -> String {
    format!("{}x{}\r\n", size.rows, size.columns)
}

struct FakeTerminal {
    shared: Arc<FakeShared>,
    sizes: UnboundedSender<TerminalSize>,
    status: Arc<AtomicI32>,
}

#[async_trait]
impl TerminalControl for FakeTerminal {
    async fn resize(&self, size: TerminalSize) -> Result<(), MachineError> {
        // A terminal whose program has ended has no size.
        let _ = self.sizes.send(size);
        Ok(())
    }

    async fn status(&self) -> Result<i32, MachineError> {
        Ok(self.status.load(Ordering::SeqCst))
    }

    async fn end(&self) {
        self.shared.note("end terminal");
    }
}
