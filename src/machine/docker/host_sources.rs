//! The host's own package sources, so that images are made from where the host itself installs: entries of the wanted
//! suite, the keys they name, and how the host fetches. Nothing is fetched here.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// Where the host installs packages from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostSources {
    /// One-line entries; empty when the host has another suite.
    pub entries: Vec<String>,
    /// Key files named by the entries, with their content.
    pub keys: Vec<(String, Vec<u8>)>,
    /// `apt` settings about fetching (proxies, whether dates are checked), in its own syntax.
    pub settings: String,
}

/// The host's id and code name, from its `os-release`: `debian`, `bookworm`.
#[must_use]
pub fn host_suite() -> Option<(String, String)> {
    read_os_release(&fs::read_to_string("/etc/os-release").ok()?)
}

fn read_os_release(text: &str) -> Option<(String, String)> {
    let value = |name: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix('='))
            .map(|value| value.trim_matches('"').to_owned())
    };
    Some((value("ID")?, value("VERSION_CODENAME")?))
}

/// Reads the host's sources for a suite.
pub async fn host_sources(suite: &str) -> HostSources {
    let mut entries = Vec::new();
    if host_suite().is_some_and(|(_, codename)| codename == suite) {
        for text in source_files() {
            entries.extend(if text.deb822 {
                stanza_entries(&text.content)
            } else {
                line_entries(&text.content)
            });
        }
        entries.retain(|entry| is_of_suite(entry, suite));
    }
    let paths: BTreeSet<String> = entries.iter().flat_map(|entry| key_paths(entry)).collect();
    let keys = paths.into_iter().filter_map(|path| Some((path.clone(), fs::read(path).ok()?))).collect();
    HostSources { entries, keys, settings: fetch_settings().await }
}

struct SourceFile {
    deb822: bool,
    content: String,
}

fn source_files() -> Vec<SourceFile> {
    let mut paths = vec![Path::new("/etc/apt/sources.list").to_path_buf()];
    if let Ok(folder) = fs::read_dir("/etc/apt/sources.list.d") {
        let mut found: Vec<_> = folder.flatten().map(|entry| entry.path()).collect();
        found.sort();
        paths.append(&mut found);
    }
    paths
        .into_iter()
        .filter_map(|path| {
            let deb822 = path.extension().is_some_and(|ending| ending == "sources");
            let known = deb822 || path.extension().is_some_and(|ending| ending == "list");
            let content = known.then(|| fs::read_to_string(&path).ok()).flatten()?;
            Some(SourceFile { deb822, content })
        })
        .collect()
}

/// The `deb` lines of a one-line file.
fn line_entries(text: &str) -> Vec<String> {
    text.lines().map(str::trim).filter(|line| line.starts_with("deb ")).map(str::to_owned).collect()
}

/// The stanzas of a deb822 file as one-line entries. Keys written into the stanza itself are left out.
fn stanza_entries(text: &str) -> Vec<String> {
    let mut entries = Vec::new();
    let without_comments: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    for stanza in without_comments.join("\n").split("\n\n") {
        let field = |name: &str| {
            let mut value = String::new();
            let mut inside = false;
            for line in stanza.lines() {
                if line.starts_with([' ', '\t']) {
                    if inside {
                        value.push_str(line);
                    }
                } else {
                    let (key, rest) = line.split_once(':').unwrap_or(("", ""));
                    inside = key.eq_ignore_ascii_case(name);
                    if inside {
                        value = rest.to_owned();
                    }
                }
            }
            value.trim().to_owned()
        };
        let is_binary = field("Types").split_whitespace().any(|kind| kind == "deb");
        if !is_binary || field("Enabled").eq_ignore_ascii_case("no") {
            continue;
        }
        let mut options = String::new();
        for (name, option) in [("Signed-By", "signed-by"), ("Trusted", "trusted"), ("Architectures", "arch")]
        {
            let value = field(name);
            if !value.is_empty() && !value.contains("BEGIN PGP") {
                options.push_str(&format!(
                    " {option}={}",
                    value.split_whitespace().collect::<Vec<_>>().join(",")
                ));
            }
        }
        let options = if options.is_empty() { String::new() } else { format!("[{}] ", options.trim()) };
        for uri in field("URIs").split_whitespace() {
            for suite in field("Suites").split_whitespace() {
                entries.push(format!("deb {options}{uri} {suite} {}", field("Components")).trim().to_owned());
            }
        }
    }
    entries
}

