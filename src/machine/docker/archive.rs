//! Files as one tar archive in memory, with numeric owners and modes, and the shell lines that prepare their way: the
//! directories that are missing, the owners' numbers. Nothing is sent here.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::io;

use crate::machine::command::FileToWrite;
use crate::machine::command::quote;

/// A user's own number and that of their group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// User.
    pub uid: u64,
    /// Group.
    pub gid: u64,
}

/// The superuser.
pub const ROOT: Owner = Owner { uid: 0, gid: 0 };

/// Makes the archive. Owners missing in `owners` are root.
///
/// # Errors
/// When a path is not absolute, climbs out with `..`, or does not fit into an archive.
pub fn pack(files: &[FileToWrite], owners: &BTreeMap<String, Owner>) -> io::Result<Vec<u8>> {
    let mut builder = tar::Builder::new(Vec::new());
    for file in files {
        let owner = file.owner.as_ref().and_then(|name| owners.get(name)).copied().unwrap_or(ROOT);
        append(&mut builder, &file.path, file.content.reveal().as_bytes(), file.mode, owner)?;
    }
    builder.into_inner()
}

/// Adds one file, which need not be text.
///
/// # Errors
/// As [`pack`].
pub fn append(
    builder: &mut tar::Builder<Vec<u8>>,
    path: &str,
    content: &[u8],
    mode: u32,
    owner: Owner,
) -> io::Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Regular);
    header.set_size(content.len() as u64);
    header.set_mode(mode & 0o7777);
    header.set_uid(owner.uid);
    header.set_gid(owner.gid);
    header.set_mtime(now_s());
    builder.append_data(&mut header, relative_path(path)?, content)
}

/// Seconds since 1970; files with a date of zero make caching programs think nothing ever changed.
fn now_s() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn relative_path(path: &str) -> io::Result<&str> {
    let refuse = || io::Error::new(io::ErrorKind::InvalidInput, format!("`{path}` is no absolute file path"));
    let relative = path.strip_prefix('/').ok_or_else(refuse)?;
    if relative.is_empty() || relative.ends_with('/') || relative.split('/').any(|part| part == "..") {
        return Err(refuse());
    }
    Ok(relative)
}

/// Makes the missing parents (mode 0755) and prints the numbers of the owners not known yet.
#[must_use]
pub fn preparation(files: &[FileToWrite], known: &BTreeMap<String, Owner>) -> String {
    let parents: BTreeSet<&str> =
        files.iter().filter_map(|file| file.path.rsplit_once('/')).map(|(parent, _)| parent).collect();
    let owners: BTreeSet<&str> = files
        .iter()
        .filter_map(|file| file.owner.as_deref())
        .filter(|name| !known.contains_key(*name))
        .collect();
    let mut script = String::from("umask 022\n");
    for parent in parents.into_iter().filter(|parent| !parent.is_empty()) {
        script.push_str(&format!("mkdir -p -- {} || exit 1\n", quote(parent)));
    }
    for owner in owners {
        let name = quote(owner);
        script.push_str(&format!("getent passwd {name} || {{ echo no user {name} >&2; exit 1; }}\n"));
    }
    script
}

/// Reads the lines of the user database that [`preparation`] prints.
#[must_use]
pub fn read_owners(text: &str) -> BTreeMap<String, Owner> {
    text.lines()
        .filter_map(|line| {
            let mut fields = line.split(':');
            let name = fields.next()?.to_owned();
            let uid = fields.nth(1)?.parse().ok()?;
            let gid = fields.next()?.parse().ok()?;
            Some((name, Owner { uid, gid }))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::model::secret::Secret;

    fn file(path: &str, owner: Option<&str>) -> FileToWrite {
        FileToWrite {
            path: path.to_owned(),
            content: Secret::new("text"),
            mode: 0o640,
            owner: owner.map(str::to_owned),
        }
    }

    #[test]
    fn the_archive_keeps_modes_owners_and_long_paths() {
        let long = format!("/srv/benchtop/{}/file", "a-long-name/".repeat(20).trim_end_matches('/'));
        let owners = read_owners("www-data:x:33:34:www-data:/var/www:/usr/sbin/nologin\n");
        let bytes = pack(&[file("/srv/a", Some("www-data")), file(&long, None)], &owners).unwrap();
        let mut archive = tar::Archive::new(bytes.as_slice());
        let mut seen = Vec::new();
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            let mut text = String::new();
            entry.read_to_string(&mut text).unwrap();
            assert_eq!(text, "text");
            let header = entry.header();
            assert_eq!(header.mode().unwrap(), 0o640);
            seen.push((
                format!("/{}", entry.path().unwrap().display()),
                header.uid().unwrap(),
                header.gid().unwrap(),
            ));
        }
        assert_eq!(seen, [("/srv/a".to_owned(), 33, 34), (long, 0, 0)]);
    }

    #[test]
    fn paths_that_climb_or_are_relative_are_refused() {
        for path in ["a", "", "/", "/a/", "/srv/../etc/passwd"] {
            assert!(pack(&[file(path, None)], &BTreeMap::new()).is_err(), "{path}");
        }
    }

    #[test]
    fn known_owners_are_not_asked_again() {
        let files = [file("/srv/a b/c", Some("mysql")), file("/top", None)];
        let script = preparation(&files, &BTreeMap::new());
        assert!(script.contains("mkdir -p -- '/srv/a b' ") && script.contains("getent passwd 'mysql'"));
        let known = read_owners("mysql:x:1:2::/:\nbroken\n");
        assert_eq!(known.len(), 1);
        assert!(!preparation(&files, &known).contains("getent"));
    }
}
