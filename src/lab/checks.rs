//! Requests that must be answered as the scenario says once a variant is up: `verify:`, and evidence that is asked for.

use std::net::SocketAddr;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::lab::error::{Kind, LabError};
use crate::lab::site::Site;
use crate::lab::target::split_url;
use crate::loadgen::FetchRequest;
use crate::model::experiment::Variant;
use crate::model::hand_in::{Login, VerifyItem};
use crate::model::load::Expect;
use crate::model::run::Verified;
use crate::model::secret::Secret;

/// One request may take this long.
const AT_MOST: Duration = Duration::from_secs(10);
const BODY_BYTES_MAX: usize = 8 << 20;

impl Site<'_> {
    /// Asks every request of `verify:` whose node the variant has.
    pub(crate) async fn verify_items(&self, variant: &Variant) -> Result<Vec<Verified>, LabError> {
        let mut verified = Vec::new();
        for (index, item) in self.experiment.verify.iter().enumerate() {
            let Some(node) = variant.topology.members(&item.node).next() else { continue };
            let (host, port, path) = split_url(&item.url).ok_or_else(|| {
                LabError::new(Kind::Scenario, format!("`{}` is no URL this version can ask", item.url))
            })?;
            let address = SocketAddr::new(self.node(&node.name)?.connection.client_address(), port);
            let request = request(address, host, path, item.login.as_ref());
            let expect = Expect { status: item.status, contains: item.contains.clone(), min_bytes: None };
            let answer = self.ask_until(&request, &expect).await;
            let answer = answer.map_err(|why| self.not_verified(variant, item, index, &why))?;
            verified.push(Verified {
                variant: variant.name.clone(),
                url: item.url.clone(),
                user: item.login.as_ref().map(|login| login.user.clone()),
                status: answer.status,
            });
        }
        Ok(verified)
    }

    fn not_verified(&self, variant: &Variant, item: &VerifyItem, index: usize, why: &str) -> LabError {
        let login = item.login.as_ref().map_or_else(
            || "without a login".to_owned(),
            |login| format!("with the login of {}", login.user),
        );
        let what = format!("variant {}: {} {login} is not answered as `verify` says", variant.name, item.url);
        let error = LabError::new(Kind::Provisioning, what).detail("answer", why);
        let path = format!("verify[{index}]");
        self.at_line(error, &path)
    }
}

/// One GET, with a login where there is one.
pub(crate) fn request(
    address: SocketAddr,
    host: String,
    path: String,
    login: Option<&Login>,
) -> FetchRequest {
    FetchRequest {
        address,
        host,
        path,
        headers: login.map(basic).into_iter().collect(),
        at_most: AT_MOST,
        body_bytes_max: BODY_BYTES_MAX,
    }
}

/// HTTP basic authentication (RFC 7617).
fn basic(login: &Login) -> (String, Secret) {
    let pair = STANDARD.encode(format!("{}:{}", login.user, login.password.reveal()));
    ("Authorization".to_owned(), Secret::new(format!("Basic {pair}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_is_sent_as_basic_authentication() {
        // The example of RFC 7617, section 2.
        let login = Login { user: "Aladdin".to_owned(), password: Secret::new("open sesame") };
        let (name, value) = basic(&login);
        assert_eq!(name, "Authorization");
        assert_eq!(value.reveal(), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
        assert!(!format!("{value:?}").contains("QWxh"));
    }
}
