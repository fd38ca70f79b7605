//! Makes room for the connections in this process's table of file descriptors.

use std::io;

use nix::sys::resource::Resource;
use nix::sys::resource::getrlimit;
use nix::sys::resource::setrlimit;

use crate::loadgen::error::LoadError;

/// Descriptors for everything but the connections: terminal, files, the driver's sockets.
const OTHERS: u64 = 100;

/// Raises the soft limit to the hard one when `connections` need it; an error when even that is too little.
pub fn ensure_descriptors(connections: u32) -> Result<(), LoadError> {
    let failed = |doing| move |error| LoadError::Engine { doing, source: io::Error::from(error) };
    let (soft, hard) =
        getrlimit(Resource::RLIMIT_NOFILE).map_err(failed("read the file descriptor limit"))?;
    let needed = u64::from(connections) + OTHERS;
    if needed > hard {
        return Err(LoadError::TooFewDescriptors { connections, limit: hard });
    }
    if needed > soft {
        setrlimit(Resource::RLIMIT_NOFILE, hard, hard).map_err(failed("raise the file descriptor limit"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use nix::sys::resource::Resource;
    use nix::sys::resource::getrlimit;

    use super::ensure_descriptors;
    use crate::loadgen::error::LoadError;

    #[test]
    fn more_connections_than_the_hard_limit_are_refused_with_the_limit() {
        let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
        let Ok(connections) = u32::try_from(hard) else { return };
        match ensure_descriptors(connections) {
            Err(LoadError::TooFewDescriptors { limit, .. }) => assert_eq!(limit, hard),
            other => panic!("{other:?}"),
        }
        assert!(ensure_descriptors(1).is_ok());
    }
}
