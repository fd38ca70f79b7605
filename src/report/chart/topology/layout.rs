//! Where the cards and the arrows between them stand, in pixels. Cards stand in columns, arrows run in the gaps between
//! the columns and below all cards, so that no arrow crosses a card.

use indexmap::{IndexMap, IndexSet};

use crate::model::topology::Topology;
use crate::report::chart::canvas::Point;
use crate::report::chart::font::text_width;
use crate::report::chart::topology::card::{Card, Look};
use crate::report::role;

/// Size of the letters on a card.
pub(super) const TEXT_SIZE: u32 = 15;
/// Size of names.
pub(super) const NAME_SIZE: u32 = 18;
/// Pixels of a line.
pub(super) const LINE: i32 = 20;
/// Pixels between a card's edge and its text.
pub(super) const PAD: i32 = 12;
/// Pixels a service is indented for each step.
pub(super) const STEP: i32 = 16;
/// Width of the client's card.
const CLIENT_WIDTH: i32 = 150;
const LEFT: i32 = 24;
const CARD_GAP: i32 = 18;
/// Room for an arrow's head and its port.
const LANDING: i32 = 64;
const LANE: i32 = 14;
/// Room for the heads of the client's arrows, which have no port.
const CLIENT_LANDING: i32 = 36;

/// A card with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) card: Card,
    pub(super) corners: [Point; 2],
}

/// An arrow, bend by bend; the last point is its head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Arrow {
    pub(super) points: Vec<Point>,
    /// Stands above the last stretch.
    pub(super) label: String,
}

/// The whole drawing below its title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) client: [Point; 2],
    pub(super) cards: Vec<Placed>,
    pub(super) arrows: Vec<Arrow>,
    pub(super) url_at: Point,
    pub(super) url_width: i32,
    pub(super) width: i32,
    pub(super) bottom: i32,
}

/// What leads where, between cards; card 0 stands for the client, card i + 1 for `cards[i]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Edge {
    from: usize,
    to: usize,
    label: String,
}

/// Lays the cards out below `top`.
pub(super) fn layout(cards: Vec<Card>, topology: &Topology, targets: &[&str], url: &str, top: i32) -> Layout {
    let edges = edges(&cards, topology, targets);
    let columns = 2 + cards.iter().map(|card| card.column).max().unwrap_or(0);
    let column = |place: usize| if place == 0 { 0 } else { cards[place - 1].column + 1 };
    // Cards whose arrows lead to the same goals share an upright line in the gap behind their column.
    let url_width = (text_width(url, TEXT_SIZE) + 16).clamp(90, 330);
    let mut lefts: Vec<i32> = Vec::new();
    let mut rights: Vec<i32> = Vec::new();
    let mut x = LEFT;
    for place in 0..columns {
        let width = if place == 0 { CLIENT_WIDTH } else { column_width(&cards, place - 1) };
        lefts.push(x);
        rights.push(x + width);
        let leaving = edges.iter().filter(|edge| column(edge.from) == place);
        let leaving = leaving.map(|edge| goals(&edges, edge.from)).collect::<IndexSet<_>>().len() as i32;
        let arriving =
            edges.iter().filter(|e| column(e.to) == place + 1 && column(e.from) != place).count() as i32;
        x += width
            + match (place, arriving) {
                (0, 0) => url_width + CLIENT_LANDING,
                (0, _) => url_width + LANE * arriving + LANDING,
                _ => 24 + LANE * (leaving + arriving) + LANDING,
            };
    }
    let heights: Vec<i32> = cards.iter().enumerate().map(|(i, card)| height(card, &edges, i + 1)).collect();
    let column_height = |wanted: usize| {
        let own: Vec<i32> =
            (0..cards.len()).filter(|i| cards[*i].column == wanted).map(|i| heights[i]).collect();
        own.iter().sum::<i32>() + CARD_GAP * (own.len() as i32 - 1).max(0)
    };
    let tallest = (0..columns - 1).map(column_height).max().unwrap_or(0).max(4 * LINE);
    let client_height = 2 * LINE + 2 * PAD;
    let client_top = top + (tallest - client_height) / 2;
    let client = [(lefts[0], client_top), (rights[0], client_top + client_height)];
    let mut next: Vec<i32> = (0..columns - 1).map(|c| top + (tallest - column_height(c)) / 2).collect();
    let mut corners = vec![client];
    for (card, height) in cards.iter().zip(&heights) {
        let y = next[card.column];
        next[card.column] += height + CARD_GAP;
        corners.push([(lefts[card.column + 1], y), (rights[card.column + 1], y + height)]);
    }
    let bottom = top + tallest;
    let places = Places { corners: &corners, lefts: &lefts, rights: &rights, bottom };
    let columns_of: Vec<usize> = (0..corners.len()).map(column).collect();
    let (arrows, bottom) = arrows(&edges, &columns_of, &places);
    Layout {
        client,
        url_at: (rights[0] + 10, client_top + client_height / 2 - 11),
        url_width: url_width - 10,
        width: rights[columns - 1] + LEFT,
        bottom,
        arrows,
        cards: cards.into_iter().zip(&corners[1..]).map(|(card, at)| Placed { card, corners: *at }).collect(),
    }
}

