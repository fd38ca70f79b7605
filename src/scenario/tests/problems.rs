//! What is reported of a wrong scenario, and where.

use crate::scenario::show;
use crate::scenario::tests::fixture::RIGHT;
use crate::scenario::tests::fixture::checked;
use crate::scenario::tests::fixture::lines;

/// Replaces a part of the right scenario and wants exactly these problems, each given by its beginning.
#[track_caller]
fn replaced(from: &str, to: &str, wanted: &[&str]) {
    assert!(RIGHT.contains(from), "{from}");
    let found = lines(&RIGHT.replacen(from, to, 1));
    assert_eq!(found.len(), wanted.len(), "{found:#?}");
    for (found, wanted) in found.iter().zip(wanted) {
        assert!(found.starts_with(wanted), "{found} is not {wanted}");
    }
}

#[test]
fn names_that_are_not_known() {
    replaced("repeat: 3", "repaet: 3", &["16:1 unknown key `repaet`"]);
    replaced(
        "      php: {w",
        "      phpp: {w",
        &["12:32 unknown service or node `php`", "13:7 unknown software `phpp`"],
    );
    replaced("buffer: 8M", "bufer: 8M", &["12:37 unknown key `bufer` in service of web"]);
    replaced("node: front, expect", "node: fornt, expect", &["14:46 unknown node `fornt`"]);
    replaced(
        "[two, three], at: 16",
        "[two, there], at: 17",
        &["24:33 unknown variant `there`", "24:45 variant `two` has no level `17`"],
    );
    replaced("backend2.web]", "backend2.wbe]", &["21:15 node `backend` has no service `wbe`"]);
    replaced("balancer.disable", "balancer.disabel", &["22:33 `balancer` has no action `disabel`"]);
    replaced(
        "{server: backend2}",
        "{servr: backend2}",
        &["22:51 the argument `server`", "22:58 unknown argument `servr`"],
    );
}

#[test]
fn values_of_the_wrong_type_or_unit() {
    replaced("repeat: 3", "repeat: three", &["16:9 `three` is not a whole number"]);
    replaced("memory: 256MiB", "memory: 256 bananas", &["3:31 `256 bananas` is not a size"]);
    replaced("duration: 4s", "duration: 4", &["15:40 `4` is not a time"]);
    replaced("[4, 16]", "16", &["15:21 `16` is not a list"]);
    replaced("modules: [gzip]", "cache: yes", &["12:56 `yes` is not true or false"]);
    replaced("workers: 400MB/32MB", "workers: 4MB/32MB", &["13:22 `4MB/32MB`"]);
    replaced("count: 2", "count: \"2\"", &["9:12 `2` is text in quotes"]);
    replaced("listen: 8080", "listen: 80800", &["12:21 `80800` is too large"]);
    replaced("repeat: 3", "repeat: 3\norder: shuffled", &["17:8 unknown value `shuffled`"]);
}

#[test]
fn keys_of_later_versions_are_called_that() {
    replaced("repeat: 3", "whatif: []", &["16:1 `whatif` is not supported by this version"]);
    replaced("duration: 4s", "schedule: x", &["15:30 `schedule` is not supported"]);
    replaced("http://www", "https://www", &["14:15 `https://` is not supported"]);
    replaced("repeat: 3", "driver: ssh", &["16:9 `ssh` is not supported"]);
    replaced("{title: Two}", "{expect: oom_kill}", &["18:9 `expect` is not supported"]);
    replaced("    count: 2", "    managed: false\n    count: 2", &["9:5 `managed` is not supported"]);
}

#[test]
fn duplicate_keys_name_both_places() {
    replaced("repeat: 3", "repeat: 3\nrepeat: 4", &["17:1 duplicate key `repeat`: it is already on line 16"]);
    replaced("listen: 8080, php", "listen: 8080, listen: 1, php", &["12:27 duplicate key `listen`"]);
}

#[test]
fn a_problem_of_one_variant_points_into_that_variant() {
    replaced("nodes.backend.count: 3", "nodes.backend.count: many", &["19:38 `many` is not a whole number"]);
    replaced(
        "nodes.backend.count: 3",
        "nodes.backand.count: 3",
        &["19:17 the path `nodes.backand.count` does not exist"],
    );
    replaced(
        "nodes.backend.count: 3",
        "nodes.backend2.cpus: 3",
        &["19:17 the path `nodes.backend2.cpus` does not exist: `backend2` is a member"],
    );
    replaced(
        "nodes.backend.count: 3",
        "nodes.backend.cuont: 3",
        &["19:17 the path `nodes.backend.cuont` does not exist: unknown key `cuont`"],
    );
    replaced("nodes.backend.count: 3", "repeat: 3", &["19:17 variants cannot differ in `repeat`"]);
    replaced(
        "nodes.backend.count: 3",
        "load.connections.x: 3",
        &["19:17 `load.connections` has nothing below"],
    );
    replaced(
        "load.connections: [16], repeat",
        "load.conections: [16], repeat",
        &["28:8 the path `load.conections`"],
    );
}

