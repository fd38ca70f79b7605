//! Laws that hold for any text and any overlay.

use proptest::prelude::ProptestConfig;
use proptest::prelude::Strategy;
use proptest::prelude::any;
use proptest::prelude::prop_assert;
use proptest::prelude::prop_assert_eq;
use proptest::proptest;
use proptest::strategy::Just;

use crate::scenario::Problem;
use crate::scenario::overlay::merge;
use crate::scenario::show;
use crate::scenario::tests::fixture::RIGHT;
use crate::scenario::tests::fixture::checked;
use crate::scenario::tree::Tree;

/// Small documents of a few keys, with nulls.
fn document() -> impl Strategy<Value = serde_json::Value> {
    let leaf = proptest::prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        (0..5_u64).prop_map(serde_json::Value::from),
        proptest::collection::vec(0..3_u64, 0..3).prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(3, 20, 3, |inner| {
        proptest::collection::btree_map("[abc]", inner, 0..4)
            .prop_map(|map| serde_json::Value::Object(map.into_iter().collect()))
    })
}

fn merged(base: &serde_json::Value, over: &serde_json::Value) -> serde_json::Value {
    let mut tree = Tree::from_json(base);
    merge(&mut tree, Tree::from_json(over), None);
    json(&tree)
}

fn json(tree: &Tree) -> serde_json::Value {
    tree.to_json(&crate::scenario::path::Path::default(), &|_| None)
}

fn has_null(value: &serde_json::Value) -> bool {
    value.as_object().is_some_and(|map| map.values().any(|value| value.is_null() || has_null(value)))
}

#[track_caller]
fn inside(problems: &[Problem], text: &str) {
    for problem in problems {
        if let Some(span) = &problem.span {
            assert!(span.start <= span.end && span.end <= text.len(), "{problem:?}");
            assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end), "{problem:?}");
        }
        assert!(!show(problem, "x.yaml", text).is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn laying_the_same_over_twice_changes_nothing_more(base in document(), over in document()) {
        let once = merged(&base, &over);
        prop_assert_eq!(merged(&once, &over), once);
    }

    #[test]
    fn a_null_removes_and_nothing_else_does(base in document()) {
        let Some(map) = base.as_object().filter(|_| !has_null(&base)) else { return Ok(()) };
        for key in map.keys() {
            let removed = merged(&base, &serde_json::json!({ key.as_str(): null }));
            let mut wanted = map.clone();
            wanted.shift_remove(key);
            prop_assert_eq!(removed, serde_json::Value::Object(wanted));
        }
        prop_assert_eq!(merged(&base, &serde_json::json!({})), base);
    }

    #[test]
    fn any_bytes_are_checked_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let text = String::from_utf8_lossy(&bytes);
        if let Err(problems) = checked(&text) {
            prop_assert!(!problems.is_empty());
            inside(&problems, &text);
        }
    }

    #[test]
    fn a_broken_scenario_is_checked_without_a_panic(at in 0..RIGHT.len(), length in 0..40_usize, with in "[ -~\\né{}:\\[\\]&*]{0,6}") {
        let end = (at + length).min(RIGHT.len());
        let text = format!("{}{with}{}", &RIGHT[..at], &RIGHT[end..]);
        match checked(&text) {
            Ok(checked) => inside(&checked.warnings, &text),
            Err(problems) => inside(&problems, &text),
        }
    }

    #[test]
    fn a_group_stands_for_each_of_its_members_once(count in 1..30_usize, by_service in any::<bool>()) {
        let reference = if by_service { "[back.web, back]" } else { "back" };
        let text = format!(
            "name: x
nodes:
  front: {{services: {{balancer: {{backends: {reference}}}}}}}
  back: {{count: {count}, services: {{web: {{}}}}}}
target: {{url: http://x/, node: front}}
load: {{connections: [1]}}
"
        );
        let checked = checked(&text).unwrap();
        let topology = &checked.experiment.variants["base"].topology;
        let ends = &topology.nodes["front"].services["balancer"].relations["backends"];
        prop_assert_eq!(ends.len(), count);
        for (position, end) in ends.iter().enumerate() {
            prop_assert_eq!(end.to_string(), format!("back{}.web", position + 1));
            prop_assert!(topology.service(end).is_some());
        }
    }
}
