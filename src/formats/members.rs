//! A balancer's own list of its servers and their states. It does not judge whether a state is as expected.

use crate::formats::csv::Table;
use crate::formats::error::FormatError;
use crate::model::software::{CounterFormat, MembersSpec};

/// One server of a balancer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its name in the balancer.
    pub server: String,
    /// The state in the balancer's own word.
    pub state: String,
    /// Takes requests.
    pub up: bool,
    /// Taken out on purpose.
    pub disabled: bool,
}

/// Reads the servers out of the balancer's list, totals left out.
///
/// # Errors
/// When the text is no table or a column the manifest names is missing.
pub fn read_members(spec: &MembersSpec, text: &str) -> Result<Vec<Member>, FormatError> {
    if spec.format != CounterFormat::Csv {
        return Err(FormatError::NotCsv);
    }
    let table = Table::read(text).ok_or(FormatError::Empty)?;
    let column = |name: &str| {
        table.column(name).ok_or_else(|| FormatError::NoColumn {
            column: name.to_owned(),
            columns: table.columns.join(", "),
        })
    };
    let (server, state) = (column(&spec.server)?, column(&spec.state)?);
    let mut only = Vec::new();
    for (name, wanted) in &spec.only {
        only.push((column(name)?, wanted));
    }
    let starts = |state: &str, prefixes: &[String]| prefixes.iter().any(|prefix| state.starts_with(prefix));
    let mut members = Vec::new();
    for row in &table.rows {
        let (Some(server), Some(state)) = (row.get(server), row.get(state)) else { continue };
        let picked = only.iter().all(|(column, wanted)| row.get(*column) == Some(*wanted));
        if !picked || spec.not_servers.contains(server) {
            continue;
        }
        members.push(Member {
            server: server.clone(),
            state: state.clone(),
            up: starts(state, &spec.up),
            disabled: starts(state, &spec.disabled),
        });
    }
    Ok(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIXED: &str = include_str!("../../tests/data/haproxy_mixed_states.csv");

    fn spec() -> MembersSpec {
        serde_yaml::from_str(
            "{format: csv, server: svname, state: status, only: {pxname: be}, not_servers: [FRONTEND, BACKEND], \
             up: [UP, no check], disabled: [MAINT, DRAIN]}",
        )
        .unwrap()
    }

    fn names(members: &[Member], which: fn(&Member) -> bool) -> Vec<&str> {
        members.iter().filter(|member| which(member)).map(|member| member.server.as_str()).collect()
    }

    #[test]
    fn a_server_on_its_way_down_still_takes_requests_and_one_on_its_way_up_does_not() {
        let members = read_members(&spec(), MIXED).unwrap();
        assert_eq!(names(&members, |member| member.up), ["n1", "n2", "n6"]);
        assert_eq!(names(&members, |member| member.disabled), ["n4", "n5"]);
        assert_eq!(members.len(), 7, "totals are not servers");
        assert_eq!(members[1].state, "UP 1/3");
    }

    #[test]
    fn a_missing_column_is_named_with_those_there_are() {
        let error = read_members(&spec(), "# svname,pxname\na,be\n").unwrap_err();
        assert!(error.to_string().contains("`status`: svname, pxname"), "{error}");
        assert_eq!(read_members(&spec(), "").unwrap_err(), FormatError::Empty);
    }
}
