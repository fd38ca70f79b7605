//! What the fake machines are told: failures to inject and answers to give, in a small language for tests.
//!
//! Statements end with `;` or a new line (`\;` is a plain `;`, `\n` in an answer is a line break):
//!
//! | statement | meaning |
//! |---|---|
//! | `state PATH` | the machines live in this JSON file, across processes |
//! | `log PATH` | every command and call is appended there, one line each: `run NODE FIRST-LINE`, `create NODE`, … |
//! | `fail preflight`, `fail prepare` | the driver's own steps |
//! | `fail create NODE`, `fail connect NODE`, `fail destroy NODE`, `fail open NODE` | one node |
//! | `fail start NODE.SERVICE`, `fail stop NODE.SERVICE` | one service |
//! | `fail write TEXT` | files with TEXT in their path |
//! | `fail run TEXT` | commands with TEXT in their script end with status 1 |
//! | `lose TEXT` | the machine is lost while such a command runs |
//! | `hang create NODE`, `hang destroy NODE`, `hang prepare`, `hang run TEXT` | never ends, or only by its limit |
//! | `die NODE.SERVICE after N` | found dead, once, after N looks at its state |
//! | `answer TEXT => ANSWER` | such a command says this |

use std::path::PathBuf;

use crate::machine::error::MachineError;

/// The script, parsed. The default one injects nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FakeScript {
    /// Where the machines are kept between processes.
    pub state: Option<PathBuf>,
    /// Where calls are noted.
    pub log: Option<PathBuf>,
    failures: Vec<(Point, String)>,
    hangs: Vec<(Point, String)>,
    deaths: Vec<(String, u32)>,
    answers: Vec<(String, String)>,
}

/// Where something can be made to happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Point {
    /// The check before anything is made.
    Preflight,
    /// Images and network.
    Prepare,
    /// Making a node.
    Create,
    /// Connecting to a node.
    Connect,
    /// Removing a node.
    Destroy,
    /// Opening a stream.
    Open,
    /// Starting a service.
    Start,
    /// Stopping a service.
    Stop,
    /// Writing a file.
    Write,
    /// Running a command that then fails by itself.
    Run,
    /// Losing the machine during a command.
    Lose,
}

impl Point {
    fn named(word: &str) -> Option<Self> {
        Some(match word {
            "preflight" => Self::Preflight,
            "prepare" => Self::Prepare,
            "create" => Self::Create,
            "connect" => Self::Connect,
            "destroy" => Self::Destroy,
            "open" => Self::Open,
            "start" => Self::Start,
            "stop" => Self::Stop,
            "write" => Self::Write,
            "run" => Self::Run,
            _ => return None,
        })
    }

    /// Whether the statement's text is part of what is meant, rather than all of it.
    const fn matches_parts(self) -> bool {
        matches!(self, Self::Write | Self::Run | Self::Lose)
    }

    fn matches(self, wanted: &str, subject: &str) -> bool {
        match self {
            Self::Preflight | Self::Prepare => true,
            _ if self.matches_parts() => subject.contains(wanted),
            _ => subject == wanted,
        }
    }
}

impl FakeScript {
    /// Reads a script.
    ///
    /// # Errors
    /// [`MachineError::FakeScript`] with the first statement that is not understood.
    pub fn parse(text: &str) -> Result<Self, MachineError> {
        let mut script = Self::default();
        for statement in statements(text) {
            script
                .add(&statement)
                .ok_or_else(|| MachineError::FakeScript { statement: statement.clone() })?;
        }
        Ok(script)
    }

    fn add(&mut self, statement: &str) -> Option<()> {
        let (verb, rest) = statement.split_once(' ').unwrap_or((statement, ""));
        let rest = rest.trim();
        match verb {
            "state" if !rest.is_empty() => self.state = Some(PathBuf::from(rest)),
            "log" if !rest.is_empty() => self.log = Some(PathBuf::from(rest)),
            "fail" => self.failures.push(point_and_text(rest)?),
            "hang" => {
                let (point, text) = point_and_text(rest)?;
                let can_hang = matches!(point, Point::Create | Point::Destroy | Point::Prepare | Point::Run);
                can_hang.then(|| self.hangs.push((point, text)))?;
            }
            "lose" if !rest.is_empty() => self.failures.push((Point::Lose, rest.to_owned())),
            "die" => {
                let (service, after) = rest.split_once(" after ")?;
                let is_service =
                    service.split_once('.').is_some_and(|(node, name)| !node.is_empty() && !name.is_empty());
                is_service.then_some(())?;
                self.deaths.push((service.trim().to_owned(), after.trim().parse().ok()?));
            }
            "answer" => {
                let (text, answer) = rest.split_once("=>")?;
                let text = text.trim();
                (!text.is_empty()).then_some(())?;
                self.answers.push((text.to_owned(), answer.trim().replace("\\n", "\n").replace("\\t", "\t")));
            }
            _ => return None,
        }
        Some(())
    }