/// `bookworm`, `bookworm-updates`, `bookworm-security` and `bookworm/updates` are of suite `bookworm`. Backports are
/// not wanted: they would change versions.
fn is_of_suite(entry: &str, suite: &str) -> bool {
    let rest = entry.trim_start_matches("deb").trim_start();
    let rest = if rest.starts_with('[') { rest.split_once(']').map_or("", |(_, rest)| rest) } else { rest };
    rest.split_whitespace().nth(1).is_some_and(|found| {
        found == suite
            || found
                .strip_prefix(suite)
                .is_some_and(|end| matches!(end, "-updates" | "-security" | "/updates"))
    })
}

fn key_paths(entry: &str) -> Vec<String> {
    let Some((options, _)) = entry.split_once(']') else { return Vec::new() };
    options
        .split([' ', '['])
        .filter_map(|option| option.strip_prefix("signed-by="))
        .flat_map(|paths| paths.split(','))
        .filter(|path| path.starts_with('/'))
        .map(str::to_owned)
        .collect()
}

/// How the host fetches, as `apt-config` tells it; empty where there is no such program.
async fn fetch_settings() -> String {
    let mut command = tokio::process::Command::new("apt-config");
    command.args(["dump", "Acquire"]).stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    match tokio::time::timeout(Duration::from_secs(10), command.output()).await {
        Ok(Ok(output)) => kept_settings(&String::from_utf8_lossy(&output.stdout)),
        _ => String::new(),
    }
}

fn kept_settings(text: &str) -> String {
    const KEPT: [&str; 6] = ["http", "https", "Check-Valid-Until", "Check-Date", "Retries", "ForceIPv"];
    text.lines()
        .filter(|line| {
            line.strip_prefix("Acquire::").is_some_and(|name| KEPT.iter().any(|kept| name.starts_with(kept)))
        })
        .map(|line| format!("{line}\n"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stanzas_become_lines_with_their_keys() {
        let text = "# a comment\nTypes: deb\n# old\nURIs: http://mirror.example/debian\nSuites: bookworm bookworm-updates\n\
            Components: main contrib\nSigned-By: /usr/share/keyrings/a.gpg\n\nTypes: deb-src\nURIs: http://x\nSuites: bookworm\n\n\
            Types: deb\nEnabled: no\nURIs: http://off.example\nSuites: bookworm\nComponents: main\n";
        let entries = stanza_entries(text);
        assert_eq!(
            entries,
            [
                "deb [signed-by=/usr/share/keyrings/a.gpg] http://mirror.example/debian bookworm main contrib",
                "deb [signed-by=/usr/share/keyrings/a.gpg] http://mirror.example/debian bookworm-updates main contrib",
            ]
        );
        assert_eq!(key_paths(&entries[0]), ["/usr/share/keyrings/a.gpg"]);
    }

    #[test]
    fn only_entries_of_the_suite_are_taken() {
        let entry =
            |suite: &str| format!("deb [arch=amd64 trusted=yes] http://mirror.example/debian {suite} main");
        for suite in ["bookworm", "bookworm-updates", "bookworm-security", "bookworm/updates"] {
            assert!(is_of_suite(&entry(suite), "bookworm"), "{suite}");
        }
        for suite in ["trixie", "bookworm-backports", "nodistro", "bookwormx"] {
            assert!(!is_of_suite(&entry(suite), "bookworm"), "{suite}");
        }
        assert!(is_of_suite("deb http://mirror.example/debian bookworm main", "bookworm"));
    }

    #[test]
    fn settings_keep_proxies_and_leave_the_rest() {
        let text = "Acquire \"\";\nAcquire::http::Proxy \"http://p.example:3128\";\nAcquire::Languages \"none\";\n\
            Acquire::Check-Date \"false\";\n";
        assert_eq!(
            kept_settings(text),
            "Acquire::http::Proxy \"http://p.example:3128\";\nAcquire::Check-Date \"false\";\n"
        );
    }

    #[test]
    fn os_release_gives_id_and_code_name() {
        let text = "NAME=\"Debian GNU/Linux\"\nID=debian\nVERSION_CODENAME=\"bookworm\"\n";
        assert_eq!(read_os_release(text), Some(("debian".to_owned(), "bookworm".to_owned())));
        assert_eq!(read_os_release("ID=arch\n"), None);
    }
}
