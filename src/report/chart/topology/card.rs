//! What stands on the cards of the drawing, line by line. Knows no pixels.

use indexmap::{IndexMap, IndexSet};

use crate::model::experiment::{Language, Variant};
use crate::model::run::RunRecord;
use crate::model::topology::{Network, Node, Service};
use crate::report::number;
use crate::report::role;
use crate::report::role::Roles;
use crate::report::usage;
use crate::report::words::phrase::phrases;

/// Members of a group that are drawn; the others stand together on one card more.
const MEMBERS_DRAWN_MAX: usize = 6;

/// Members from which those like the first one are drawn small.
const SMALL_FROM: usize = 4;

phrases! {
    /// CPUs and memory of a node.
    size(cpus, memory) { "{cpus} · {memory}", "{cpus} · {memory}" }
    /// A CPU limit.
    cpus(count) { "{count} CPUs", "{count} CPU" }
    /// No CPU limit.
    no_cpu_limit() { "no CPU limit", "sin límite de CPU" }
    /// No memory limit.
    no_memory_limit() { "no memory limit", "sin límite de memoria" }
    /// A service's workers.
    workers(count) { "{count} workers", "{count} procesos" }
    /// A service that does not run in this variant.
    stopped() { "stopped", "parado" }
    /// A node with the services and the size of another one.
    same_as(name) { "the rest as {name}", "lo demás como {name}" }
    /// Nodes that are not drawn one by one.
    more(count) { "+{count} more", "+{count} más" }
    /// The first and the last node of several.
    from_to(first, last) { "{first} … {last}", "{first} … {last}" }
    /// The network of the clients.
    public() { "public", "pública" }
    /// The network between the nodes.
    private() { "private", "privada" }
}

/// How a line looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// The node's name.
    Name,
    /// Ordinary.
    Plain,
    /// Less important.
    Quiet,
    /// An address, on a ground of its network's colour.
    Address(Network),
    /// A service, indented by as many steps.
    Service(usize),
}

/// One line of a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) look: Look,
}

/// One card: a node, or the nodes of a group that are not drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Card {
    pub(super) nodes: Vec<String>,
    pub(super) column: usize,
    pub(super) lines: Vec<Line>,
}

/// The cards of a variant, column by column from the client.
pub(super) fn cards(run: &RunRecord, variant: &Variant, language: Language) -> Vec<Card> {
    let roles = role::roles(run, variant);
    let depths = role::depths(&variant.topology);
    let mut groups: IndexMap<(&str, usize), Vec<&Node>> = IndexMap::new();
    for node in variant.topology.nodes.values() {
        groups.entry((&node.group, depths[node.name.as_str()])).or_default().push(node);
    }
    let mut cards = Vec::new();
    for ((_, column), members) in groups {
        let drawn = members.len().min(MEMBERS_DRAWN_MAX);
        let first = members[0];
        for node in &members[..drawn] {
            let of = &roles[node.name.as_str()];
            let alike = members.len() >= SMALL_FROM
                && node.name != first.name
                && services(node, language) == services(first, language)
                && (node.cpus, node.memory) == (first.cpus, first.memory)
                && *of == roles[first.name.as_str()];
            let lines =
                if alike { small(run, node, &first.name, language) } else { whole(run, node, of, language) };
            cards.push(Card { nodes: vec![node.name.clone()], column, lines });
        }
        if let [from, .., to] | [from @ to] = &members[drawn..] {
            let range = if from.name == to.name {
                from.name.clone()
            } else {
                from_to(language, &from.name, &to.name)
            };
            let lines = vec![
                line(more(language, &(members.len() - drawn)), Look::Name),
                line(range, Look::Quiet),
                line(same_as(language, &first.name), Look::Quiet),
            ];
            cards.push(Card {
                nodes: members[drawn..].iter().map(|node| node.name.clone()).collect(),
                column,
                lines,
            });
        }
    }
    cards.sort_by_key(|card| card.column);
    cards
}

/// Whether the client's network is another one than the nodes'.
pub(super) fn has_public(run: &RunRecord, variant: &Variant) -> bool {
    let facts = |node: &Node| run.nodes.get(&node.name).is_some_and(|facts| facts.public_address.is_some());
    variant.topology.nodes.values().any(|node| node.networks.contains(&Network::Public) || facts(node))
}

