//! The table of the scenario language: every key with its shape, meaning, requirement and default. Nothing else in this
//! module knows a key's legal values.

use std::time::Duration;

use crate::model::topology::Network;
use crate::model::unit::ByteSize;
use crate::scenario::hand_in;
use crate::scenario::shape::Bounds;
use crate::scenario::shape::Fields;
use crate::scenario::shape::Key;
use crate::scenario::shape::Shape;
use crate::scenario::shape::TextRule;

/// Most variants in a scenario.
pub(super) const VARIANTS_MAX: u64 = 64;
/// Parts of a scenario in which variants may differ.
pub(super) const VARIABLE_PARTS: [&str; 4] = ["defaults", "nodes", "target", "load"];
/// Parts that are about variants, not part of one.
pub(super) const AROUND_VARIANTS: [&str; 7] =
    ["variants", "questions", "evidence", "verify", "thresholds", "profiles", "published"];

/// The whole document.
pub(super) fn scenario() -> Fields {
    let any = || Shape::Text(TextRule::Any);
    fields(
        "scenario",
        vec![
            Key::new("name", Shape::Text(TextRule::ScenarioName), "Name of the scenario; the lab's name too.").required(),
            Key::new("title", Shape::Text(TextRule::Filled), "Heading of the report; the name when not given."),
            Key::new("driver", driver(), "What builds the nodes.").default("docker"),
            Key::new("report", Shape::Struct(report()), "What the report's first page says about itself.").filled(),
            Key::new("defaults", Shape::Struct(defaults()), "Values for every node that does not give its own.").filled(),
            Key::new("nodes", nodes(), "The machines, by name.").required(),
            Key::new("target", Shape::Struct(target()), "Where the requests go and what a good answer is.").required(),
            Key::new("load", Shape::Struct(load()), "How hard, how long: a closed loop.").required(),
            Key::new("repeat", Shape::Count(Bounds::between(1, 1_000)), "Rounds: how often each cell is measured.").default("5"),
            Key::new(
                "order",
                Shape::choice(&["random", "sequential"]),
                "Order of the cells inside a round; `sequential` is confounded with drift, and the report says so.",
            )
            .default("random"),
            Key::new("variants", variants(), "What is compared, by name; without any there is one variant, `base`."),
            Key::new("questions", Shape::list(Shape::Struct(question())), "What the exercise asks; only these get headline verdicts."),
            Key::new(
                "evidence",
                Shape::list(Shape::Struct(hand_in::evidence())),
                "What the hand-in must show beside what the software shows by itself.",
            ),
            Key::new(
                "verify",
                Shape::list(Shape::Struct(hand_in::verify())),
                "Requests that must be answered as said once a variant is up, before anything is measured.",
            ),
            Key::new("thresholds", Shape::list(any()), "Bounds that decide the exit code, for example `goodput('two', 16) > 100`."),
            Key::new(
                "profiles",
                Shape::map(TextRule::Name, Shape::Sets),
                "Sets applied before the variants when `--profile NAME` asks for one.",
            ),
            Key::new(
                "published",
                Shape::Struct(hand_in::published()),
                "Somebody else's figures, shown beside ours as ratios.",
            ),
        ],
        &["whatif", "hosts", "cache_state", "networks"],
    )
}

fn fields(name: &str, keys: Vec<Key>, later: &'static [&'static str]) -> Fields {
    Fields::new(name, keys, later)
}

fn driver() -> Shape {
    Shape::Choice { words: vec!["docker".to_owned()], later: &["ssh", "local", "auto"] }
}

fn report() -> Fields {
    let text = || Shape::Text(TextRule::Any);
    fields(
        "report",
        vec![
            Key::new("author", text(), "Author line of the report."),
            Key::new("course", text(), "Course line of the report."),
            Key::new("language", Shape::choice(&["en", "es"]), "Language of the report's own sentences.")
                .default("en"),
        ],
        &[],
    )
}

