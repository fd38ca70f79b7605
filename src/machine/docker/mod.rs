//! The Docker driver: containers as nodes, images without a registry, one or two networks a lab. Only the engine's API is used.

mod archive;
mod bootstrap;
mod connection;
mod driver;
mod engine;
mod exec;
mod host_sources;
mod image_name;
mod images;
mod labels;
mod making;
mod network;
mod node;
mod package_set;
mod removal;
mod terminal;

pub use driver::{DockerDriver, DockerOptions};
pub use images::ImageEntry;
