//! What a hand-in needs beside numbers: evidence to show, requests that must be answered, figures to stand beside ours.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::secret::Secret;

/// An item of `evidence:`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EvidenceItem {
    /// Heading.
    pub title: String,
    /// One node, a member's own name.
    pub node: String,
    /// Where it comes from.
    pub source: EvidenceSource,
    /// Variants in which it is shown, by name; every one that has the node when the scenario does not say.
    pub variants: Vec<String>,
}

/// Where an item of evidence comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EvidenceSource {
    /// What an action of a software folder prints.
    Action {
        /// Service.
        service: String,
        /// Action.
        action: String,
        /// Arguments.
        arguments: IndexMap<String, String>,
    },
    /// What a path answers, head and body.
    Get {
        /// Port of the node.
        port: u16,
        /// Path, `/…`.
        path: String,
        /// `Host` header; the node's name when absent.
        host: Option<String>,
        /// Login, when the path asks for one.
        login: Option<Login>,
        /// Status it must have; anything else is an error.
        status: Option<u16>,
    },
    /// A service's rendered configuration, all its files that are no scripts, secrets masked.
    Config {
        /// Service.
        service: String,
    },
}

/// A user and a password.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Login {
    /// User name.
    pub user: String,
    /// Password.
    pub password: Secret,
}

/// An item of `verify:`: asked once a variant is up, before anything is measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerifyItem {
    /// As a client would type it, `http://host:port/path`.
    pub url: String,
    /// The node the URL's name leads to: the target's unless given.
    pub node: String,
    /// Login, when one is to be sent.
    pub login: Option<Login>,
    /// Status the answer must have.
    pub status: u16,
    /// Text its body must hold.
    pub contains: Option<String>,
}

/// Somebody else's figures, shown beside ours as ratios.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Published {
    /// Where they are from.
    pub source: String,
    /// Requests per second by variant and level. Variants and levels need not exist in this run.
    pub requests_per_second: IndexMap<String, IndexMap<String, PublishedFigure>>,
}

/// One published figure.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PublishedFigure {
    /// Single values, as many as were published; empty when only a range is known.
    pub values: Vec<f64>,
    /// Smallest and largest, where only these were published.
    pub range: Option<[f64; 2]>,
    /// Why the figure means nothing, in words of the scenario.
    pub invalid: Option<String>,
}
