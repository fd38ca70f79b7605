//! The verbs, one file each: their arguments and what they do with the lower floors.

pub mod act;
pub mod check;
pub mod completions;
pub mod doctor;
pub mod down;
pub mod exec;
pub mod images;
pub mod init;
pub mod logs;
pub mod plan;
pub mod reference;
pub mod render;
pub mod report;
pub mod run;
pub mod schema;
pub mod status;
pub mod up;