#[test]
fn ports_circles_conflicts_and_twice_named_nodes() {
    let clash = "edge: {software: web, listen: 80}, balancer: {";
    replaced(
        "balancer: {",
        "balancer: {bind: 81, ",
        &["14:15 nothing that runs on node `front` listens on port 80"],
    );
    assert!(
        lines(&RIGHT.replacen(
            "      balancer: {",
            &format!("      {}", "edge: {software: web}\n      balancer: {"),
            1
        ))
        .iter()
        .any(|line| line.starts_with("8:7 port 80 on node `front` is taken twice")),
        "{clash}"
    );
    replaced(
        "three: {set: {",
        "three: {set: {nodes.backend.services.edge: {software: web, listen: 8080, php: php}, ",
        &["7:28 `backend` is ambiguous", "19:70 port 8080 on node `backend` is taken twice"],
    );
    replaced(
        "php: {workers",
        "php: {next: web, workers",
        &[
            "13:19 these references go in a circle: backend.php → backend.web → backend.php",
            "13:19 `next` leads only to what is disabled here: `backend2.web` (in variant `one`)",
        ],
    );
    replaced(
        "modules: [gzip]",
        "cache: true, timeout: 1s",
        &["12:71 `cache` and `timeout` cannot stand together"],
    );
    replaced(
        "  backend:\n",
        "  backend1: {services: {php: }}\n  backend:\n",
        &["9:3 there are two nodes `backend1`", "7:28 `backends` leads only to what is disabled"],
    );
}

#[test]
fn unquoted_calls_and_environment_values_are_recognised() {
    replaced("{title: Two}", "{title: step(3, 15)}", &["18:16 `step(3, 15)` looks like a call: quote it"]);
    replaced("- goodput('three', 16) > 1.2 * goodput('two', 16)", "- goodput('three', 16) > 1", &[]);
    replaced(
        "thresholds:\n  - goodput('three', 16) > 1.2 * goodput('two', 16)",
        "thresholds: [goodput('three', 16) > 1]",
        &["25:14 `goodput('three', 16) > 1` looks like a call"],
    );
    replaced(
        "title: Balanced",
        "report: {author: ${AUTHOR:-me}}",
        &["2:18 looks like an environment value: quote it"],
    );
    replaced("\"${STATS:-cda}\"", "\"${STATS}\"", &["7:55 the environment variable `STATS` is not set"]);
}

#[test]
fn texts_that_are_no_scenarios() {
    assert!(lines("")[0].contains("no scenario"));
    assert!(lines("- a\n- b\n")[0].contains("not a scenario"));
    assert!(lines("a: [1, 2\nb: 3\n")[0].contains("not valid YAML"));
    assert!(lines(&format!("a: {}", "[".repeat(100_000)))[0].contains("too deeply"));
    assert!(lines(&"#".repeat((1 << 20) + 1))[0].contains("larger than 1 MiB"));
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..9 {
        bomb.push_str(&format!(
            "a{level}: &a{level} [{}]\n",
            vec![format!("*a{}", level - 1); 10].join(", ")
        ));
    }
    assert!(lines(&bomb)[0].contains("too large"), "{:?}", lines(&bomb));
    assert!(lines("a: b\n---\nc: d\n")[0].contains("second document"));
}

#[test]
fn several_problems_are_reported_together_and_a_repeated_one_once() {
    let text = RIGHT
        .replace("repeat: 3", "repeat: x\nordr: y")
        .replace("count: 2", "cuont: 2")
        .replace("cpus: 0.4", "cpus: lots");
    let found = lines(&text);
    assert!(found.len() >= 4, "{found:#?}");
    let mut unique = found.clone();
    unique.dedup();
    assert_eq!(found, unique);
}

#[test]
fn a_shown_problem_has_file_line_snippet_and_advice_but_no_password() {
    let text = RIGHT.replace("stats: {password: \"${STATS:-cda}\"}", "stats: {password: hunter2, usr: x}");
    let problem = &checked(&text).unwrap_err()[0];
    let shown = show(problem, "right.yaml", &text);
    assert!(shown.contains("error: unknown key `usr` in stats"), "{shown}");
    assert!(shown.contains("right.yaml:7:"), "{shown}");
    assert!(shown.contains("did you mean `user`?"), "{shown}");
    assert!(shown.contains("at nodes.front.services.balancer.stats.usr"), "{shown}");
    assert!(!shown.contains("hunter2"), "{shown}");
}

#[test]
fn no_secret_is_shown_beside_a_problem() {
    let token = RIGHT.replace("buffer: 8M", "token: canary, bufer: 8M");
    let header =
        RIGHT.replace("node: front, expect", "headers: {Cookie: \"canary\\n\"}, node: front, expect");
    let call = RIGHT.replace("\"${STATS:-cda}\"", "canary(1, 2)");
    for text in [token, header, call] {
        let problems = checked(&text).unwrap_err();
        for problem in problems {
            assert!(
                !show(&problem, "x.yaml", &text).contains("canary"),
                "{}",
                show(&problem, "x.yaml", &text)
            );
        }
    }
}
