//! Text that must not be shown: it prints, debugs and serializes as a mask, and gives its value only to who asks by name.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use schemars::Schema;
use schemars::SchemaGenerator;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What stands in logs, reports and run folders instead of a secret.
pub const MASK: &str = "***";

/// A password, token or the like.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Secret(String);

impl Secret {
    /// Wraps a value.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value itself: only for files on a node (mode 0600), standard input of a command, `lab.json` and a request's header.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(MASK)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(MASK)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(MASK)
    }
}

impl JsonSchema for Secret {
    fn schema_name() -> Cow<'static, str> {
        "Secret".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": "string", "const": MASK, "description": "A secret, masked."})
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self)
    }
}

/// Replaces every occurrence of the given secrets in a text. Values shorter than three bytes are left alone: they
/// would mangle ordinary words and protect nothing.
#[must_use]
pub fn mask_all<'a>(text: &str, secrets: impl IntoIterator<Item = &'a Secret>) -> String {
    let mut masked = text.to_owned();
    for secret in secrets {
        if secret.reveal().len() >= 3 {
            masked = masked.replace(secret.reveal(), MASK);
        }
    }
    masked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_shows_as_a_mask_everywhere() {
        let secret = Secret::new("canary");
        assert_eq!(format!("{secret} {secret:?}"), "*** ***");
        assert_eq!(serde_json::to_string(&secret).unwrap(), "\"***\"");
        assert_eq!(mask_all("a canary sings", [&secret]), "a *** sings");
    }
}
