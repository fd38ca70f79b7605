//! SHA-256 in hexadecimal, over text.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// The hash of several parts. Each is preceded by its length, so that moving a boundary changes the hash.
pub(super) fn sha256<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a String takes every write");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_boundary_is_another_hash() {
        assert_ne!(sha256(["ab", "c"]), sha256(["a", "bc"]));
        assert_eq!(sha256(["ab"]).len(), 64);
    }
}
