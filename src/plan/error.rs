//! What can go wrong while a topology becomes a plan.

use crate::model::topology::ServiceRef;
use crate::render::RenderError;

/// Floor 4's planning error. Texts are fragments without their cause; the cause is the `source`.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// A service that the topology does not have.
    #[error("there is no service {0}")]
    NoSuchService(ServiceRef),
    /// A software that the catalogue does not have.
    #[error("{service} wants software `{software}`, which no folder describes")]
    NoSuchSoftware {
        /// Service.
        service: ServiceRef,
        /// Software.
        software: String,
    },
    /// A template that the manifest names is not in the folder.
    #[error("{service} needs {template}, which its folder does not hold")]
    NoSuchTemplate {
        /// Service.
        service: ServiceRef,
        /// Path below the folder.
        template: String,
    },
    /// A template failed.
    #[error("{what} of {service} cannot be rendered")]
    Render {
        /// Service.
        service: ServiceRef,
        /// `conf/nginx.conf`, `service.command`.
        what: String,
        /// Why.
        #[source]
        source: Box<RenderError>,
    },
    /// A secret would be seen in a process list, or in a file that others may read.
    #[error("{what} of {service} would show a secret")]
    SecretShown {
        /// Service.
        service: ServiceRef,
        /// Script or file.
        what: String,
    },
    /// A template that should give a port gives something else.
    #[error("{what} of {service} is `{text}` and not a port")]
    NotAPort {
        /// Service.
        service: ServiceRef,
        /// `ready.tcp`.
        what: String,
        /// What it gave.
        text: String,
    },
    /// Something is asked over the network of a service that listens on no port.
    #[error("{what} of {service} needs a port, and it has none")]
    NoPort {
        /// Service.
        service: ServiceRef,
        /// `evidence.0.get`.
        what: String,
    },
    /// Services point to each other in a ring.
    #[error("services wait for each other: {}", ring.join(" → "))]
    Ring {
        /// `node.service`, the first one again at the end.
        ring: Vec<String>,
    },
    /// The software has no such action.
    #[error("{service} has no action `{action}`")]
    NoSuchAction {
        /// Service.
        service: ServiceRef,
        /// Asked for.
        action: String,
        /// Those it has.
        known: Vec<String>,
    },
    /// An argument is missing, or unknown.
    #[error("action `{action}` of {service}: {problem}")]
    Argument {
        /// Service.
        service: ServiceRef,
        /// Action.
        action: String,
        /// `argument server is missing: Server, which is called like its node.`
        problem: String,
    },
}

impl PlanError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Render { source, .. } => source.hint(),
            Self::SecretShown { .. } => Some(
                "in the manifest, hand secrets over in `stdin` or in a file with `secret: true`".to_owned(),
            ),
            Self::Ring { .. } => {
                Some("take one of these relations out: something must start first".to_owned())
            }
            Self::NoSuchAction { known, .. } if !known.is_empty() => {
                Some(format!("its own actions are {}", known.join(", ")))
            }
            _ => None,
        }
    }
}
