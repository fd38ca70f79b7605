//! A catalogue and scenarios for tests. The manifests are not the built-in ones: they hold every kind of parameter.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::catalog::Catalog;
use crate::scenario::Checked;
use crate::scenario::Options;
use crate::scenario::Problem;
use crate::scenario::check;

const BALANCER: &str = "
name: balancer
summary: spreads requests
parameters:
  bind: {kind: port, default: 80, doc: Port it listens on.}
  balance: {kind: choice, choices: [roundrobin, leastconn], default: roundrobin, doc: How it spreads.}
  stats:
    kind: map
    doc: Statistics page.
    fields:
      uri: {kind: text, default: /stats, doc: Path.}
      user: {kind: text, default: admin, doc: User.}
      password: {kind: text, doc: Password.}
  maxconn: {kind: count, min: 1, max: 5000, doc: Most connections.}
relations:
  backends: {to: node_group, software: [web], required: true, doc: Where requests go.}
service: {command: balancer}
actions:
  disable:
    run: 'true'
    doc: Takes a server out.
    arguments: {server: {doc: The server's name., member: true}, why: {doc: Reason., default: none}}
";

const WEB: &str = "
name: web
summary: web server
parameters:
  listen: {kind: port, default: 80, doc: Port it listens on.}
  workers_max: {kind: count, min: 1, doc: Workers.}
  timeout: {kind: duration, default: 60s, min: 1s, doc: Timeout.}
  cache: {kind: flag, default: false, doc: Caches answers.}
  buffer: {kind: bytes, doc: Buffer.}
  ratio: {kind: number, min: 0, max: 1, doc: A share.}
  modules: {kind: list, doc: Modules.}
  extra: {kind: map, doc: Free settings.}
  token: {kind: secret, doc: Shared token.}
relations:
  php: {to: service, software: [php], same_node: true, doc: Where PHP runs.}
  peer: {to: service, doc: Another service.}
service: {command: web}
files: [{template: config/web.conf.j2, target: web.conf}]
conflicts:
  - {when: {cache: true, timeout: 1s}, reason: A cache needs time.}
";

const PHP: &str = "
name: php
summary: PHP
parameters:
  workers: {kind: worker_count, default: 4, doc: Workers.}
relations:
  next: {to: service, doc: For circles.}
service: {command: php}
";

/// The catalogue, read once.
pub(super) fn catalog() -> Catalog {
    static CATALOG: LazyLock<Catalog> = LazyLock::new(read);
    CATALOG.clone()
}

fn read() -> Catalog {
    [("balancer", BALANCER), ("web", WEB), ("php", PHP)].into_iter().fold(
        Catalog::builtin().unwrap(),
        |catalog, (name, text)| {
            let mut files = BTreeMap::from([("software.yaml".to_owned(), text.to_owned())]);
            if text.contains("config/web.conf.j2") {
                files.insert("config/web.conf.j2".to_owned(), "nothing\n".to_owned());
            }
            catalog.with_folder(name, files).unwrap()
        },
    )
}

/// A scenario that is right.
pub(super) const RIGHT: &str = "name: right
title: Balanced
defaults: {cpus: 0.5, memory: 256MiB}
nodes:
  front:
    services:
      balancer: {backends: backend, stats: {password: \"${STATS:-cda}\"}}
  backend:
    count: 2
    cpus: 0.4
    services:
      web: {listen: 8080, php: php, buffer: 8M, modules: [gzip]}
      php: {workers: 400MB/32MB}
target: {url: http://www.example.org/, node: front, expect: {contains: hello}}
load: {connections: [4, 16], duration: 4s}
repeat: 3
variants:
  two: {title: Two}
  three: {set: {nodes.backend.count: 3}}
  one:
    disable: [backend2.web]
    actions: [{node: front, do: balancer.disable, with: {server: backend2}}]
questions:
  - {ask: More?, compare: [two, three], at: 16}
thresholds:
  - goodput('three', 16) > 1.2 * goodput('two', 16)
profiles:
  ci: {load.connections: [16], repeat: 1}
";

/// Checks a text with no options.
pub(super) fn checked(text: &str) -> Result<Checked, Vec<Problem>> {
    with(text, &Options::default())
}

/// Checks a text.
pub(super) fn with(text: &str, options: &Options) -> Result<Checked, Vec<Problem>> {
    check(text, &catalog(), options).map_err(|problems| problems.0)
}

/// `line:column message` of every problem.
pub(super) fn lines(text: &str) -> Vec<String> {
    let problems = match checked(text) {
        Ok(checked) => checked.warnings,
        Err(problems) => problems,
    };
    problems
        .iter()
        .map(|problem| format!("{}:{} {}", problem.line, problem.column, problem.message))
        .collect()
}

/// Options with some `--set`.
pub(super) fn sets(sets: &[&str]) -> Options {
    Options { sets: sets.iter().map(|set| (*set).to_owned()).collect(), ..Options::default() }
}