fn limits() -> Vec<Key> {
    vec![
        Key::new(
            "cpus",
            Shape::Number(Bounds::between(0.01, 1_024.0)),
            "CPU limit in cores; the whole host without one.",
        ),
        Key::new(
            "memory",
            Shape::Bytes(Bounds::at_least(ByteSize::mebibytes(6))),
            "Memory limit; none when not given. Sizes are powers of 1024 whatever the spelling.",
        ),
        Key::new("swap", Shape::Bytes(Bounds::default()), "Swap on top of memory; 0 when not given."),
        Key::new(
            "image",
            Shape::Text(TextRule::Image),
            "Distribution image; `debian:bookworm` when not given.",
        ),
        Key::new(
            "networks",
            Shape::List {
                item: Box::new(Shape::choice(&[Network::Public.name(), Network::Private.name()])),
                size: Bounds::at_least(1),
            },
            "Networks it is on; `[private]` when not given. Once a node is on `public` the clients are there and nowhere else; references always lead over `private`.",
        ),
    ]
}

fn budget(doc: &str) -> Key {
    Key::new("budget", Shape::map(TextRule::Name, Shape::Bytes(Bounds::default())), doc)
}

fn defaults() -> Fields {
    let mut keys = limits();
    keys.push(budget(
        "Budget of every node that does not give its own; of the services named, those that the node has.",
    ));
    fields("defaults", keys, &["managed"])
}

fn nodes() -> Shape {
    let mut keys = vec![Key::new(
        "count",
        Shape::Count(Bounds::between(1, 100)),
        "Makes it a group: `backend` with 2 is backend1 and backend2. A node with `count` is always numbered.",
    )];
    keys.extend(limits());
    keys.push(budget(
        "How the memory is meant to be divided, by service name or `system`; together no more than `memory`.",
    ));
    keys.push(Key::new(
        "packages",
        Shape::list(Shape::Text(TextRule::Package)),
        "Extra distribution packages.",
    ));
    keys.push(Key::new(
        "services",
        Shape::map(TextRule::Name, Shape::Service(None)),
        "What runs on it, by service name; `software` is the service name unless given.",
    ));
    keys.push(
        Key::new("enabled", Shape::Flag, "`false` keeps it with every service stopped.").default("true"),
    );
    let node = fields("node", keys, &["managed", "address", "private_address", "hosts"]);
    Shape::Map { names: TextRule::Name, value: Box::new(Shape::Struct(node)), size: Bounds::at_least(1) }
}

/// Keys every service has, whatever its software.
pub(super) fn service() -> Vec<Key> {
    vec![
        Key::new(
            "software",
            Shape::Text(TextRule::Name),
            "The software folder; the service's name when not given.",
        ),
        Key::new("enabled", Shape::Flag, "`false` keeps it defined and stopped.").default("true"),
    ]
}

fn target() -> Fields {
    fields(
        "target",
        vec![
            Key::new(
                "url",
                Shape::Text(TextRule::Filled),
                "The address as a client would type it, `http://…`.",
            )
            .required(),
            Key::new("node", Shape::Text(TextRule::Filled), "The node, or group, the URL's name leads to.")
                .required(),
            Key::new(
                "spread",
                Shape::choice(&["round_robin", "first"]),
                "How a group's members share the connections: in turn, or all to the first.",
            )
            .default("round_robin"),
            Key::new(
                "headers",
                Shape::map(TextRule::HeaderName, Shape::Text(TextRule::HeaderValue)),
                "Extra request headers; `Authorization` and `Cookie` are never shown.",
            ),
            Key::new(
                "expect",
                Shape::Struct(expect()),
                "What a good answer is: goodput counts these and nothing else.",
            )
            .filled(),
        ],
        &[],
    )
}

/// An HTTP status.
pub(super) fn status() -> Shape {
    Shape::Count(Bounds::between(100, 599))
}

fn expect() -> Fields {
    fields(
        "expect",
        vec![
            Key::new("status", status(), "Status of a good answer.").default("200"),
            Key::new("contains", Shape::Text(TextRule::Filled), "Text its body holds."),
            Key::new("min_bytes", Shape::Count(Bounds::default()), "Smallest body, bytes."),
        ],
        &[],
    )
}

fn extent() -> Vec<Key> {
    vec![
        Key::new(
            "duration",
            Shape::Duration(Bounds::between(Duration::from_millis(100), Duration::from_secs(24 * 3_600))),
            "Length of a cell's window; 20s when neither it nor `requests` is given.",
        )
        .instead_of("requests"),
        Key::new(
            "requests",
            Shape::Count(Bounds::at_least(1)),
            "A fixed number of requests instead of a time.",
        )
        .instead_of("duration"),
    ]
}

