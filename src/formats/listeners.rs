//! Who listens where, from the kernel's own tables (`/proc/net/tcp`, `tcp6`, `unix`) and `/etc/passwd`.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// State of a listening TCP socket in the kernel's table.
const LISTEN: &str = "0A";
/// Flag of a listening Unix socket.
const ACCEPTS: u32 = 0x0001_0000;

/// Something that listens.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Listener {
    /// A TCP port.
    Tcp {
        /// Address and port.
        address: SocketAddr,
        /// The user it belongs to, by name where the machine knows one.
        user: String,
    },
    /// A Unix socket.
    Unix {
        /// Path; abstract sockets begin with `@`.
        path: String,
    },
}

/// The script whose output [`read_listeners`] reads: a POSIX shell and `/proc` are enough.
pub const LISTENERS_SCRIPT: &str = "for table in tcp tcp6 unix; do echo \"== $table\"; cat /proc/net/$table 2>/dev/null; \
     done; echo '== users'; cat /etc/passwd 2>/dev/null; exit 0";

/// Reads what the script printed: every listener once, TCP first. Lines that are not understood are passed over.
#[must_use]
pub fn read_listeners(text: &str) -> Vec<Listener> {
    let mut tables: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut table = "";
    for line in text.lines() {
        match line.strip_prefix("== ") {
            Some(name) => table = name,
            None => tables.entry(table).or_default().push(line),
        }
    }
    let lines = |name: &str| tables.get(name).cloned().unwrap_or_default();
    let users: BTreeMap<&str, &str> = lines("users").into_iter().filter_map(user).collect();
    let tcp = lines("tcp").into_iter().chain(lines("tcp6")).filter_map(|line| tcp(line, &users));
    let unix = lines("unix").into_iter().filter_map(unix);
    let mut found: Vec<Listener> = tcp.chain(unix).collect();
    found.sort();
    found.dedup();
    found
}

/// Number and name of a line of `/etc/passwd`.
fn user(line: &str) -> Option<(&str, &str)> {
    let mut fields = line.split(':');
    let name = fields.next()?;
    Some((fields.nth(1)?, name))
}

fn tcp(line: &str, users: &BTreeMap<&str, &str>) -> Option<Listener> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    if *fields.get(3)? != LISTEN {
        return None;
    }
    let uid = *fields.get(7)?;
    let user = users.get(uid).map_or_else(|| format!("uid {uid}"), |name| (*name).to_owned());
    Some(Listener::Tcp { address: address(fields[1])?, user })
}

/// `0100007F:0050`: words of four bytes in the machine's order, the port as a number. The order is little-endian on
/// every machine Debian's amd64 and arm64 run on.
fn address(text: &str) -> Option<SocketAddr> {
    let (host, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let words: Option<Vec<u8>> = (0..host.len() / 8)
        .map(|word| u32::from_str_radix(host.get(word * 8..word * 8 + 8)?, 16).ok().map(u32::to_le_bytes))
        .collect::<Option<Vec<[u8; 4]>>>()
        .map(|words| words.concat());
    let bytes = words?;
    let ip = match (<[u8; 4]>::try_from(bytes.as_slice()), <[u8; 16]>::try_from(bytes.as_slice())) {
        (Ok(four), _) => IpAddr::V4(Ipv4Addr::from(four)),
        (_, Ok(sixteen)) => IpAddr::V6(Ipv6Addr::from(sixteen)),
        _ => return None,
    };
    Some(SocketAddr::new(ip, port))
}

fn unix(line: &str) -> Option<Listener> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let flags = u32::from_str_radix(fields.get(3)?, 16).ok()?;
    // A path may hold blanks; it is everything behind the seventh field.
    let path = fields.get(7..).filter(|path| !path.is_empty())?.join(" ");
    (flags & ACCEPTS != 0).then_some(Listener::Unix { path })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "== tcp
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 18001 1 0 100 0 0 10 0
   1: 0100007F:0CEA 00000000:0000 0A 00000000:00000000 00:00000000 00000000   101        0 18002 1 0 100 0 0 10 0
   2: 050012AC:0050 010012AC:C350 01 00000000:00000000 00:00000000 00000000    33        0 18003 1 0 20 4 30 10 -1
== tcp6
   0: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000   999        0 1 1
== unix
Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 18004 /srv/lab/php fpm.sock
0000000000000000: 00000003 00000000 00000000 0001 03 18005 /srv/lab/connected.sock
== users
root:x:0:0:root:/root:/bin/bash
mysql:x:101:102::/nonexistent:/bin/false
";

    #[test]
    fn listening_sockets_are_told_from_connections() {
        let tcp = |address: &str, user: &str| Listener::Tcp {
            address: address.parse().unwrap(),
            user: user.to_owned(),
        };
        let found = read_listeners(SAMPLE);
        assert_eq!(
            found,
            [
                tcp("0.0.0.0:80", "root"),
                tcp("127.0.0.1:3306", "mysql"),
                tcp("[::1]:8080", "uid 999"),
                Listener::Unix { path: "/srv/lab/php fpm.sock".to_owned() },
            ]
        );
        assert!(read_listeners("").is_empty());
        assert!(read_listeners("== tcp\n 0: xx:yy 0A\n 0: 00:0050 0 0A 0 0 0 0 0").is_empty());
    }
}
