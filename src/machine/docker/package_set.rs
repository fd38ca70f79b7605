//! An image with packages installed on a base: a container made for it, `apt-get` inside, committed with labels. The
//! container is gone afterwards, whatever happened.

use std::collections::HashMap;
use std::io;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use bollard::body_full;
use bollard::models::ContainerConfig;
use bollard::models::ContainerCreateBody;
use bollard::models::HostConfig;
use bollard::query_parameters::CommitContainerOptionsBuilder;
use bollard::query_parameters::RemoveContainerOptionsBuilder;
use bollard::query_parameters::StartContainerOptions;
use bollard::query_parameters::UploadToContainerOptionsBuilder;
use tokio::sync::mpsc::UnboundedSender;

use crate::machine::command::Command;
use crate::machine::command::quote;
use crate::machine::docker::archive;
use crate::machine::docker::engine::Engine;
use crate::machine::docker::engine::LONG;
use crate::machine::docker::engine::SHORT;
use crate::machine::docker::exec;
use crate::machine::docker::host_sources::HostSources;
use crate::machine::docker::host_sources::host_sources;
use crate::machine::docker::image_name;
use crate::machine::docker::images::Base;
use crate::machine::error::MachineError;
use crate::model::event::Event;

/// An installation may take this long; the container ends itself a little later, so that even a killed benchtop
/// leaves nothing.
const INSTALLATION: Duration = Duration::from_secs(1500);
const SETTINGS: &str = "/etc/apt/apt.conf.d/99benchtop";
const POLICY: &str = "/usr/sbin/policy-rc.d";

/// Makes the image.
///
/// # Errors
/// [`MachineError::Image`] with the last lines of `apt-get`; [`MachineError::Engine`].
pub async fn build(
    engine: &Engine,
    base: &Base,
    image: &str,
    packages: &[String],
    events: &UnboundedSender<Event>,
) -> Result<(), MachineError> {
    let body = ContainerCreateBody {
        image: Some(base.image.clone()),
        cmd: Some(vec!["sleep".to_owned(), (INSTALLATION.as_secs() + 60).to_string()]),
        entrypoint: Some(Vec::new()),
        user: Some("0".to_owned()),
        labels: Some(HashMap::from([("benchtop.build".to_owned(), image.to_owned())])),
        host_config: Some(HostConfig { init: Some(true), auto_remove: Some(true), ..HostConfig::default() }),
        ..ContainerCreateBody::default()
    };
    let doing = format!("create a container to make {image}");
    let created = engine.docker.create_container(None, body);
    let container = engine.call(&doing, SHORT, created).await?.id;
    let guard = RemoveOnDrop { engine: engine.clone(), container: Some(container.clone()) };
    let started = engine.docker.start_container(&container, None::<StartContainerOptions>);
    let made = async {
        engine.call(&doing, SHORT, started).await?;
        install(engine, base, &container, image, packages, events).await?;
        commit(engine, base, &container, image, packages).await
    }
    .await;
    guard.remove().await;
    made
}

/// Removes the container, also when the building is cancelled.
struct RemoveOnDrop {
    engine: Engine,
    container: Option<String>,
}

impl RemoveOnDrop {
    async fn remove(mut self) {
        if let Some(container) = self.container.take() {
            remove(&self.engine, &container).await;
        }
    }
}

impl Drop for RemoveOnDrop {
    fn drop(&mut self) {
        if let (Some(container), Ok(runtime)) = (self.container.take(), tokio::runtime::Handle::try_current())
        {
            let engine = self.engine.clone();
            runtime.spawn(async move { remove(&engine, &container).await });
        }
    }
}

/// Best effort: it removes itself too, only later.
async fn remove(engine: &Engine, container: &str) {
    let options = RemoveContainerOptionsBuilder::new().force(true).v(true).build();
    let removal = engine.docker.remove_container(container, Some(options));
    let _ = engine.call("remove a container", SHORT, removal).await;
}

async fn install(
    engine: &Engine,
    base: &Base,
    container: &str,
    image: &str,
    packages: &[String],
    events: &UnboundedSender<Event>,
) -> Result<(), MachineError> {
    let suite = base.image.strip_prefix("benchtop/base:").and_then(|tag| tag.split('-').next());
    let sources = match suite {
        Some(suite) => host_sources(suite).await,
        // Somebody else's image knows best where its packages come from.
        None => HostSources { settings: host_sources("").await.settings, ..HostSources::default() },
    };
    let broken = |step: String, source| MachineError::Image { image: image.to_owned(), step, source };
    let packed = pack(&sources)
        .map_err(|error| broken("its package sources cannot be packed".to_owned(), Some(error.into())))?;
    let options = UploadToContainerOptionsBuilder::new().path("/").build();
    let upload = engine.docker.upload_to_container(container, Some(options), body_full(packed.into()));
    engine.call(&format!("send package sources to {image}"), LONG, upload).await?;
    let short: String = packages.join(" ").chars().take(40).collect();
    let said = Mutex::new(Progress::default());
    let watch = |piece: &[u8]| {
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        for doing in said.take(piece) {
            let _ = events.send(Event::ImageStep { image: short.clone(), doing });
        }
    };
    let command = Command::new(script(packages)).at_most(INSTALLATION);
    let output = exec::run_watched(engine, container, image, &command, watch).await?;
    if output.succeeded() {
        return Ok(());
    }
    let words = format!("{}\n{}", said_at_the_end(&output.stdout), output.last_lines(12));
    Err(broken(
        format!("installing {} ended with status {}\n{}", packages.join(" "), output.status, words),
        None,
    ))
}