    /// The failure to inject here, as an error.
    ///
    /// # Errors
    /// [`MachineError::Injected`] naming the statement that asks for it.
    pub fn check(&self, point: Point, subject: &str) -> Result<(), MachineError> {
        if self.fails(point, subject) {
            let what = format!("{point:?} {subject}").to_lowercase();
            return Err(MachineError::Injected(what.trim().to_owned()));
        }
        Ok(())
    }

    /// Whether a failure is to be injected here.
    #[must_use]
    pub fn fails(&self, point: Point, subject: &str) -> bool {
        self.failures.iter().any(|(wanted, text)| *wanted == point && point.matches(text, subject))
    }

    /// Whether this never ends by itself.
    #[must_use]
    pub fn hangs(&self, point: Point, subject: &str) -> bool {
        self.hangs.iter().any(|(wanted, text)| *wanted == point && point.matches(text, subject))
    }

    /// After how many looks a service (`node.service`) is found dead.
    #[must_use]
    pub fn dies_after(&self, service: &str) -> Option<u32> {
        self.deaths.iter().find(|(dying, _)| dying == service).map(|(_, looks)| *looks)
    }

    /// What a command says: the first answer whose text is in the script, `8.2` for a script that sorts version
    /// numbers (so facts about versions have a value), else nothing.
    #[must_use]
    pub fn answer(&self, script: &str) -> String {
        match self.answers.iter().find(|(text, _)| script.contains(text)) {
            Some((_, answer)) => answer.clone(),
            None if script.contains("sort -V") => "8.2\n".to_owned(),
            None => String::new(),
        }
    }
}

fn point_and_text(rest: &str) -> Option<(Point, String)> {
    let (word, text) = rest.split_once(' ').unwrap_or((rest, ""));
    let point = Point::named(word)?;
    let alone = matches!(point, Point::Preflight | Point::Prepare);
    (alone == text.trim().is_empty()).then(|| (point, text.trim().to_owned()))
}

/// Cuts at `;` and line ends; comments and empty statements are left out.
fn statements(text: &str) -> Vec<String> {
    const KEPT: &str = "\u{1}";
    text.replace("\\;", KEPT)
        .split([';', '\n'])
        .map(|statement| statement.trim().replace(KEPT, ";"))
        .filter(|statement| !statement.is_empty() && !statement.starts_with('#'))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::proptest;

    use super::*;

    #[test]
    fn every_statement_of_the_language_is_understood() {
        let script = FakeScript::parse(
            "state /tmp/x.json; log /tmp/log\n# a comment\nfail create backend2; fail run nginx -t; fail prepare; \
             hang run sleep; lose curl; die web.nginx after 3; answer show stat => a\\;b\\nc; fail write .conf",
        )
        .unwrap();
        assert_eq!(script.state.as_deref(), Some(std::path::Path::new("/tmp/x.json")));
        assert!(script.fails(Point::Create, "backend2") && !script.fails(Point::Create, "backend"));
        assert!(script.fails(Point::Run, "cd /x && nginx -t -c y") && !script.fails(Point::Run, "nginx"));
        assert!(script.fails(Point::Lose, "curl x") && script.fails(Point::Write, "/a/b.conf"));
        assert!(script.hangs(Point::Run, "sleep 5") && !script.hangs(Point::Create, "sleep 5"));
        assert_eq!(script.dies_after("web.nginx"), Some(3));
        assert_eq!(script.answer("echo show stat | socat"), "a;b\nc");
        assert_eq!(script.answer("ls | sort -V | tail -n 1"), "8.2\n");
        assert_eq!(script.answer("true"), "");
        let error = script.check(Point::Prepare, "").unwrap_err();
        assert_eq!(error.to_string(), "injected failure: prepare");
    }

    #[test]
    fn a_statement_that_means_nothing_is_named() {
        for text in [
            "explode",
            "fail",
            "fail everything",
            "fail create",
            "fail prepare x",
            "die web after 3",
            "state",
            "die web.nginx after x",
            "answer => x",
            "hang write x",
            "lose",
        ] {
            let error = FakeScript::parse(&format!("fail preflight; {text}")).unwrap_err();
            assert!(error.to_string().contains(text), "{error}");
        }
        assert_eq!(FakeScript::parse(" ;\n; ").unwrap(), FakeScript::default());
    }

    proptest! {
        #[test]
        fn no_script_makes_the_reader_panic(text in ".*") {
            let _ = FakeScript::parse(&text);
        }
    }
}
