//! Samples of a node: the resident shell program that prints them once a second, and the reading of its lines. What a
//! service counts itself is not here.

use std::time::Duration;

use indexmap::IndexMap;

use crate::machine::command::Command;

/// Clock ticks in a second, the unit of `/proc/PID/stat`: 100 on every Linux whose user space is not exotic.
const TICKS_PER_SECOND: f64 = 100.0;

/// What one node's sampler saw at one moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NodeSample {
    /// Values named as in [`TelemetryLine`](crate::model::measurement::TelemetryLine), and besides:
    /// `cpu_user_s_total`, `cpu_system_s_total`, `uptime_s_total` (the node's own clock, to divide by) and
    /// `services_exited` (services that ended by themselves and were not started again).
    pub values: IndexMap<String, f64>,
}

/// The resident sampler: one line a second on its standard output, for [`parse_sample`]. It needs a POSIX shell,
/// `/proc` and, where there is one, the control group of the node (version 1 or 2).
#[must_use]
pub fn sampler_command() -> Command {
    Command::new(include_str!("sampler.sh")).at_most(Duration::MAX)
}

/// Reads one line of the sampler; none for a partial line or anything else.
#[must_use]
pub fn parse_sample(line: &str) -> Option<NodeSample> {
    let fields = line.trim().strip_prefix("sample ")?.strip_suffix(" end")?;
    let mut values = IndexMap::new();
    for field in fields.split_ascii_whitespace() {
        let (name, text) = field.split_once('=')?;
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') {
            return None;
        }
        let number: f64 = text.parse().ok().filter(|number: &f64| number.is_finite())?;
        let (name, factor) = in_our_units(name);
        values.insert(name, number * factor);
    }
    (!values.is_empty()).then_some(NodeSample { values })
}

/// The telemetry name of a raw counter and the factor to its unit.
fn in_our_units(raw: &str) -> (String, f64) {
    let units = [
        ("_ns", "_s_total", 1.0e-9),
        ("_us", "_s_total", 1.0e-6),
        ("_ticks", "_s_total", 1.0 / TICKS_PER_SECOND),
        ("_kib", "_bytes", 1024.0),
        ("_count", "_total", 1.0),
    ];
    for (unit, ours, factor) in units {
        if let Some(stem) = raw.strip_suffix(unit) {
            return (format!("{stem}{ours}"), factor);
        }
    }
    (raw.to_owned(), 1.0)
}

#[cfg(test)]
mod tests {
    use std::io::BufRead;
    use std::io::BufReader;
    use std::process::Stdio;

    use proptest::prelude::proptest;

    use super::*;

    #[test]
    fn a_line_is_read_into_seconds_and_bytes() {
        let sample = parse_sample(
            "sample cpu_ns=1500000000 throttled_us=250000 throttled_periods_count=7 memory_kib=2 \
             sampler_cpu_ticks=3 services_exited=1 end\n",
        );
        let values = sample.unwrap().values;
        assert_eq!(values["cpu_s_total"], 1.5);
        assert_eq!(values["throttled_s_total"], 0.25);
        assert_eq!(values["throttled_periods_total"], 7.0);
        assert_eq!(values["memory_bytes"], 2048.0);
        assert_eq!(values["sampler_cpu_s_total"], 0.03);
        assert_eq!(values["services_exited"], 1.0);
    }

    #[test]
    fn partial_and_foreign_lines_are_no_samples() {
        for line in
            ["", "sample", "sample end", "sample cpu_ns=1", "sample cpu_ns= end", "sample cpu=1e999 end"]
        {
            assert_eq!(parse_sample(line), None, "{line}");
        }
        for line in ["sample Cpu=1 end", "sample a=1 b end", "sh: 1: x: not found", "sample a=NaN end"] {
            assert_eq!(parse_sample(line), None, "{line}");
        }
    }

    #[test]
    fn the_program_runs_on_this_machine_and_its_first_line_is_a_sample() {
        let mut child = std::process::Command::new("sh")
            .arg("-c")
            .arg(sampler_command().script)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let values = parse_sample(&line).unwrap_or_else(|| panic!("not a sample: {line}")).values;
        for name in
            ["cpu_s_total", "memory_bytes", "services_exited", "sampler_cpu_s_total", "uptime_s_total"]
        {
            assert!(values.contains_key(name), "{name} is missing in {line}");
        }
        assert!(values["cpu_s_total"] > 0.0 && values["memory_bytes"] > 1.0e6);
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in ".*") {
            let _ = parse_sample(&text);
            let _ = parse_sample(&format!("sample {text} end"));
        }
    }
}
