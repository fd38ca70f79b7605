//! The engine behind the API: finding it, holding every call to a limit, and saying what was being done when one
//! fails. What the calls are for is not known here.

use std::error::Error;
use std::future::Future;
use std::io;
use std::path::Path;
use std::time::Duration;

use bollard::API_DEFAULT_VERSION;
use bollard::Docker;
use bollard::models::SystemInfo;

use crate::machine::docker::making::Making;
use crate::machine::error::MachineError;

/// Limit of an ordinary call.
pub const SHORT: Duration = Duration::from_secs(20);
/// Limit of a call that copies a whole image.
pub const LONG: Duration = Duration::from_secs(600);
/// Where an engine listens when nothing else is said.
const DEFAULT_ENDPOINT: &str = "unix:///var/run/docker.sock";
/// Oldest API understood.
const OLDEST_API: (u64, u64) = (1, 41);

/// A connected engine and the facts that were asked once.
#[derive(Clone)]
pub struct Engine {
    /// The client.
    pub docker: Docker,
    /// Socket or URL.
    pub endpoint: String,
    /// What the engine says of itself.
    pub facts: EngineFacts,
    making: Making,
}

/// What the engine says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineFacts {
    /// `20.10.24`.
    pub version: String,
    /// `1.41`.
    pub api: String,
    /// `1` or `2`.
    pub cgroup_version: String,
    /// CPUs of its host.
    pub cpus: u32,
    /// Memory of its host, bytes.
    pub memory_bytes: u64,
    /// Where it keeps images and containers, on its own host.
    pub root: String,
}

impl Engine {
    /// Connects, asks the version, and refuses an engine that is too old.
    ///
    /// # Errors
    /// [`MachineError::NoEngine`], [`MachineError::EngineTooOld`], or [`MachineError::Engine`] when it stops answering.
    pub async fn connect(host: Option<&str>) -> Result<Self, MachineError> {
        Self::connect_within(host, SHORT).await
    }

    async fn connect_within(host: Option<&str>, limit: Duration) -> Result<Self, MachineError> {
        let endpoint = host.filter(|host| !host.is_empty()).unwrap_or(DEFAULT_ENDPOINT).to_owned();
        let absent = |source: Box<dyn Error + Send + Sync>| MachineError::NoEngine {
            endpoint: endpoint.clone(),
            source,
        };
        let path = socket_path(&endpoint).map_err(absent)?;
        let docker = Docker::connect_with_unix(&path, 2 * LONG.as_secs(), API_DEFAULT_VERSION)
            .map_err(|error| absent(reason(error)))?;
        let docker = match tokio::time::timeout(limit, docker.negotiate_version()).await {
            Ok(answer) => answer.map_err(|error| absent(reason(error)))?,
            Err(_) => return Err(absent(silence(limit))),
        };
        let mut engine = Self {
            docker,
            endpoint,
            facts: read_facts(None, None, SystemInfo::default()),
            making: Making::default(),
        };
        let version = engine.call("tell its version", limit, engine.docker.version()).await?;
        let info = engine.call("describe itself", limit, engine.docker.info()).await?;
        engine.facts = read_facts(version.version, version.api_version, info);
        if !is_recent(&engine.facts.api) {
            return Err(MachineError::EngineTooOld { endpoint: engine.endpoint, found: engine.facts.api });
        }
        Ok(engine)
    }

    /// Waits for one call, at most `limit`; `doing` completes "the engine could not …".
    ///
    /// # Errors
    /// [`MachineError::Engine`].
    pub async fn call<T>(
        &self,
        doing: &str,
        limit: Duration,
        call: impl Future<Output = Result<T, bollard::errors::Error>>,
    ) -> Result<T, MachineError> {
        match tokio::time::timeout(limit, call).await {
            Ok(answer) => answer.map_err(|error| failed(doing, error)),
            Err(_) => Err(MachineError::Engine { doing: doing.to_owned(), source: silence(limit) }),
        }
    }

    /// As [`Self::call`], for something that is made: it is made to the end even when nobody waits any more.
    ///
    /// # Errors
    /// [`MachineError::Engine`].
    pub async fn make<T: Send + 'static>(
        &self,
        doing: &str,
        limit: Duration,
        call: impl Future<Output = Result<T, bollard::errors::Error>> + Send + 'static,
    ) -> Result<T, MachineError> {
        match tokio::time::timeout(limit, self.making.finish(call)).await {
            Ok(Ok(answer)) => answer.map_err(|error| failed(doing, error)),
            Ok(Err(source)) => {
                Err(MachineError::Engine { doing: doing.to_owned(), source: Box::new(source) })
            }
            Err(_) => Err(MachineError::Engine { doing: doing.to_owned(), source: silence(limit) }),
        }
    }

    /// Waits, for a while, until nothing is being made any more.
    pub async fn settled(&self) {
        self.making.settled(SHORT).await;
    }

    /// As [`Self::call`], for something that may not exist: an answer 404 is none.
    ///
    /// # Errors
    /// [`MachineError::Engine`].
    pub async fn find<T>(
        &self,
        doing: &str,
        call: impl Future<Output = Result<T, bollard::errors::Error>>,
    ) -> Result<Option<T>, MachineError> {
        let softened = async {
            match call.await {
                Ok(found) => Ok(Some(found)),
                Err(error) if status_of(&error) == Some(404) => Ok(None),
                Err(error) => Err(error),
            }
        };
        self.call(doing, SHORT, softened).await
    }

    /// `Docker Engine 20.10.24, API 1.41, cgroup v1`.
    #[must_use]
    pub fn description(&self) -> String {
        let facts = &self.facts;
        format!("Docker Engine {}, API {}, cgroup v{}", facts.version, facts.api, facts.cgroup_version)
    }

    /// The engine's root directory when it is on this machine, where its free room can be asked.
    #[must_use]
    pub fn local_root(&self) -> Option<&Path> {
        let root = Path::new(&self.facts.root);
        root.is_dir().then_some(root)
    }
}

