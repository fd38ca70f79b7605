//! The picture of the topology.

use plotters::style::RGBAColor;

use crate::model::experiment::{Language, Variant};
use crate::model::load::Spread;
use crate::model::run::RunRecord;
use crate::model::topology::Network;
use crate::report::chart::canvas::{Anchor, Canvas, Lettering, Point, fitting, wrapped};
use crate::report::chart::font::text_width;
use crate::report::chart::mark::{GREY, INK};
use crate::report::chart::topology::card;
use crate::report::chart::topology::card::{Line, Look};
use crate::report::chart::topology::layout;
use crate::report::chart::topology::layout::{Arrow, LINE, Layout, NAME_SIZE, PAD, Placed, STEP, TEXT_SIZE};
use crate::report::error::ReportError;
use crate::report::role;
use crate::report::words::phrase::phrases;

/// File name without extension.
pub(in crate::report) const NAME: &str = "topology";

const CARD: RGBAColor = RGBAColor(250, 250, 251, 1.0);
const EDGE: RGBAColor = RGBAColor(110, 116, 124, 1.0);
const PUBLIC: RGBAColor = RGBAColor(255, 229, 199, 1.0);
const PRIVATE: RGBAColor = RGBAColor(218, 233, 247, 1.0);
const TITLE_SIZE: u32 = 20;

phrases! {
    /// Title of the drawing.
    title(variant) { "Topology of the variant {variant}", "Topología de la variante {variant}" }
    /// Where requests come from.
    client() { "client", "cliente" }
    /// What the client is.
    generator() { "load generator", "generador de carga" }
    /// Explains the arrows.
    arrows_mean() {
        "Arrows: what sends requests to what, with the port. Indented: the service that the one above leads to.",
        "Flechas: qué envía peticiones a qué, con el puerto. Sangrado: el servicio al que lleva el de encima."
    }
    /// Explains the public network.
    public_means() { "network of the client", "red del cliente" }
    /// Explains the private network.
    private_means() { "network between the nodes", "red entre los nodos" }
}

/// Whether there is anything to draw.
pub(in crate::report) fn has_nodes(run: &RunRecord) -> bool {
    role::largest(run).is_some_and(|variant| !variant.topology.nodes.is_empty())
}

/// The drawing of the largest variant as SVG.
pub(in crate::report) fn draw(run: &RunRecord) -> Result<String, ReportError> {
    let mut svg = String::new();
    let Some(variant) = role::largest(run) else { return Ok(svg) };
    let language = run.experiment.report.language;
    let layout = laid_out(run, variant, language);
    let two = card::has_public(run, variant);
    let width = layout.width.max(760);
    let legend = wrapped(&arrows_mean(language), TEXT_SIZE, width - 48, 3);
    let height = layout.bottom + 34 + LINE * legend.len() as i32 + if two { LINE + 8 } else { 0 };
    let canvas = Canvas::new(NAME, &mut svg, (width.unsigned_abs(), height.unsigned_abs()))?;
    let name = if variant.name == variant.title {
        variant.name.clone()
    } else {
        format!("{}: {}", variant.name, variant.title)
    };
    let heading = fitting(&title(language, &name), TITLE_SIZE, width - 48);
    canvas.write(&heading, (24, 28), lettering(TITLE_SIZE, true, INK))?;
    for arrow in &layout.arrows {
        draw_arrow(&canvas, arrow)?;
    }
    let url = fitting(&variant.target.url, TEXT_SIZE, layout.url_width);
    canvas.write(&url, layout.url_at, lettering(TEXT_SIZE, false, INK))?;
    draw_client(&canvas, &layout, two, language)?;
    for placed in &layout.cards {
        draw_card(&canvas, placed)?;
    }
    let mut y = layout.bottom + 32;
    for line in legend {
        canvas.write(&line, (24, y), lettering(TEXT_SIZE, false, GREY))?;
        y += LINE;
    }
    if two {
        draw_networks(&canvas, y + 4, language)?;
    }
    canvas.finish()?;
    Ok(svg)
}

/// The layout of a variant's drawing.
pub(super) fn laid_out(run: &RunRecord, variant: &Variant, language: Language) -> Layout {
    let target = &variant.target;
    let members = variant.topology.members(&target.node).map(|node| node.name.as_str());
    let targets: Vec<&str> = match target.spread {
        Spread::RoundRobin => members.collect(),
        Spread::First => members.take(1).collect(),
    };
    layout::layout(card::cards(run, variant, language), &variant.topology, &targets, &target.url, 60)
}

