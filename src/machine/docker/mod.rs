//! The Docker driver: containers as nodes, images without a registry, a network a lab. Only the engine's API is used.

mod archive;
mod bootstrap;
mod connection;
mod driver;
mod engine;
mod exec;
mod host_sources;
mod image_name;
mod images;
mod making;
mod node;
mod package_set;

pub use driver::{DockerDriver, DockerOptions};
pub use images::ImageEntry;