async fn commit(
    engine: &Engine,
    base: &Base,
    container: &str,
    image: &str,
    packages: &[String],
) -> Result<(), MachineError> {
    let labels = [
        (image_name::KIND, "set"),
        (image_name::FORMAT_LABEL, image_name::FORMAT),
        (image_name::HASH, image),
        (image_name::BASE, &base.key),
        (image_name::PACKAGES, &packages.join(" ")),
    ];
    let config = ContainerConfig {
        labels: Some(labels.map(|(name, value)| (name.to_owned(), value.to_owned())).into()),
        cmd: Some(vec!["sh".to_owned()]),
        ..ContainerConfig::default()
    };
    let (repository, tag) = image_name::repository_and_tag(image);
    let options = CommitContainerOptionsBuilder::new().container(container).repo(repository).tag(tag).build();
    engine
        .call(&format!("commit {image}"), LONG, engine.docker.commit_container(options, config))
        .await
        .map(drop)
}

/// What the container needs from the host: where packages come from, and no service started by its installation.
fn pack(sources: &HostSources) -> io::Result<Vec<u8>> {
    let settings =
        format!("{}APT::Install-Recommends \"0\";\nAcquire::Languages \"none\";\n", sources.settings);
    let mut builder = tar::Builder::new(Vec::new());
    archive::append(&mut builder, POLICY, b"#!/bin/sh\nexit 101\n", 0o755, archive::ROOT)?;
    archive::append(&mut builder, SETTINGS, settings.as_bytes(), 0o644, archive::ROOT)?;
    if !sources.entries.is_empty() {
        let entries = sources.entries.join("\n") + "\n";
        archive::append(&mut builder, "/etc/apt/sources.list", entries.as_bytes(), 0o644, archive::ROOT)?;
    }
    for (path, key) in &sources.keys {
        archive::append(&mut builder, path, key, 0o644, archive::ROOT)?;
    }
    builder.into_inner()
}

fn script(packages: &[String]) -> String {
    let names: Vec<String> = packages.iter().map(|name| quote(name)).collect();
    format!(
        "export DEBIAN_FRONTEND=noninteractive LC_ALL=C
apt-get -q -y update && apt-get -q -y -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-unsafe-io install -- {} || exit
apt-get clean
rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/log/apt /var/log/dpkg.log {SETTINGS} {POLICY}
",
        names.join(" ")
    )
}

/// The last lines of what `apt-get` said of its work, which often names the package that its error does not.
fn said_at_the_end(stdout: &[u8]) -> String {
    let text = String::from_utf8_lossy(stdout);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(6)..].join("\n")
}

/// Cuts what `apt-get` prints into lines and picks those that a person wants to see.
#[derive(Default)]
struct Progress {
    rest: Vec<u8>,
}

impl Progress {
    fn take(&mut self, piece: &[u8]) -> Vec<String> {
        self.rest.extend_from_slice(piece);
        let Some(end) = self.rest.iter().rposition(|&byte| byte == b'\n') else { return Vec::new() };
        let rest = self.rest.split_off(end + 1);
        let whole = std::mem::replace(&mut self.rest, rest);
        String::from_utf8_lossy(&whole).lines().filter_map(shown).collect()
    }
}

fn shown(line: &str) -> Option<String> {
    let what = |rest: &str| rest.split([' ', ':']).next().unwrap_or_default().to_owned();
    if let Some(rest) = line.strip_prefix("Unpacking ") {
        Some(format!("unpacking {}", what(rest)))
    } else if let Some(rest) = line.strip_prefix("Setting up ") {
        Some(format!("setting up {}", what(rest)))
    } else if line.starts_with("Need to get ") {
        Some(format!("downloading, {}", line.trim_end_matches('.').to_lowercase()))
    } else {
        line.starts_with("Reading package lists").then(|| "reading package lists".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_comes_in_whole_lines_however_it_is_cut() {
        let mut progress = Progress::default();
        assert_eq!(progress.take(b"Setting up hap"), Vec::<String>::new());
        assert_eq!(
            progress.take(b"roxy (2.6.12) ...\nFetched\nUnpacking socat:amd64 "),
            ["setting up haproxy"]
        );
        assert_eq!(progress.take(b"(1.7) ...\n"), ["unpacking socat"]);
    }

    #[test]
    fn sources_and_their_keys_are_sent_only_when_the_host_has_some() {
        let paths = |sources: &HostSources| -> Vec<String> {
            let bytes = pack(sources).unwrap();
            let mut archive = tar::Archive::new(bytes.as_slice());
            archive
                .entries()
                .unwrap()
                .map(|entry| entry.unwrap().path().unwrap().display().to_string())
                .collect()
        };
        let mut sources = HostSources::default();
        assert_eq!(paths(&sources).len(), 2);
        sources.entries.push("deb http://mirror.example/debian bookworm main".to_owned());
        sources.keys.push(("/etc/apt/keyrings/a.gpg".to_owned(), vec![0x99, 0xff]));
        assert!(
            paths(&sources)
                .ends_with(&["etc/apt/sources.list".to_owned(), "etc/apt/keyrings/a.gpg".to_owned()])
        );
    }

    #[test]
    fn package_names_cannot_become_commands() {
        assert!(script(&["a; reboot".to_owned()]).contains("install -- 'a; reboot' ||"));
    }
}