fn edges(cards: &[Card], topology: &Topology, targets: &[&str]) -> IndexSet<Edge> {
    let holds = |name: &str| cards.iter().position(|card| card.nodes.iter().any(|node| node == name));
    let mut edges = IndexSet::new();
    for to in targets.iter().filter_map(|name| holds(name)) {
        edges.insert(Edge { from: 0, to: to + 1, label: String::new() });
    }
    for lead in role::leads(topology) {
        let (Some(from), Some(to)) = (holds(lead.from), holds(lead.to)) else { continue };
        let label = lead.port.map(|port| format!(":{port}")).unwrap_or_default();
        if from != to {
            edges.insert(Edge { from: from + 1, to: to + 1, label });
        }
    }
    edges
}

/// Wide enough for the longest line, within limits: longer lines are shortened when they are drawn.
fn column_width(cards: &[Card], column: usize) -> i32 {
    let lines = cards.iter().filter(|card| card.column == column).flat_map(|card| &card.lines);
    let widest = lines.map(|line| line_width(&line.text, line.look)).max().unwrap_or(0);
    (widest + 2 * PAD).clamp(150, 320)
}

fn line_width(text: &str, look: Look) -> i32 {
    match look {
        Look::Name => text_width(text, NAME_SIZE),
        Look::Service(step) => text_width(text, TEXT_SIZE) + STEP * (step as i32 + 1),
        Look::Address(_) => text_width(text, TEXT_SIZE) + 12,
        Look::Plain | Look::Quiet => text_width(text, TEXT_SIZE),
    }
}

/// Room for the lines, and for every arrow that arrives.
fn height(card: &Card, edges: &IndexSet<Edge>, place: usize) -> i32 {
    let landings = landings(edges, place).len() as i32;
    (LINE * card.lines.len() as i32 + 2 * PAD).max((LINE + 2) * (landings + 1))
}

/// The different labels of the arrows that arrive, each with a landing of its own.
fn landings(edges: &IndexSet<Edge>, place: usize) -> IndexSet<&str> {
    edges.iter().filter(|edge| edge.to == place).map(|edge| edge.label.as_str()).collect()
}

/// Where a card's arrows lead, with their labels.
fn goals(edges: &IndexSet<Edge>, from: usize) -> Vec<(usize, &str)> {
    edges.iter().filter(|edge| edge.from == from).map(|edge| (edge.to, edge.label.as_str())).collect()
}

struct Places<'a> {
    corners: &'a [[Point; 2]],
    lefts: &'a [i32],
    rights: &'a [i32],
    bottom: i32,
}

/// The arrows, and how far down they reach.
fn arrows(edges: &IndexSet<Edge>, columns: &[usize], places: &Places) -> (Vec<Arrow>, i32) {
    let mut arrows = Vec::new();
    let mut lowest = places.bottom;
    let mut upright: IndexMap<usize, IndexSet<Vec<(usize, &str)>>> = IndexMap::new();
    for edge in edges {
        upright.entry(columns[edge.from]).or_default().insert(goals(edges, edge.from));
    }
    let mut arriving: IndexMap<usize, i32> = IndexMap::new();
    let mut labelled: IndexSet<(usize, &str)> = IndexSet::new();
    for edge in edges {
        let (from, to) = (columns[edge.from], columns[edge.to]);
        let [(left, top), (_, bottom)] = places.corners[edge.to];
        let landings = landings(edges, edge.to);
        let slot = landings.get_index_of(edge.label.as_str()).unwrap_or(0) as i32 + 1;
        let y = top + (bottom - top) * slot / (landings.len() as i32 + 1);
        let [(_, start_top), (right, start_bottom)] = places.corners[edge.from];
        let start = (right, (start_top + start_bottom) / 2);
        let own = upright[&from].get_index_of(&goals(edges, edge.from)).unwrap_or(0) as i32;
        let room = places.lefts.get(from + 1).map_or(right, |next| next - CLIENT_LANDING + 10);
        // The client's line turns late: its URL stands above the first stretch.
        let turn = if from == 0 { room } else { places.rights[from] + 18 + LANE * own };
        let points = if to == from + 1 {
            vec![start, (turn, start.1), (turn, y), (left, y)]
        } else {
            lowest += LANE + 2;
            let count = arriving.entry(to).or_insert(0);
            *count += 1;
            let last = left - LANDING - LANE * (*count - 1);
            vec![start, (turn, start.1), (turn, lowest), (last, lowest), (last, y), (left, y)]
        };
        let first = labelled.insert((edge.to, &edge.label));
        arrows.push(Arrow {
            points: straight(points),
            label: if first { edge.label.clone() } else { String::new() },
        });
    }
    (arrows, lowest)
}

/// Without points that do not bend.
fn straight(points: Vec<Point>) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::new();
    for point in points {
        let on_line = kept.len() > 1 && {
            let (a, b) = (kept[kept.len() - 2], kept[kept.len() - 1]);
            (a.0 == b.0 && b.0 == point.0) || (a.1 == b.1 && b.1 == point.1)
        };
        if on_line {
            kept.pop();
        }
        kept.push(point);
    }
    kept
}
