//! Who listens where on the nodes, and which service of the lab it is.

use crate::formats::{LISTENERS_SCRIPT, Listener, read_listeners};
use crate::lab::error::LabError;
use crate::lab::site::Site;
use crate::machine::Command;

impl Site<'_> {
    /// One line a listener of a node: address, user, service where it is one of the lab's.
    pub(crate) async fn listeners(&self, node: &str) -> Result<Vec<String>, LabError> {
        let command = Command::new(LISTENERS_SCRIPT);
        let output = self.node(node)?.connection.run(&command).await;
        let output =
            output.map_err(|source| LabError::machine(format!("node {node} cannot be looked at"), source))?;
        let found = read_listeners(&output.text());
        let told = found.iter().filter_map(|listener| match listener {
            Listener::Tcp { address, user } => {
                let service = self.service_on_port(node, address.port());
                Some(format!(
                    "tcp   {address:<21}  {user:<10}  {}",
                    service.unwrap_or("no service of the lab")
                ))
            }
            // Sockets of the machine's own are no matter of the lab.
            Listener::Unix { path } => {
                let service = self.service_in(node, path)?;
                Some(format!("unix  {path}  {service}"))
            }
        });
        Ok(told.collect())
    }

    fn service_on_port(&self, node: &str, port: u16) -> Option<&str> {
        let mut plans = self.plans.iter().filter(|plan| plan.reference.node == node && plan.enabled);
        plans.find(|plan| plan.ports.contains(&port)).map(|plan| plan.reference.service.as_str())
    }

    fn service_in(&self, node: &str, path: &str) -> Option<&str> {
        let mut plans = self.plans.iter().filter(|plan| plan.reference.node == node);
        let found = plans.find(|plan| path.strip_prefix(&plan.dir).is_some_and(|rest| rest.starts_with('/')));
        found.map(|plan| plan.reference.service.as_str())
    }
}
