//! The drawing: cards never overlap, arrows never cross a card, names never leave their card.

use proptest::prelude::{prop_assert, proptest};

use crate::model::experiment::Language;
use crate::report::chart::canvas::Point;
use crate::report::chart::topology::draw::{draw, laid_out};
use crate::report::chart::topology::layout::Layout;
use crate::report::role;
use crate::report::testing::Lab;

fn layout(lab: &Lab) -> Layout {
    laid_out(&lab.run, role::largest(&lab.run).unwrap(), Language::En)
}

fn boxes(layout: &Layout) -> Vec<[Point; 2]> {
    layout.cards.iter().map(|placed| placed.corners).chain([layout.client]).collect()
}

/// Whether two boxes, or a stretch of an arrow and the inside of a box, share a point.
fn meet(one: [Point; 2], other: [Point; 2]) -> bool {
    let overlap = |a: (i32, i32), b: (i32, i32)| a.0.min(a.1) < b.0.max(b.1) && b.0.min(b.1) < a.0.max(a.1);
    let thick = |from: i32, to: i32| if from == to { (from, to + 1) } else { (from, to) };
    overlap(thick(one[0].0, one[1].0), thick(other[0].0, other[1].0))
        && overlap(thick(one[0].1, one[1].1), thick(other[0].1, other[1].1))
}

fn sound(layout: &Layout) -> Result<(), String> {
    let boxes = boxes(layout);
    for (place, one) in boxes.iter().enumerate() {
        if one[0].0 < 0 || one[1].0 > layout.width || one[1].1 > layout.bottom {
            return Err(format!("{one:?} is outside"));
        }
        if let Some(other) = boxes[place + 1..].iter().find(|other| meet(*one, **other)) {
            return Err(format!("{one:?} lies over {other:?}"));
        }
        for arrow in &layout.arrows {
            // A stretch may end on a card's edge and nowhere inside.
            let inside = [(one[0].0 + 1, one[0].1 + 1), (one[1].0 - 1, one[1].1 - 1)];
            if let Some(stretch) = arrow.points.windows(2).find(|s| meet([s[0], s[1]], inside)) {
                return Err(format!("{stretch:?} crosses {one:?}"));
            }
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn no_card_lies_over_another_and_no_arrow_crosses_one(backends in 1_usize..30, direct in 0_usize..3, circle in 0_u8..2) {
        let mut lab = Lab::two_networks(backends);
        let nodes = &mut lab.run.experiment.variants["base"].topology.nodes;
        let to = |node: &str, service: &str| crate::model::topology::ServiceRef::new(node, service);
        // Leads that skip a column, and one that goes back.
        for place in 0..direct {
            let name = format!("direct{place}");
            nodes["frontend"].services["haproxy"].relations.insert(name, vec![to("store", "mariadb")]);
        }
        if circle == 1 {
            nodes["store"].services["mariadb"].relations.insert("back".to_owned(), vec![to("frontend", "haproxy")]);
        }
        let layout = layout(&lab);
        prop_assert!(sound(&layout).is_ok(), "{:?}", sound(&layout));
        let drawn: usize = layout.cards.iter().map(|placed| placed.card.nodes.len()).sum();
        prop_assert!(drawn == backends + 2);
        prop_assert!(layout.cards.len() <= 6 + 1 + 2);
    }
}

#[test]
fn the_check_of_overlaps_sees_one() {
    assert!(meet([(0, 0), (10, 10)], [(9, 9), (20, 20)]) && !meet([(0, 0), (10, 10)], [(10, 0), (20, 10)]));
    assert!(meet([(0, 5), (30, 5)], [(10, 0), (20, 10)]) && !meet([(0, 10), (30, 10)], [(10, 0), (20, 9)]));
    let mut layout = layout(&Lab::two_networks(3));
    assert_eq!(sound(&layout), Ok(()));
    layout.cards[2].corners = layout.cards[1].corners;
    assert!(sound(&layout).is_err());
}

#[test]
fn the_drawing_says_addresses_sizes_services_and_ports() {
    let svg = draw(&Lab::two_networks(3).run).unwrap();
    for expected in [
        "public 192.168.121.17",
        "private 10.10.10.2",
        "frontend, balancer",
        "0.4 CPUs · 1024 MiB",
        "haproxy :80",
        "php-fpm · 12 workers",
        "backend, database",
        "\n:3306\n",
        "http://www.example.org/wordpress/",
        "network of the client",
    ] {
        assert!(svg.contains(expected), "{expected}: {svg}");
    }
}

#[test]
fn many_members_are_drawn_small_and_the_rest_together() {
    let mut lab = Lab::two_networks(12);
    let svg = draw(&lab.run).unwrap();
    assert!(
        svg.contains("+6 more")
            && svg.contains("backend7 … backend12")
            && svg.contains("the rest as backend1")
    );
    lab.run.experiment.report.language = Language::Es;
    let svg = draw(&lab.run).unwrap();
    assert!(svg.contains("+6 más") && svg.contains("generador de carga") && !svg.contains("client's"));
}

#[test]
fn a_lab_of_one_network_names_none() {
    let svg = draw(&Lab::measured(&["one"], &[4], 1).run).unwrap();
    assert!(svg.contains("10.9.0.2") && !svg.contains("private"));
}

#[test]
fn any_name_fits_its_card() {
    let mut lab = Lab::two_networks(2);
    let long = "W".repeat(300);
    let variant = &mut lab.run.experiment.variants["base"];
    variant.target.url = format!("http://{long}/");
    variant.topology.nodes["store"].name = long.clone();
    variant.topology.nodes["frontend"].services["haproxy"].software = long;
    let layout = layout(&lab);
    assert!(layout.width < 2000 && sound(&layout).is_ok());
    let svg = draw(&lab.run).unwrap();
    assert!(!svg.contains(&"W".repeat(40)) && svg.contains('…'));
}
