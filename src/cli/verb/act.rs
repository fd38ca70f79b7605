//! `act`: does something to a service while it runs.

use clap::Args;
use indexmap::IndexMap;

use crate::cli::arguments::LabOptions;
use crate::cli::error::CliError;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::cli::session::{Session, Voice};
use crate::lab;

/// Arguments of `act`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  benchtop act web1 nginx.restart\n  \
benchtop act frontend haproxy.disable server=web2")]
pub struct ActArguments {
    /// The node
    #[arg(value_name = "NODE")]
    pub node: String,
    /// The action, as `service.action`
    #[arg(value_name = "SERVICE.ACTION")]
    pub action: String,
    /// Arguments of the action
    #[arg(value_name = "KEY=VALUE")]
    pub arguments: Vec<String>,
    #[command(flatten)]
    /// Which lab.
    pub lab: LabOptions,
}

/// Runs it.
///
/// # Errors
/// A malformed argument, an unknown node, service or action, and an action that fails.
pub async fn run(arguments: &ActArguments, voice: Voice) -> Result<Exit, CliError> {
    let pairs = pairs(&arguments.arguments)?;
    let (session, lab) = Session::on_lab(&arguments.lab, voice).await?;
    let said = lab::act(&session.bench, &lab, &arguments.node, &arguments.action, &pairs).await;
    session.finish().await;
    let said = said.map_err(CliError::Lab)?;
    if said.is_empty() && voice == Voice::Normal {
        output::say(&format!("done: {}.{}", arguments.node, arguments.action));
    }
    output::data(&said)?;
    Ok(Exit::Done)
}

/// `key=value`, each key once.
fn pairs(arguments: &[String]) -> Result<IndexMap<String, String>, CliError> {
    let mut pairs = IndexMap::new();
    for argument in arguments {
        let pair = argument.split_once('=').filter(|(key, _)| !key.is_empty());
        let Some((key, value)) = pair else {
            return Err(CliError::usage(
                format!("`{argument}` is not an argument of an action"),
                "write `key=value`, for example `server=web2`",
            ));
        };
        if pairs.insert(key.to_owned(), value.to_owned()).is_some() {
            return Err(CliError::usage(format!("`{key}` is given twice"), "give each key once"));
        }
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_split_at_the_first_equals_sign() {
        let given = ["server=web2".to_owned(), "note=a=b".to_owned()];
        let pairs = pairs(&given).unwrap();
        assert_eq!((pairs["server"].as_str(), pairs["note"].as_str()), ("web2", "a=b"));
    }

    #[test]
    fn arguments_without_key_or_given_twice_are_refused() {
        for given in
            [vec!["server".to_owned()], vec!["=x".to_owned()], vec!["a=1".to_owned(), "a=2".to_owned()]]
        {
            assert!(pairs(&given).is_err(), "{given:?}");
        }
    }
}