/// The HTTP status an engine error carries.
#[must_use]
pub const fn status_of(error: &bollard::errors::Error) -> Option<u16> {
    match error {
        bollard::errors::Error::DockerResponseServerError { status_code, .. } => Some(*status_code),
        _ => None,
    }
}

/// An engine error with what was being done.
#[must_use]
pub fn failed(doing: &str, error: bollard::errors::Error) -> MachineError {
    MachineError::Engine { doing: doing.to_owned(), source: reason(error) }
}

/// The engine's own words, and for everything else the innermost cause, which is the one that says something.
fn reason(error: bollard::errors::Error) -> Box<dyn Error + Send + Sync> {
    if let bollard::errors::Error::DockerResponseServerError { message, .. } = &error {
        return message.trim().to_owned().into();
    }
    let mut innermost: &dyn Error = &error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    let (outer, inner) = (error.to_string(), innermost.to_string());
    if outer.contains(&inner) { outer.into() } else { format!("{outer}: {inner}").into() }
}

fn silence(limit: Duration) -> Box<dyn Error + Send + Sync> {
    let text = format!("no answer within {} s", limit.as_secs());
    Box::new(io::Error::new(io::ErrorKind::TimedOut, text))
}

fn socket_path(endpoint: &str) -> Result<String, Box<dyn Error + Send + Sync>> {
    match endpoint.split_once("://") {
        Some(("unix", path)) if path.starts_with('/') => Ok(path.to_owned()),
        None if endpoint.starts_with('/') => Ok(endpoint.to_owned()),
        Some(("tcp" | "http" | "https" | "ssh" | "npipe", _)) => {
            Err("engines on other machines are not supported yet, only unix:// sockets are".into())
        }
        _ => Err("this is no engine address; unix:///var/run/docker.sock is the usual one".into()),
    }
}

fn is_recent(api: &str) -> bool {
    let mut parts = api.split('.').map(|part| part.parse::<u64>().ok());
    match (parts.next().flatten(), parts.next().flatten()) {
        (Some(major), Some(minor)) => (major, minor) >= OLDEST_API,
        _ => false,
    }
}

fn read_facts(version: Option<String>, api: Option<String>, info: SystemInfo) -> EngineFacts {
    let cgroup_version = info.cgroup_version.map(|version| version.to_string()).unwrap_or_default();
    EngineFacts {
        version: version.unwrap_or_default(),
        api: api.unwrap_or_default(),
        cgroup_version,
        cpus: info.ncpu.and_then(|cpus| u32::try_from(cpus).ok()).unwrap_or(0),
        memory_bytes: info.mem_total.and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(0),
        root: info.docker_root_dir.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;
    use tokio::io::AsyncWriteExt;
    use tokio::net::UnixListener;

    use super::*;

    async fn connect_error(endpoint: &str) -> MachineError {
        match Engine::connect(Some(endpoint)).await {
            Ok(_) => panic!("{endpoint} is no engine"),
            Err(error) => error,
        }
    }

    /// An engine that gives every connection the same answer.
    fn answering(answer: &'static str) -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("docker.sock");
        let listener = UnixListener::bind(&path).unwrap();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        });
        let endpoint = format!("unix://{}", path.display());
        (folder, endpoint)
    }

    #[tokio::test]
    async fn an_absent_or_foreign_engine_is_named_with_its_reason() {
        for (endpoint, reason) in [
            ("unix:///nowhere/docker.sock", "nowhere"),
            ("tcp://10.0.0.1:2375", "not supported yet"),
            ("nonsense", "no engine address"),
        ] {
            let error = connect_error(endpoint).await;
            assert!(matches!(error, MachineError::NoEngine { .. }), "{error:?}");
            assert!(error.to_string().contains(endpoint));
            assert!(error.source().unwrap().to_string().contains(reason), "{error:?}");
        }
    }

    #[tokio::test]
    async fn an_engine_that_hangs_up_is_no_engine() {
        let (_folder, endpoint) = answering("");
        assert!(matches!(connect_error(&endpoint).await, MachineError::NoEngine { .. }));
    }

    #[tokio::test]
    async fn an_engine_that_never_answers_is_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("docker.sock");
        let _listener = UnixListener::bind(&path).unwrap();
        let endpoint = format!("unix://{}", path.display());
        let error = Engine::connect_within(Some(&endpoint), Duration::from_millis(50)).await.err().unwrap();
        assert!(error.source().unwrap().to_string().contains("no answer within"), "{error:?}");
    }

    #[test]
    fn api_versions_compare_as_numbers() {
        assert!(is_recent("1.41") && is_recent("1.100") && is_recent("2.0"));
        assert!(!is_recent("1.40") && !is_recent("1.5") && !is_recent("") && !is_recent("x.y"));
    }
}
