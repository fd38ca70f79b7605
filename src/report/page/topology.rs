//! The topology: its drawing, where variants differ from it, each node with its address and size, its services and what
//! they lead to.

use indexmap::IndexMap;

use crate::model::experiment::{Action, Language, Variant};
use crate::model::run::{RunRecord, ServiceRole};
use crate::model::topology::{Network, Node, Service};
use crate::report::chart;
use crate::report::markdown::{Align, Table, code, text};
use crate::report::number;
use crate::report::role;
use crate::report::words::phrase::phrases;

phrases! {
    /// Heading.
    heading() { "Topology", "Topología" }
    /// Stands for the drawing where it cannot be seen.
    picture(variant) {
        "The nodes of the variant {variant} and what leads where; the table below says the same",
        "Los nodos de la variante {variant} y qué lleva a dónde; la tabla siguiente dice lo mismo"
    }
    /// Which variant is drawn.
    drawn(variant) { "Drawn: {variant}.", "Dibujada: {variant}." }
    /// The drawing holds for every variant.
    drawn_all() { "The drawing holds for every variant.", "El dibujo vale para todas las variantes." }
    /// How a variant differs from the drawing.
    differs(variant, what) { "{variant}: {what}.", "{variant}: {what}." }
    /// Nodes that a variant lacks.
    without(nodes) { "without {nodes}", "sin {nodes}" }
    /// A service that a variant stops.
    stopped_service(service, node) { "{service} on {node} is stopped", "{service} en {node} está parado" }
    /// An action before measuring.
    action(action, node) { "{action} on {node} before measuring", "{action} en {node} antes de medir" }
    /// An action inside the window.
    action_at(action, node, seconds) {
        "{action} on {node} {seconds} s after each window begins",
        "{action} en {node} a los {seconds} s de empezar cada ventana"
    }
    node() { "Node", "Nodo" }
    role_column() { "Role", "Papel" }
    networks() { "Networks", "Redes" }
    public_address() { "Public address", "Dirección pública" }
    address() { "Address", "Dirección" }
    memory() { "Memory", "Memoria" }
    budget() { "Budget", "Presupuesto" }
    services() { "Services", "Servicios" }
    in_variants() { "In variants", "En las variantes" }
    all() { "all", "todas" }
    no_limit() { "no limit", "sin límite" }
    stopped() { "stopped", "parado" }
    public() { "public", "pública" }
    private() { "private", "privada" }
    of_memory(parts, sum, memory) { "{parts} = {sum} of {memory}", "{parts} = {sum} de {memory}" }
    /// Members that share requests and not their data.
    diverges(stores) {
        "Each of {stores} keeps its own data: what is written through the balancer lands on one of them, and their contents \
         would diverge.",
        "Cada uno de {stores} guarda sus propios datos: lo que se escribe a través del balanceador llega a uno solo, y sus \
         contenidos divergirían."
    }
    requests_go(url, node) {
        "Requests go to {url} through {node}",
        "Las peticiones van a {url} a través de {node}"
    }
}

/// The drawing, and a table of the nodes of all variants; where variants differ, each way is a row of its own.
pub(super) fn section(run: &RunRecord) -> String {
    let language = run.experiment.report.language;
    let mut section = format!("### {}\n\n{}", heading(language), drawing(run, language));
    section.push_str(&nodes(run, language));
    for variant in run.experiment.variants.values() {
        let target = &variant.target;
        let line = requests_go(language, &code(&target.url), &code(&target.node));
        if !section.contains(&line) {
            section.push_str(&format!("{line}.\n\n"));
        }
    }
    section.push_str(&separate_stores(run, language));
    section
}

/// What becomes of written content when members of a balancer keep their own data.
fn separate_stores(run: &RunRecord, language: Language) -> String {
    let stores = |variant: &Variant| -> Vec<String> {
        let has_role =
            |node: &Node, service: &Service, wanted| role::role_of(run, node, service) == Some(wanted);
        let services = || variant.topology.services().filter(|(_, service)| service.enabled);
        let balancers = services().filter(|(node, service)| has_role(node, service, ServiceRole::Balancer));
        let members: Vec<&str> = balancers
            .flat_map(|(_, service)| service.relations.values().flatten())
            .map(|led_to| led_to.node.as_str())
            .collect();
        let own = services().filter(|(node, service)| {
            members.contains(&node.name.as_str()) && has_role(node, service, ServiceRole::Database)
        });
        own.map(|(node, service)| code(&format!("{}.{}", node.name, service.name))).collect()
    };
    let most = run.experiment.variants.values().map(stores).max_by_key(Vec::len).unwrap_or_default();
    if most.len() < 2 {
        return String::new();
    }
    format!("{}\n\n", diverges(language, &most.join(", ")))
}

