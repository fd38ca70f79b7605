//! A command for a node, its result, and the quoting every value goes through on its way into a shell.

use std::time::Duration;

use crate::model::secret::Secret;

/// A POSIX shell script to run on a node. Secrets travel in `stdin`, never in `script`.
#[derive(Debug, Clone)]
pub struct Command {
    /// The script, given to `sh -c`.
    pub script: String,
    /// Standard input; empty when none.
    pub stdin: Option<Secret>,
    /// User to run as; whoever the connection is when absent.
    pub user: Option<String>,
    /// Give up after this long.
    pub at_most: Duration,
}

impl Command {
    /// A script with the default limit of 60 s.
    pub fn new(script: impl Into<String>) -> Self {
        Self { script: script.into(), stdin: None, user: None, at_most: Duration::from_secs(60) }
    }

    /// With another limit.
    #[must_use]
    pub fn at_most(mut self, limit: Duration) -> Self {
        self.at_most = limit;
        self
    }

    /// As another user.
    #[must_use]
    pub fn as_user(mut self, user: Option<&str>) -> Self {
        self.user = user.map(str::to_owned);
        self
    }

    /// With standard input.
    #[must_use]
    pub fn with_stdin(mut self, stdin: Secret) -> Self {
        self.stdin = Some(stdin);
        self
    }
}

/// What a command gave.
#[derive(Debug, Clone, Default)]
pub struct Output {
    /// Exit status; 128 + signal when killed.
    pub status: i32,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
}

impl Output {
    /// Exit status 0.
    #[must_use]
    pub const fn succeeded(&self) -> bool {
        self.status == 0
    }

    /// Standard output as text, trimmed.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).trim().to_owned()
    }

    /// The last lines of what it said, standard error first choice.
    #[must_use]
    pub fn last_lines(&self, lines: usize) -> String {
        let said = if self.stderr.iter().all(u8::is_ascii_whitespace) { &self.stdout } else { &self.stderr };
        let text = String::from_utf8_lossy(said);
        let all: Vec<&str> = text.lines().collect();
        all[all.len().saturating_sub(lines)..].join("\n")
    }
}

/// A file to put on a node.
#[derive(Debug, Clone)]
pub struct FileToWrite {
    /// Absolute path; missing directories are made (mode 0755).
    pub path: String,
    /// Content.
    pub content: Secret,
    /// Permission bits.
    pub mode: u32,
    /// Owner's name; whoever the connection is when absent.
    pub owner: Option<String>,
}

/// Quotes one word for a POSIX shell. NUL bytes cannot be quoted and are dropped.
#[must_use]
pub fn quote(word: &str) -> String {
    let word = word.replace('\0', "");
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting_survives_a_shell() {
        for word in ["", "a b", "it's", "$(rm -rf /)", "`x`", "a\nb", "\\", "-n", "é"] {
            let output =
                std::process::Command::new("sh").arg("-c").arg(format!("printf %s {}", quote(word))).output();
            assert_eq!(String::from_utf8(output.unwrap().stdout).unwrap(), word);
        }
    }
}