fn load() -> Fields {
    let connections = Shape::Count(Bounds::between(1, 100_000));
    let mut level = vec![Key::new("connections", connections.clone(), "Concurrent connections.").required()];
    level.extend(extent());
    let mut keys = vec![
        Key::new(
            "connections",
            Shape::List { item: Box::new(connections), size: Bounds::between(1, 100) },
            "One level each: that many connections with one request in flight.",
        )
        .instead_of("levels"),
        Key::new(
            "levels",
            Shape::Map {
                names: TextRule::LevelName,
                value: Box::new(Shape::Struct(fields("level", level, &[]))),
                size: Bounds::between(1, 100),
            },
            "Levels by name, each with its connections and, where it differs, its duration or requests.",
        )
        .instead_of("connections"),
    ];
    keys.extend(extent());
    let time = |min_ms, max_s| {
        Shape::Duration(Bounds::between(Duration::from_millis(min_ms), Duration::from_secs(max_s)))
    };
    keys.extend([
        Key::new("timeout", time(1, 3_600), "After this long a request is given up.").default("30s"),
        Key::new("keep_alive", Shape::Flag, "Connections are used again.").default("true"),
        Key::new("warm_up", time(0, 3_600), "Load before the window, not counted.").default("5s"),
        Key::new("cool_down", Shape::Struct(cool_down()), "How a cell ends.").filled(),
    ]);
    fields("load", keys, &["schedule", "autostop", "sustained", "cache_state"])
}

fn cool_down() -> Fields {
    let time = Shape::Duration(Bounds::between(Duration::ZERO, Duration::from_secs(3_600)));
    let doc = "Longest wait for the services to become idle before they are restarted.";
    fields("cool_down", vec![Key::new("at_most", time, doc).default("120s")], &[])
}

fn variants() -> Shape {
    let toggles = || Shape::list(Shape::Text(TextRule::Filled));
    let variant = fields(
        "variant",
        vec![
            Key::new("title", Shape::Text(TextRule::Filled), "How tables call it; its name when not given."),
            Key::new(
                "set",
                Shape::Sets,
                "Dotted paths below `nodes`, `target`, `load` and `defaults`: mappings merge, lists and scalars replace, `null` removes.",
            ),
            Key::new("enable", toggles(), "Services (`node.service`, a group for all its members) that run."),
            Key::new("disable", toggles(), "Services that are stopped."),
            Key::new(
                "actions",
                Shape::list(Shape::Struct(action())),
                "What is done before the warm-up and undone on leaving, or inside every window and undone at its end.",
            ),
        ],
        &["expect", "cache_state", "hosts"],
    );
    Shape::Map {
        names: TextRule::Name,
        value: Box::new(Shape::Struct(variant)),
        size: Bounds::between(1, VARIANTS_MAX),
    }
}

fn action() -> Fields {
    fields(
        "action",
        vec![
            Key::new("node", Shape::Text(TextRule::Filled), "One node.").required(),
            Key::new("do", Shape::Text(TextRule::Filled), "`SERVICE.ACTION`.").required(),
            Key::new("with", arguments(), "Arguments."),
            Key::new(
                "at",
                Shape::Duration(Bounds::between(Duration::ZERO, Duration::from_secs(24 * 3_600))),
                "Time after the window's begin at which it is done, in every cell; before the warm-up when not given.",
            ),
        ],
        &[],
    )
}

/// Arguments of an action, by name.
pub(super) fn arguments() -> Shape {
    Shape::map(TextRule::Any, Shape::Text(TextRule::Any))
}

fn question() -> Fields {
    let pair = Shape::List { item: Box::new(Shape::Text(TextRule::Filled)), size: Bounds::between(2, 2) };
    fields(
        "question",
        vec![
            Key::new("ask", Shape::Text(TextRule::Filled), "The question's own words.").required(),
            Key::new("compare", pair, "Base and new variant.").required(),
            Key::new(
                "at",
                Shape::Text(TextRule::Filled),
                "Level to answer at; all levels together without one.",
            ),
        ],
        &[],
    )
}
