//! `status`: what a lab that is up consists of and how to reach it.

use clap::Args;
use serde_json::{Value, json};

use crate::cli::arguments::{Format, FormatOption, LabOptions};
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::cli::session::{Session, Voice};
use crate::lab::{self, LabStatus, Login};
use crate::model::secret::MASK;
use crate::model::unit::ByteSize;

/// Arguments of `status`.
#[derive(Debug, Args)]
pub struct StatusArguments {
    /// Show user names and passwords too
    #[arg(long)]
    pub logins: bool,
    #[command(flatten)]
    /// Which lab.
    pub lab: LabOptions,
    #[command(flatten)]
    /// Printing.
    pub output: FormatOption,
}

/// Are passwords shown?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passwords {
    /// As `***`.
    Masked,
    /// As they are: asked for with `--logins`.
    Shown,
}

impl Passwords {
    fn of(self, login: &Login) -> &str {
        match self {
            Self::Masked => MASK,
            Self::Shown => login.password.reveal(),
        }
    }
}

/// Runs it.
///
/// # Errors
/// When it is not clear which lab is meant, or the lab cannot be looked at.
pub async fn run(arguments: &StatusArguments, voice: Voice) -> Result<Exit, CliError> {
    let (session, lab) = Session::on_lab(&arguments.lab, voice).await?;
    let status = lab::status(&session.bench, &lab).await.map_err(CliError::Lab);
    session.finish().await;
    let passwords = if arguments.logins { Passwords::Shown } else { Passwords::Masked };
    match arguments.output.format {
        Format::Json => output::json(&as_json(&status?, passwords))?,
        Format::Text => output::data(&as_text(&status?, passwords))?,
    }
    Ok(Exit::Done)
}

/// The status for programs.
#[must_use]
pub fn as_json(status: &LabStatus, passwords: Passwords) -> Value {
    let logins = status.logins.iter().map(
        |login| json!({ "service": login.service, "user": login.user, "password": passwords.of(login) }),
    );
    let logins: Value = logins.collect();
    let mut value = json!(status);
    value["logins"] = logins;
    value
}

/// The status for people.
#[must_use]
pub fn as_text(status: &LabStatus, passwords: Passwords) -> String {
    let mut text = format!(
        "lab {} ({}), variant {}, up since {} for {}\n",
        status.lab, status.driver, status.variant, status.since, status.owner
    );
    section(&mut text, "URLs", status.urls.iter().cloned());
    section(&mut text, "host names, for /etc/hosts", status.hosts.iter().cloned());
    let nodes = status.nodes.iter().map(|node| {
        let cpus = node.cpus.map_or_else(String::new, |cpus| format!(", {cpus} CPU"));
        let memory = node.memory_bytes.map_or_else(String::new, |bytes| format!(", {}", ByteSize(bytes)));
        let public = node.public_address.as_ref().map_or_else(String::new, |ip| format!(" (public {ip})"));
        format!("{} {}{public} {}{cpus}{memory}, {}", node.name, node.address, node.state, node.image)
    });
    section(&mut text, "nodes", nodes);
    for node in &status.nodes {
        section(&mut text, &format!("listening on {}", node.name), node.listeners.iter().cloned());
    }
    for service in &status.services {
        let ports: Vec<String> = service.ports.iter().map(u16::to_string).collect();
        let ports = if ports.is_empty() { String::new() } else { format!(", port {}", ports.join(" and ")) };
        text.push_str(&format!("\n{} ({}): {}{ports}\n", service.service, service.software, service.state));
        let places = std::iter::once(("dir", &service.dir));
        let places = places.chain(service.sockets.iter().map(|path| ("socket", path)));
        for (what, path) in places.chain(service.logs.iter().map(|path| ("log", path))) {
            text.push_str(&format!("  {what} {path}\n"));
        }
    }
    let logins = status
        .logins
        .iter()
        .map(|login| format!("{}: user {} password {}", login.service, login.user, passwords.of(login)));
    section(&mut text, "logins", logins);
    if passwords == Passwords::Shown && status.logins.is_empty() {
        text.push_str("\nlogins: none, no service has a user and a password\n");
    }
    text
}

fn section(text: &mut String, title: &str, lines: impl Iterator<Item = String>) {
    for (index, line) in lines.enumerate() {
        if index == 0 {
            text.push_str(&format!("\n{title}:\n"));
        }
        text.push_str(&format!("  {line}\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::secret::Secret;

    #[test]
    fn passwords_are_masked_unless_asked_for() {
        let status = LabStatus {
            lab: "demo".to_owned(),
            logins: vec![Login {
                service: "frontend.haproxy".to_owned(),
                user: "cda".to_owned(),
                password: Secret::new("canary"),
            }],
            ..LabStatus::default()
        };
        assert!(!as_text(&status, Passwords::Masked).contains("canary"));
        assert!(!as_json(&status, Passwords::Masked).to_string().contains("canary"));
        assert!(as_text(&status, Passwords::Shown).contains("user cda password canary"));
        assert_eq!(as_json(&status, Passwords::Shown)["logins"][0]["password"], "canary");
    }

    #[test]
    fn logins_that_were_asked_for_and_are_none_are_said_to_be_none() {
        let status = LabStatus::default();
        assert!(as_text(&status, Passwords::Shown).contains("logins: none"));
        assert!(!as_text(&status, Passwords::Masked).contains("logins"));
    }
}
