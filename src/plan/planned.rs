//! What a service is to become, as data: everything rendered, nothing done yet.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use indexmap::IndexMap;

use crate::catalog::Catalog;
use crate::model::process::ServiceProcess;
use crate::model::secret::Secret;
use crate::model::software::{CounterFormat, Drain, MembersSpec, OnChange, TelemetrySource, TelemetryValue};
use crate::model::topology::{ServiceRef, Topology};

/// Addresses of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeAddress {
    /// What others use.
    pub address: IpAddr,
    /// What its services bind.
    pub bind_address: IpAddr,
}

/// Everything a template may look at besides the service itself.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// Lab name.
    pub lab: &'a str,
    /// Where instance directories live: a service's is `ROOT/SERVICE`.
    pub root: &'a str,
    /// The variant's nodes and services.
    pub topology: &'a Topology,
    /// Software.
    pub catalog: &'a Catalog,
    /// Addresses by node; a node that is missing gets 192.0.2.1 (documentation address) so that `plan` and `render` work without a machine.
    pub addresses: &'a BTreeMap<String, NodeAddress>,
    /// Facts by node; a fact that is missing renders as `<fact NAME>`.
    pub facts: &'a BTreeMap<String, BTreeMap<String, String>>,
    /// The lab's own user where it is not root; none means root, and services use their manifest's user.
    pub unprivileged_user: Option<&'a str>,
}

/// A directory to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedDirectory {
    /// Absolute path.
    pub path: String,
    /// Permission bits.
    pub mode: u32,
    /// Owner, when it is not the lab's user.
    pub owner: Option<String>,
}

/// A rendered file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFile {
    /// Relative to the instance directory.
    pub target: String,
    /// Absolute.
    pub path: String,
    /// Content, secrets in it.
    pub content: Secret,
    /// Content with every secret parameter's value masked: for `render`, reports and run folders.
    pub shown: String,
    /// Permission bits.
    pub mode: u32,
    /// Owner, when it is not the lab's user.
    pub owner: Option<String>,
    /// What a change asks for.
    pub on_change: OnChange,
}

/// A rendered guarded command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedStep {
    /// Script.
    pub run: String,
    /// Guard.
    pub unless: Option<String>,
    /// User.
    pub as_user: Option<String>,
    /// Standard input.
    pub stdin: Option<Secret>,
}

/// How readiness is seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadyProbe {
    /// This port of the node accepts.
    Tcp {
        /// Port.
        port: u16,
    },
    /// This path answers.
    Http {
        /// Port.
        port: u16,
        /// Path.
        path: String,
        /// Status wanted.
        status: u16,
        /// Text wanted.
        contains: Option<String>,
    },
    /// This script on the node exits 0.
    Run {
        /// Script.
        script: String,
    },
}

/// Readiness with its limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedReady {
    /// How.
    pub probe: ReadyProbe,
    /// How long at most.
    pub at_most: Duration,
}

/// A process with what `lab` must know to run it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedProcess {
    /// For the supervisor.
    pub process: ServiceProcess,
    /// Reload script; a change restarts without one.
    pub reload: Option<String>,
    /// How a cell ends.
    pub drain: Drain,
}

/// A service as it is to become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServicePlan {
    /// Which.
    pub reference: ServiceRef,
    /// Software.
    pub software: String,
    /// Runs in this variant.
    pub enabled: bool,
    /// Instance directory.
    pub dir: String,
    /// Ports it listens on (every parameter of kind `port`).
    pub ports: Vec<u16>,
    /// Directories, the instance directory first.
    pub directories: Vec<PlannedDirectory>,
    /// Files.
    pub files: Vec<PlannedFile>,
    /// Checker command.
    pub check: Option<String>,
    /// Steps, run after the files are written, before the process starts.
    pub steps: Vec<PlannedStep>,
    /// Process; none for software without one.
    pub process: Option<PlannedProcess>,
    /// Readiness.
    pub ready: Option<PlannedReady>,
    /// SHA-256 of each file's content and mode, by target.
    pub file_hashes: BTreeMap<String, String>,
    /// SHA-256 over directories, steps, process and packages: everything but the files.
    pub rest_hash: String,
    /// SHA-256 over both: equal means untouched.
    pub hash: String,
}

/// A rendered action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedAction {
    /// Script.
    pub run: String,
    /// Script that takes it back.
    pub undo: Option<String>,
    /// Balancer members that are expected disabled while it holds.
    pub members: Vec<String>,
}

/// A rendered telemetry source.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedTelemetry {
    /// Of which service.
    pub reference: ServiceRef,
    /// Where from.
    pub source: TelemetrySource,
    /// Port, for `http` and `tcp`.
    pub port: u16,
    /// Path, for `http` and `file` (absolute).
    pub path: String,
    /// Bytes, for `tcp`.
    pub send: Vec<u8>,
    /// Script, for `run`.
    pub run: String,
    /// How it is read.
    pub format: CounterFormat,
    /// What is taken.
    pub values: IndexMap<String, TelemetryValue>,
}

/// How a balancer's members are read, rendered.
#[derive(Debug, Clone)]
pub struct PlannedMembers {
    /// Of which service.
    pub reference: ServiceRef,
    /// Script on the node.
    pub run: Option<String>,
    /// Port and path.
    pub http: Option<(u16, String)>,
    /// How the text is read.
    pub spec: MembersSpec,
}

/// An evidence item, rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedEvidence {
    /// Of which service.
    pub reference: ServiceRef,
    /// Heading.
    pub title: String,
    /// How it is collected.
    pub how: EvidenceHow,
}

/// How an evidence item is collected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EvidenceHow {
    /// Script on the node.
    Run(String),
    /// Path on a port.
    Get(u16, String),
    /// Absolute path of a log.
    Log(String),
}