fn draw_arrow(canvas: &Canvas, arrow: &Arrow) -> Result<(), ReportError> {
    canvas.line(&arrow.points, EDGE, 1)?;
    let Some((x, y)) = arrow.points.last().copied() else { return Ok(()) };
    canvas.polygon(vec![(x, y), (x - 9, y - 5), (x - 9, y + 5)], EDGE)?;
    let label = fitting(&arrow.label, TEXT_SIZE, 50);
    canvas.write(
        &label,
        (x - 10, y - 10),
        Lettering { anchor: Anchor::Right, ..lettering(TEXT_SIZE, false, INK) },
    )
}

fn draw_client(canvas: &Canvas, layout: &Layout, two: bool, language: Language) -> Result<(), ReportError> {
    let [(left, top), (right, _)] = layout.client;
    let ground = if two { PUBLIC } else { CARD };
    canvas.rectangle(layout.client, ground)?;
    canvas.outline(layout.client, EDGE, 1)?;
    let middle = (left + right) / 2;
    let centred = |size, bold, colour| Lettering { anchor: Anchor::Centre, ..lettering(size, bold, colour) };
    let write = |text: String, y: i32, look: Lettering| {
        canvas.write(&fitting(&text, look.size, right - left - 8), (middle, y), look)
    };
    write(client(language), top + PAD + LINE / 2, centred(NAME_SIZE, true, INK))?;
    write(generator(language), top + PAD + LINE + LINE / 2, centred(TEXT_SIZE, false, GREY))
}

fn draw_card(canvas: &Canvas, placed: &Placed) -> Result<(), ReportError> {
    canvas.rectangle(placed.corners, CARD)?;
    canvas.outline(placed.corners, EDGE, if placed.card.nodes.len() > 1 { 3 } else { 1 })?;
    let [(left, top), (right, bottom)] = placed.corners;
    let text = LINE * placed.card.lines.len() as i32;
    let first = top + (bottom - top - text) / 2;
    for (place, line) in placed.card.lines.iter().enumerate() {
        let y = first + LINE * place as i32 + LINE / 2;
        draw_line(canvas, line, (left + PAD, y), right - PAD)?;
    }
    Ok(())
}

/// One line of a card, from its left to at most the right end.
fn draw_line(canvas: &Canvas, line: &Line, (x, y): Point, right: i32) -> Result<(), ReportError> {
    let fit = |size: u32, x: i32| fitting(&line.text, size, right - x);
    match line.look {
        Look::Name => canvas.write(&fit(NAME_SIZE, x), (x, y), lettering(NAME_SIZE, true, INK)),
        Look::Plain => canvas.write(&fit(TEXT_SIZE, x), (x, y), lettering(TEXT_SIZE, false, INK)),
        Look::Quiet => canvas.write(&fit(TEXT_SIZE, x), (x, y), lettering(TEXT_SIZE, false, GREY)),
        Look::Address(network) => {
            let text = fit(TEXT_SIZE, x + 6);
            tag(canvas, network, &text, (x, y)).map(|_| ())
        }
        Look::Service(step) => {
            let x = x + STEP * step as i32;
            if step == 0 {
                canvas.disc((x + 4, y), 3, EDGE)?;
            } else {
                canvas.line(&[(x - STEP + 4, y - LINE / 2), (x - STEP + 4, y), (x + 4, y)], EDGE, 1)?;
                canvas.polygon(vec![(x + 8, y), (x + 3, y - 3), (x + 3, y + 3)], EDGE)?;
            }
            canvas.write(&fit(TEXT_SIZE, x + STEP), (x + STEP, y), lettering(TEXT_SIZE, false, INK))
        }
    }
}

/// A text on its network's ground; returns where it ends.
fn tag(canvas: &Canvas, network: Network, text: &str, (x, y): Point) -> Result<i32, ReportError> {
    let ground = match network {
        Network::Public => PUBLIC,
        Network::Private => PRIVATE,
    };
    let end = x + text_width(text, TEXT_SIZE) + 12;
    canvas.rectangle([(x, y - LINE / 2 + 1), (end, y + LINE / 2 - 1)], ground)?;
    canvas.write(text, (x + 6, y), lettering(TEXT_SIZE, false, INK))?;
    Ok(end)
}

fn draw_networks(canvas: &Canvas, y: i32, language: Language) -> Result<(), ReportError> {
    let mut x = 24;
    for (network, means) in
        [(Network::Public, public_means(language)), (Network::Private, private_means(language))]
    {
        let end = tag(canvas, network, &card::network(network, language), (x, y))?;
        canvas.write(&means, (end + 8, y), lettering(TEXT_SIZE, false, GREY))?;
        x = end + 8 + text_width(&means, TEXT_SIZE) + 28;
    }
    Ok(())
}

fn lettering(size: u32, bold: bool, colour: RGBAColor) -> Lettering {
    Lettering { size, bold, colour, anchor: Anchor::Left }
}
