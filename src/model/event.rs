//! Progress as data: everything a running lab can tell a person. Only `cli` prints.

use std::time::Duration;

/// One thing that happened. Texts never hold a secret.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A named phase began (`images`, `nodes`, `services`, `measure`, `report`, `teardown`) with a number of steps, 0 when unknown.
    PhaseStarted {
        /// Phase.
        phase: Phase,
        /// Steps that will follow.
        steps: u64,
    },
    /// The phase is over.
    PhaseEnded {
        /// Phase.
        phase: Phase,
        /// How long it took.
        took: Duration,
    },
    /// What a node is doing right now (one live line a node).
    NodeDoing {
        /// Node.
        node: String,
        /// In a few words: `starting nginx`.
        doing: String,
    },
    /// A node is done with the phase.
    NodeDone {
        /// Node.
        node: String,
    },
    /// An image is being made.
    ImageStep {
        /// Image's short name.
        image: String,
        /// What is done.
        doing: String,
    },
    /// A cell begins.
    CellStarted {
        /// Round, from 1.
        round: u32,
        /// Rounds.
        rounds: u32,
        /// Cell number in the whole run, from 1.
        cell: u64,
        /// Cells in the whole run.
        cells: u64,
        /// Variant.
        variant: String,
        /// Level.
        level: String,
        /// Estimated time for all that is left, this cell included.
        left: Duration,
    },
    /// A second of load.
    CellProgress {
        /// Share of the cell done, 0–1.
        share: f64,
        /// Requests per second, last second.
        rate: f64,
        /// Of them good.
        good_rate: f64,
        /// Warm-up is still on.
        warming_up: bool,
    },
    /// Waiting for the services to become idle.
    CellDraining {
        /// Waited so far.
        waited: Duration,
    },
    /// A cell ended.
    CellEnded {
        /// Variant.
        variant: String,
        /// Level.
        level: String,
        /// Good requests per second.
        goodput: f64,
        /// Completed requests per second.
        throughput: f64,
    },
    /// Something a person should know now, in one line.
    Note(String),
    /// Something that may be wrong, in one line.
    Warning(String),
}

/// The phases of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Engine and host are examined.
    Preflight,
    /// Images are made.
    Images,
    /// Nodes are created.
    Nodes,
    /// Services are set up and started.
    Services,
    /// Cells are measured.
    Measure,
    /// Evidence is collected.
    Evidence,
    /// Report is written.
    Report,
    /// The lab is taken down.
    Teardown,
}
