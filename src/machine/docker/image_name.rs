//! Names and hashes of images: which distribution suite a scenario's image name means, what our own images are called,
//! and by which labels they are known again. Nothing is made here.

use sha2::Digest;
use sha2::Sha256;

/// Version of how our images are made; another one means other names, so nothing old is taken for new.
pub const FORMAT: &str = "1";
/// Label on each of our images: `base` or `set`.
pub const KIND: &str = "benchtop.kind";
/// Label: [`FORMAT`].
pub const FORMAT_LABEL: &str = "benchtop.format";
/// Label: the whole hash.
pub const HASH: &str = "benchtop.hash";
/// Label: packages installed on the base, separated by blanks.
pub const PACKAGES: &str = "benchtop.packages";
/// Label: the image that a set was made from.
pub const BASE: &str = "benchtop.base";
/// What every base has besides the distribution's minimum.
pub const BASE_PACKAGES: [&str; 3] = ["ca-certificates", "iproute2", "procps"];

/// Debian's suites by number, for names like `debian:12`.
const DEBIAN: [(&str, &str); 4] = [("11", "bullseye"), ("12", "bookworm"), ("13", "trixie"), ("14", "forky")];

/// The distribution and suite that an image name means, when benchtop can bootstrap it: Debian's, and the suite of
/// the host itself (`host` is its id and code name).
#[must_use]
pub fn suite_of(image: &str, host: Option<(&str, &str)>) -> Option<String> {
    let (name, tag) = image.split_once(':')?;
    let tag = tag.strip_suffix("-slim").unwrap_or(tag);
    let tag = DEBIAN.iter().find(|(number, _)| *number == tag).map_or(tag, |(_, suite)| *suite);
    let known = match name {
        "debian" => DEBIAN.iter().any(|(_, suite)| *suite == tag),
        _ => false,
    };
    (known || host == Some((name, tag))).then(|| tag.to_owned())
}

/// Twelve hexadecimal digits over all parts; parts cannot run into each other.
#[must_use]
pub fn short_hash<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

/// Our base image of a suite: `benchtop/base:bookworm-0123456789ab`.
#[must_use]
pub fn base_image(suite: &str) -> String {
    let hash = short_hash([FORMAT, suite].into_iter().chain(BASE_PACKAGES));
    format!("benchtop/base:{suite}-{hash}")
}

/// Our image of a package set on a base (`base` is a name of ours or the id of someone else's image).
#[must_use]
pub fn set_image(base: &str, packages: &[String]) -> String {
    let parts = [FORMAT, base].into_iter().chain(packages.iter().map(String::as_str));
    format!("benchtop/set:{}", short_hash(parts))
}

/// What a node's container was made from, to notice that it must be made anew.
#[must_use]
pub fn node_hash(image: &str, packages: &[String]) -> String {
    short_hash([image].into_iter().chain(packages.iter().map(String::as_str)))
}

/// Splits `repository:tag`.
#[must_use]
pub fn repository_and_tag(image: &str) -> (&str, &str) {
    match image.rsplit_once(':') {
        Some((repository, tag)) if !tag.contains('/') => (repository, tag),
        _ => (image, "latest"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debian_names_and_the_hosts_own_suite_can_be_bootstrapped() {
        for image in ["debian:bookworm", "debian:12", "debian:bookworm-slim", "debian:12-slim"] {
            assert_eq!(suite_of(image, None).as_deref(), Some("bookworm"), "{image}");
        }
        assert_eq!(suite_of("ubuntu:noble", Some(("ubuntu", "noble"))).as_deref(), Some("noble"));
        for image in ["debian", "debian:latest", "ubuntu:noble", "nginx:1.27", "example.org/debian:bookworm"]
        {
            assert_eq!(suite_of(image, Some(("debian", "bookworm"))), None, "{image}");
        }
    }

    #[test]
    fn a_hash_depends_on_every_part_and_where_parts_end() {
        let set = |packages: &[&str]| {
            set_image("benchtop/base:x", &packages.iter().map(|&name| name.to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(set(&["haproxy", "socat"]), set(&["haproxy", "socat"]));
        assert_ne!(set(&["haproxy", "socat"]), set(&["haproxysocat"]));
        assert_ne!(set(&["haproxy"]), set_image("benchtop/base:y", &["haproxy".to_owned()]));
        assert_eq!(set(&[]).len(), "benchtop/set:".len() + 12);
    }

    #[test]
    fn a_port_in_a_registry_is_no_tag() {
        assert_eq!(repository_and_tag("benchtop/set:abc"), ("benchtop/set", "abc"));
        assert_eq!(repository_and_tag("host:5000/thing"), ("host:5000/thing", "latest"));
        assert_eq!(repository_and_tag("thing"), ("thing", "latest"));
    }
}