fn drawing(run: &RunRecord, language: Language) -> String {
    let Some(drawn_variant) = role::largest(run).filter(|_| chart::has_nodes(run)) else {
        return String::new();
    };
    let mut section =
        format!("![{}]({}.png)\n\n", text(&picture(language, &drawn_variant.name)), chart::TOPOLOGY);
    let variants = run.experiment.variants.values();
    let differences: Vec<String> = variants
        .filter_map(|variant| {
            let differences = differences(variant, drawn_variant, language);
            let what = differences.join("; ");
            (!differences.is_empty()).then(|| differs(language, &code(&variant.name), &what))
        })
        .collect();
    match (differences.as_slice(), run.experiment.variants.len()) {
        ([], 1) => section.push_str(&format!("{}\n\n", drawn(language, &code(&drawn_variant.name)))),
        ([], _) => section.push_str(&format!("{}\n\n", drawn_all(language))),
        (some, _) => {
            section.push_str(&format!("{}\n\n", drawn(language, &code(&drawn_variant.name))));
            section.push_str(&some.iter().map(|line| format!("- {line}\n")).collect::<String>());
            section.push('\n');
        }
    }
    section
}

/// What a variant lacks or stops of what is drawn, and what it does before or while it is measured.
fn differences(variant: &Variant, drawn: &Variant, language: Language) -> Vec<String> {
    let mut found = Vec::new();
    let nodes = &variant.topology.nodes;
    let lacking: Vec<String> = drawn
        .topology
        .nodes
        .keys()
        .filter(|name| !nodes.contains_key(*name))
        .map(|name| code(name))
        .collect();
    if !lacking.is_empty() {
        found.push(without(language, &lacking.join(", ")));
    }
    for (node, service) in variant.topology.services().filter(|(_, service)| !service.enabled) {
        found.push(stopped_service(language, &code(&service.name), &code(&node.name)));
    }
    found.extend(variant.actions.iter().map(|action| done(action, language)));
    found
}

fn done(of: &Action, language: Language) -> String {
    let arguments: Vec<String> = of.arguments.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let name = code(&format!("{}.{} {}", of.service, of.action, arguments.join(" ")));
    match of.at_s {
        Some(at_s) => action_at(language, &name, &code(&of.node), &number::seconds(at_s)),
        None => action(language, &name, &code(&of.node)),
    }
}

/// Which columns beside the usual ones say something in this run.
#[derive(Debug, Clone, Copy)]
struct Columns {
    networks: bool,
    budget: bool,
}

fn nodes(run: &RunRecord, language: Language) -> String {
    let variants = &run.experiment.variants;
    let every = || variants.values().flat_map(|variant| variant.topology.nodes.values());
    let columns = Columns {
        networks: every().any(|node| node.networks.contains(&Network::Public))
            || run.nodes.values().any(|facts| facts.public_address.is_some()),
        budget: every().any(|node| !node.budget.is_empty()),
    };
    let mut rows: IndexMap<Vec<String>, Vec<&str>> = IndexMap::new();
    for variant in variants.values() {
        let roles = role::roles(run, variant);
        for node in variant.topology.nodes.values() {
            let role = roles.get(node.name.as_str()).map(|roles| roles.words(language)).unwrap_or_default();
            rows.entry(describe(run, node, &role, columns)).or_default().push(&variant.name);
        }
    }
    let titles = [
        Some((node(language), Align::Left)),
        Some((role_column(language), Align::Left)),
        columns.networks.then(|| (networks(language), Align::Left)),
        columns.networks.then(|| (public_address(language), Align::Left)),
        Some((address(language), Align::Left)),
        Some(("CPUs".to_owned(), Align::Right)),
        Some((memory(language), Align::Right)),
        columns.budget.then(|| (budget(language), Align::Left)),
        Some((services(language), Align::Left)),
        Some((in_variants(language), Align::Left)),
    ];
    let titles: Vec<(&str, Align)> =
        titles.iter().flatten().map(|(name, align)| (name.as_str(), *align)).collect();
    let mut table = Table::new(&titles);
    // The rows of one node stand together, in the order in which nodes first appear.
    let mut names: Vec<String> = rows.keys().map(|cells| cells[0].clone()).collect();
    let mut seen: Vec<String> = Vec::new();
    names.retain(|name| {
        let new = !seen.contains(name);
        seen.push(name.clone());
        new
    });
    for name in names {
        for (cells, whose) in rows.iter().filter(|(cells, _)| cells[0] == name) {
            let whose = if whose.len() == variants.len() {
                all(language)
            } else {
                whose.iter().map(|name| code(name)).collect::<Vec<String>>().join(", ")
            };
            table.row(cells.iter().cloned().chain([whose]).collect());
        }
    }
    table.write()
}

