//! Reads the counters a manifest names out of a program's own text. A value that is not there is left out: one missing
//! number must not cost the others.

use indexmap::IndexMap;
use regex::Regex;

use crate::formats::csv;
use crate::formats::json;
use crate::formats::prometheus;
use crate::model::software::{CounterFormat, CounterKind, TelemetryValue};

/// Finds one value by its `from`.
type Reader<'a> = Box<dyn Fn(&str) -> Option<f64> + 'a>;

/// The values found, by our name; the name of a counter gets `_total` appended.
#[must_use]
pub fn read_counters(
    format: CounterFormat,
    values: &IndexMap<String, TelemetryValue>,
    text: &[u8],
) -> IndexMap<String, f64> {
    let text = String::from_utf8_lossy(text);
    let read: Reader<'_> = match format {
        CounterFormat::Csv => {
            let table = csv::Table::read(&text);
            Box::new(move |from| csv::value(table.as_ref()?, from))
        }
        CounterFormat::Json => {
            let document: Option<serde_json::Value> = serde_json::from_str(&text).ok();
            Box::new(move |from| json::value(document.as_ref()?, from))
        }
        CounterFormat::KeyValue => Box::new(|from| key_value(&text, from)),
        CounterFormat::Prometheus => Box::new(|from| prometheus::value(&text, from)),
        CounterFormat::Regex => Box::new(|from| first_group(&text, from)),
    };
    let mut found = IndexMap::new();
    for (name, value) in values {
        let Some(number) = read(&value.from).filter(|number| number.is_finite()) else { continue };
        let name = match value.kind {
            CounterKind::Gauge => name.clone(),
            CounterKind::Counter => format!("{name}_total"),
        };
        found.insert(name, number);
    }
    found
}

/// The number after `key`, `key:` or `key=` at the start of a line. The key must be followed by the number at once:
/// `listen queue` does not find `listen queue len: 511`.
fn key_value(text: &str, key: &str) -> Option<f64> {
    text.lines().find_map(|line| {
        let rest = line.trim_start().strip_prefix(key)?;
        let value = rest.trim_start();
        let value = match value.strip_prefix([':', '=']) {
            Some(value) => value,
            None if rest.len() > value.len() => value,
            None => return None,
        };
        value.split_whitespace().next()?.parse().ok()
    })
}

fn first_group(text: &str, pattern: &str) -> Option<f64> {
    let captures = Regex::new(pattern).ok()?.captures(text)?;
    captures.get(1)?.as_str().trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert, proptest};

    use super::*;

    const QUEUEING: &str = include_str!("../../tests/data/haproxy_queueing.csv");
    const FPM: &str = include_str!("../../tests/data/fpm_status.txt");
    const MEMCACHED: &str = include_str!("../../tests/data/memcached_stats.txt");

    fn wanted(values: &[(&str, &str, CounterKind)]) -> IndexMap<String, TelemetryValue> {
        values
            .iter()
            .map(|(name, from, kind)| {
                ((*name).to_owned(), TelemetryValue { from: (*from).to_owned(), kind: *kind })
            })
            .collect()
    }

    #[test]
    fn a_balancers_queue_is_on_its_backend_row() {
        let values = wanted(&[
            ("queue_peak", "pxname=be,svname=BACKEND:qmax", CounterKind::Gauge),
            ("server_limit", "pxname=be,svname=q1:slim", CounterKind::Gauge),
            ("requests", "pxname=web,svname=FRONTEND:stot", CounterKind::Counter),
            ("queue", "pxname=web,svname=FRONTEND:qcur", CounterKind::Gauge),
        ]);
        let found = read_counters(CounterFormat::Csv, &values, QUEUEING.as_bytes());
        assert_eq!(found["queue_peak"], 45.0);
        assert_eq!(found["server_limit"], 5.0);
        assert_eq!(found["requests_total"], 200.0);
        assert!(!found.contains_key("queue"), "an empty field is no number");
    }

    #[test]
    fn a_pools_status_page_is_key_and_value() {
        let values = wanted(&[
            ("queue", "listen queue", CounterKind::Gauge),
            ("busy_workers", "active processes", CounterKind::Gauge),
            ("max_children_reached", "max children reached", CounterKind::Counter),
        ]);
        let found = read_counters(CounterFormat::KeyValue, &values, FPM.as_bytes());
        assert_eq!(
            (found["queue"], found["busy_workers"], found["max_children_reached_total"]),
            (5.0, 10.0, 3.0)
        );
    }

    #[test]
    fn a_caches_counters_need_no_separator_but_a_blank() {
        let values = wanted(&[
            ("cache_hits", "STAT get_hits", CounterKind::Counter),
            ("cache_misses", "STAT get_misses", CounterKind::Counter),
            ("nothing", "STAT get", CounterKind::Counter),
        ]);
        let found = read_counters(CounterFormat::KeyValue, &values, MEMCACHED.as_bytes());
        assert_eq!((found["cache_hits_total"], found["cache_misses_total"], found.len()), (18.0, 1.0, 2));
    }

    #[test]
    fn a_regular_expression_takes_its_first_group_from_binary_text() {
        let values = wanted(&[("busy_workers", r#""active processes":(\d+)"#, CounterKind::Gauge)]);
        let found =
            read_counters(CounterFormat::Regex, &values, b"\x01\x06\x00\xff{\"active processes\":7}\x00");
        assert_eq!(found["busy_workers"], 7.0);
    }

    proptest! {
        #[test]
        fn no_text_makes_a_reader_panic(
            text in proptest::collection::vec(any::<u8>(), 0..300),
            from in ".{0,20}",
            lines in "([a-z]{1,3}[ ,:={}\"\\\\]{0,3}){0,30}",
        ) {
            let formats = [
                CounterFormat::Csv, CounterFormat::KeyValue, CounterFormat::Json, CounterFormat::Prometheus,
                CounterFormat::Regex,
            ];
            let values = wanted(&[("a", &from, CounterKind::Gauge), ("b", "a", CounterKind::Counter)]);
            for format in formats {
                for text in [text.as_slice(), lines.as_bytes()] {
                    prop_assert!(read_counters(format, &values, text).values().all(|number| number.is_finite()));
                }
            }
        }
    }
}
