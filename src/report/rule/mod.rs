//! The rules that raise findings: each looks at cells, gates and telemetry and says what it saw.

mod answers;
mod gates;
mod load;
mod machine;
mod noise;
#[cfg(test)]
mod tests;

pub(super) use answers::{errors_counted_as_throughput, length_varies, redirects_measured};
pub(super) use gates::{kills, oom_kill, service_died, symptoms};
pub(super) use load::{
    generator_was_the_limit, keep_alive_not_obtained, little_does_not_hold, run_too_short,
};
pub(super) use machine::{cpu_overpromised, cpu_throttled, promised_cores, workers_all_busy};
pub(super) use noise::{cold_first_repetition, drifts, order_confounded, run_drift, too_noisy};