/// The network's name in the report's language.
pub(super) fn network(network: Network, language: Language) -> String {
    match network {
        Network::Public => public(language),
        Network::Private => private(language),
    }
}

fn line(text: String, look: Look) -> Line {
    Line { text, look }
}

fn whole(run: &RunRecord, node: &Node, roles: &Roles, language: Language) -> Vec<Line> {
    let mut lines = vec![line(node.name.clone(), Look::Name)];
    let words = roles.words(language);
    if !words.is_empty() {
        lines.push(line(words, Look::Quiet));
    }
    lines.extend(addresses(run, node, language));
    let limit =
        node.cpus.map_or_else(|| no_cpu_limit(language), |count| cpus(language, &number::plain(count)));
    let memory = node.memory.map_or_else(|| no_memory_limit(language), |memory| memory.to_string());
    lines.push(line(size(language, &limit, &memory), Look::Plain));
    lines.extend(services(node, language));
    lines
}

fn small(run: &RunRecord, node: &Node, like: &str, language: Language) -> Vec<Line> {
    let mut lines = vec![line(node.name.clone(), Look::Name)];
    lines.extend(addresses(run, node, language));
    lines.push(line(same_as(language, &like), Look::Quiet));
    lines
}

/// Public first, each with its network's name; where there is but one network its name says nothing.
fn addresses(run: &RunRecord, node: &Node, language: Language) -> Vec<Line> {
    let facts = run.nodes.get(&node.name);
    let two = run.experiment.variants.values().any(|variant| has_public(run, variant));
    let named = |of: Network, address: &str| {
        let text = match (two, address) {
            (false, address) => address.to_owned(),
            (true, "") => network(of, language),
            (true, address) => format!("{} {address}", network(of, language)),
        };
        line(text, Look::Address(of))
    };
    let public = facts.and_then(|facts| facts.public_address.as_deref());
    let own = facts.map(|facts| facts.address.as_str()).unwrap_or_default();
    let on = |of: Network| node.networks.contains(&of);
    let mut lines = Vec::new();
    if two && (public.is_some() || on(Network::Public)) {
        let only = if on(Network::Private) { "" } else { own };
        lines.push(named(Network::Public, public.unwrap_or(only)));
    }
    let private = !two || on(Network::Private) || node.networks.is_empty();
    if private && (two || !own.is_empty()) {
        lines.push(named(Network::Private, own));
    }
    lines
}

/// The services of a node as a chain: what leads to another one of the node stands before it, and that one indented.
fn services(node: &Node, language: Language) -> Vec<Line> {
    let own = |service: &Service| -> Vec<String> {
        let all = service.relations.values().flatten();
        all.filter(|target| target.node == node.name).map(|target| target.service.clone()).collect()
    };
    let led_to: IndexSet<String> = node.services.values().flat_map(own).collect();
    let mut lines = Vec::new();
    let mut done: IndexSet<&str> = IndexSet::new();
    // Beginnings of chains first; then what only a circle leads to.
    let beginnings = node.services.values().filter(|service| !led_to.contains(&service.name));
    let mut waiting: Vec<(&Service, usize)> =
        beginnings.chain(node.services.values()).map(|service| (service, 0)).rev().collect();
    while let Some((service, step)) = waiting.pop() {
        if !done.insert(&service.name) {
            continue;
        }
        lines.push(line(service_text(service, language), Look::Service(step)));
        let next = own(service);
        let next = next.iter().rev().filter_map(|name| node.services.get(name));
        waiting.extend(next.map(|service| (service, step + 1)));
    }
    lines
}

/// `nginx :80`, `php-fpm · 12 workers`, `edge (nginx) :8080 · stopped`.
fn service_text(service: &Service, language: Language) -> String {
    let mut text = service.name.clone();
    if service.software != service.name {
        text.push_str(&format!(" ({})", service.software));
    }
    if let Some(port) = service.port() {
        text.push_str(&format!(" :{port}"));
    }
    if let Some(count) = usage::workers_parameter(service) {
        text.push_str(&format!(" · {}", workers(language, &number::plain(count))));
    }
    if !service.enabled {
        text.push_str(&format!(" · {}", stopped(language)));
    }
    text
}
