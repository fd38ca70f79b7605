//! Floor 2: the software folders, read and judged. Built-in ones are compiled in; others are handed in as text, since
//! no file is opened here.

mod check;
mod check_parts;
mod check_templates;
mod error;
mod folder;
mod lines;
mod template;
mod value;

#[cfg(test)]
mod tests;

pub use error::CatalogError;
pub use folder::{Catalog, parse_manifest};
pub use value::read_value;