fn describe(run: &RunRecord, node: &Node, role: &str, columns: Columns) -> Vec<String> {
    let language = run.experiment.report.language;
    let dash = || "—".to_owned();
    let shown = |raw: &str| if raw.is_empty() { dash() } else { code(raw) };
    let facts = run.nodes.get(&node.name);
    let mut cells = vec![code(&node.name), if role.is_empty() { dash() } else { text(role) }];
    if columns.networks {
        let names = node.networks.iter().map(|network| match network {
            Network::Public => public(language),
            Network::Private => private(language),
        });
        cells.push(names.collect::<Vec<String>>().join(", "));
        cells.push(shown(facts.and_then(|facts| facts.public_address.as_deref()).unwrap_or_default()));
    }
    cells.push(shown(facts.map(|facts| facts.address.as_str()).unwrap_or_default()));
    cells.push(node.cpus.map_or_else(|| no_limit(language), number::plain));
    cells.push(node.memory.map_or_else(|| no_limit(language), |size| size.to_string()));
    if columns.budget {
        cells.push(if node.budget.is_empty() { dash() } else { budget_text(node, language) });
    }
    let services: Vec<String> = node.services.values().map(|of| service(of, language)).collect();
    cells.push(services.join(", "));
    cells
}

/// `system 300 + php-fpm 400 = 700 of 1024 MiB`.
fn budget_text(node: &Node, language: Language) -> String {
    let parts: Vec<String> = node
        .budget
        .iter()
        .map(|(name, size)| format!("{} {}", text(name), number::plain(size.as_mebibytes())))
        .collect();
    let sum = number::plain(node.budget.values().map(|size| size.as_mebibytes()).sum());
    match node.memory {
        Some(memory) => {
            let memory = format!("{} MiB", number::plain(memory.as_mebibytes()));
            of_memory(language, &parts.join(" + "), &sum, &memory)
        }
        None => format!("{} = {sum} MiB", parts.join(" + ")),
    }
}

/// `` `nginx`:80 → `backend1.php-fpm` ``.
fn service(service: &Service, language: Language) -> String {
    let port = service.port().map(|port| format!(":{port}")).unwrap_or_default();
    let targets: Vec<String> = service.relations.values().flatten().map(|to| code(&to.to_string())).collect();
    let arrow = if targets.is_empty() { String::new() } else { format!(" → {}", targets.join(" ")) };
    let stopped = if service.enabled { String::new() } else { format!(" ({})", stopped(language)) };
    let software = if service.software == service.name {
        String::new()
    } else {
        format!(" ({})", text(&service.software))
    };
    format!("{}{software}{port}{arrow}{stopped}", code(&service.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::Lab;

    #[test]
    fn networks_and_budgets_have_columns_where_there_are_any() {
        let plain = section(&Lab::measured(&["one"], &[4], 1).run);
        assert!(!plain.contains("Networks") && !plain.contains("Budget"), "{plain}");
        let page = section(&Lab::two_networks(2).run);
        assert!(page.contains("| public, private |") && page.contains("`192.168.121.17`"), "{page}");
        assert!(page.contains("system 300 + php-fpm 400 = 700 of 1024 MiB"), "{page}");
        assert!(page.contains("Drawn: `base`."), "{page}");
    }

    #[test]
    fn what_a_variant_lacks_or_does_is_said_under_the_drawing() {
        let mut lab = Lab::two_networks(2);
        let mut other = lab.run.experiment.variants["base"].clone();
        other.name = "less".to_owned();
        other.topology.nodes.shift_remove("backend2");
        other.topology.nodes["store"].services["mariadb"].enabled = false;
        other.actions.push(Action {
            node: "frontend".to_owned(),
            service: "haproxy".to_owned(),
            action: "disable".to_owned(),
            arguments: [("server".to_owned(), "backend1".to_owned())].into_iter().collect(),
            at_s: None,
        });
        lab.run.experiment.variants.insert("less".to_owned(), other);
        let expected = "- `less`: without `backend2`; `mariadb` on `store` is stopped; `haproxy.disable server=backend1` \
                        on `frontend` before measuring.\n";
        assert!(section(&lab.run).contains(expected), "{}", section(&lab.run));
        lab.run.experiment.report.language = Language::Es;
        let page = section(&lab.run);
        assert!(
            page.contains("sin `backend2`") && page.contains("antes de medir") && page.contains("| Redes")
        );
    }
}
