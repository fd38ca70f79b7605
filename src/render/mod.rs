//! Floor 2: template text and a context become text. No file is read and nothing is looked up: the caller brings both.

mod engine;
mod error;
mod quote;

pub use engine::render;
pub use error::{RenderError, TemplateFault};
