//! The part of the language's table that is about handing in: evidence, requests to verify, somebody else's figures.

use crate::scenario::language;
use crate::scenario::shape::Bounds;
use crate::scenario::shape::Fields;
use crate::scenario::shape::Key;
use crate::scenario::shape::Shape;
use crate::scenario::shape::TextRule;

/// Smallest figure that can have been measured, requests per second.
const FIGURE_MIN: f64 = 0.000_001;

/// An item of `evidence`.
pub(super) fn evidence() -> Fields {
    let filled = || Shape::Text(TextRule::Filled);
    let keys = vec![
        Key::new("title", filled(), "Its heading.").required(),
        Key::new(
            "node",
            filled(),
            "The node it is about. A group of several gives one item a member for `do` and `config`.",
        )
        .required(),
        Key::new("do", filled(), "`SERVICE.ACTION`: what an action prints that only looks, one without `undo`."),
        Key::new("with", language::arguments(), "Arguments of the action.").needs("do"),
        Key::new("get", Shape::Text(TextRule::UrlPath), "A path the node is asked for: its answer, head and body."),
        Key::new(
            "auth",
            filled(),
            "`SERVICE.PARAMETER`: the login, a parameter of the node that holds `user` and `password`.",
        )
        .needs("get"),
        Key::new("status", language::status(), "Status the answer must have; any when not given.").needs("get"),
        Key::new(
            "port",
            Shape::Port(Bounds::between(1, 65_535)),
            "Port that is asked: with `auth` that service's first one, on the target's node the URL's, else the first one of the node's services.",
        )
        .needs("get"),
        Key::new("config", filled(), "A service: its configuration as written on the node, secrets masked."),
        Key::new(
            "in",
            Shape::List { item: Box::new(filled()), size: Bounds::at_least(1) },
            "Variants it is shown of; all that have the node when not given.",
        ),
    ];
    Fields::new("item of evidence", keys, &[]).exactly_one(&["do", "get", "config"])
}

/// An item of `verify`.
pub(super) fn verify() -> Fields {
    let filled = || Shape::Text(TextRule::Filled);
    let keys = vec![
        Key::new("url", filled(), "The address as a client would type it, `http://…`.").required(),
        Key::new(
            "node",
            filled(),
            "The node, or group, the URL's name leads to; the target's when not given.",
        ),
        Key::new("user", filled(), "User of a login that is sent along.").needs("password"),
        Key::new("password", Shape::Secret, "Its password.").needs("user"),
        Key::new("status", language::status(), "Status the answer must have.").default("200"),
        Key::new("contains", filled(), "Text its body must hold."),
    ];
    Fields::new("request to verify", keys, &[])
}

/// `published`.
pub(super) fn published() -> Fields {
    let number = || Shape::Number(Bounds::at_least(FIGURE_MIN));
    let values = || Shape::List { item: Box::new(number()), size: Bounds::at_least(1) };
    let figure = Fields::new(
        "published figure",
        vec![
            Key::new("values", values(), "The single values."),
            Key::new(
                "range",
                Shape::List { item: Box::new(number()), size: Bounds::between(2, 2) },
                "Smallest and largest, where only these were published.",
            ),
            Key::new("invalid", Shape::Text(TextRule::Filled), "Why the figure means nothing."),
        ],
        &[],
    )
    .at_least_one(&["values", "range"]);
    let forms = Shape::Forms(vec![number(), values(), Shape::Struct(figure)]);
    let keys = vec![
        Key::new("source", Shape::Text(TextRule::Filled), "Where they are from.").required(),
        Key::new(
            "requests_per_second",
            Shape::map(TextRule::Name, Shape::map(TextRule::LevelName, forms)),
            "By variant and level, which need not be in this run: one number, several, or a mapping.",
        )
        .required(),
    ];
    Fields::new("published", keys, &[])
}
