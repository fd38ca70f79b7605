//! What this process and its threads used, as the kernel counts it.

use std::io;

use nix::sys::resource::Usage;
use nix::sys::resource::UsageWho;
use nix::sys::resource::getrusage;
use nix::sys::time::TimeValLike;

use crate::loadgen::error::LoadError;

/// CPU seconds (user + system) of the calling thread.
pub fn thread_cpu_s() -> Result<f64, LoadError> {
    Ok(cpu_s(&usage(UsageWho::RUSAGE_THREAD)?))
}

/// CPU seconds (user + system) of the whole process.
pub fn process_cpu_s() -> Result<f64, LoadError> {
    Ok(cpu_s(&usage(UsageWho::RUSAGE_SELF)?))
}

/// Peak resident size of the process since it began, in bytes.
pub fn peak_rss_bytes() -> Result<u64, LoadError> {
    let kibibytes = usage(UsageWho::RUSAGE_SELF)?.max_rss();
    Ok(u64::try_from(kibibytes).unwrap_or(0) * 1024)
}

fn usage(who: UsageWho) -> Result<Usage, LoadError> {
    getrusage(who).map_err(|error| LoadError::Engine {
        doing: "ask the kernel what it used",
        source: io::Error::from(error),
    })
}

fn cpu_s(usage: &Usage) -> f64 {
    (usage.user_time().num_microseconds() + usage.system_time().num_microseconds()) as f64 / 1.0e6
}

#[cfg(test)]
mod tests {
    use super::peak_rss_bytes;
    use super::process_cpu_s;
    use super::thread_cpu_s;

    #[test]
    fn a_thread_uses_no_more_than_its_process() {
        let thread = thread_cpu_s().unwrap();
        assert!(thread <= process_cpu_s().unwrap());
        assert!(peak_rss_bytes().unwrap() > 100_000);
    }
}
