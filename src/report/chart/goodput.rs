//! Goodput over levels: means with intervals, every single value, throughput where it differs, struck cells as crosses.

use crate::model::experiment::Language;
use crate::report::analysis::Analysis;
use crate::report::cell::CellSummary;
use crate::report::chart::canvas::{Canvas, Point};
use crate::report::chart::frame::{Frame, Sign, Words, struck_means};
use crate::report::chart::mark;
use crate::report::chart::mark::{GREY, STRUCK};
use crate::report::chart::scale::Scale;
use crate::report::error::ReportError;
use crate::report::words::phrase::phrases;

phrases! {
    /// Below the title.
    subtitle() {
        "Goodput: mean of the repetitions with its 95 % interval",
        "Peticiones correctas: media de las repeticiones con su intervalo del 95 %"
    }
    /// Beside the axis.
    vertical() { "good requests per second", "peticiones correctas por segundo" }
    /// Explains the interval.
    interval_means() { "95 % interval", "intervalo del 95 %" }
    /// Explains the single values.
    single_means() { "each repetition", "cada repetición" }
    /// Explains the rings of throughput.
    all_means() { "all requests, with errors", "todas las peticiones, con errores" }
}

/// File name without extension.
pub(in crate::report) const NAME: &str = "goodput";

/// Throughput is drawn from this much above goodput.
const THROUGHPUT_FROM: f64 = 1.01;

/// Whether any cell was measured.
pub(in crate::report) fn has_points(analysis: &Analysis) -> bool {
    analysis.cells.iter().any(|cell| !cell.repetitions.is_empty())
}

/// The chart as SVG.
pub(super) fn draw(analysis: &Analysis, language: Language) -> Result<String, ReportError> {
    let frame = Frame::new(analysis);
    let scale = Scale::linear(highest(analysis), frame.top, frame.bottom);
    let mut svg = String::new();
    let canvas = Canvas::new(NAME, &mut svg, frame.size())?;
    frame.draw(
        &canvas,
        &scale,
        Words { subtitle: &subtitle(language), vertical: &vertical(language), language },
    )?;
    for place in 0..frame.variants.len() {
        connect(&canvas, &frame, &scale, analysis, place)?;
    }
    for cell in &analysis.cells {
        draw_cell(&canvas, &frame, &scale, cell)?;
    }
    legend(&canvas, &frame, analysis, language)?;
    canvas.finish()?;
    Ok(svg)
}

/// The highest thing to show. An interval from two values may be enormous: it is cut off rather than flatten the rest.
fn highest(analysis: &Analysis) -> f64 {
    let counted = || analysis.cells.iter().filter_map(|cell| cell.goodput.as_ref());
    let values = counted().map(|s| s.max).fold(0.0, f64::max);
    let throughput =
        analysis.cells.iter().filter_map(|c| c.throughput.as_ref()).map(|s| s.mean).fold(0.0, f64::max);
    let intervals = counted().filter_map(|s| s.ci).map(|ci| ci[1]).fold(0.0, f64::max);
    values.max(throughput).max(intervals.min(1.5 * values))
}

/// The line from level to level; a struck or missing cell breaks it.
fn connect(
    canvas: &Canvas,
    frame: &Frame,
    scale: &Scale,
    analysis: &Analysis,
    place: usize,
) -> Result<(), ReportError> {
    let name = &frame.variants[place].0;
    let mut run: Vec<Point> = Vec::new();
    for level in &frame.levels {
        match analysis.cell(name, level).and_then(|cell| cell.goodput.as_ref()) {
            Some(goodput) => run.push((frame.x(name, level), scale.pixel(goodput.mean))),
            None => {
                stroke(canvas, &run, place)?;
                run.clear();
            }
        }
    }
    stroke(canvas, &run, place)
}

fn stroke(canvas: &Canvas, points: &[Point], place: usize) -> Result<(), ReportError> {
    if points.len() > 1 { canvas.line(points, mark::colour(place, 0.35), 2) } else { Ok(()) }
}

fn draw_cell(canvas: &Canvas, frame: &Frame, scale: &Scale, cell: &CellSummary) -> Result<(), ReportError> {
    let place = frame.variants.iter().position(|(name, _)| *name == cell.variant).unwrap_or(0);
    let x = frame.x(&cell.variant, &cell.level);
    let Some(goodput) = &cell.goodput else {
        return match cell.struck {
            Some(_) => struck(canvas, frame, place, x),
            None => Ok(()),
        };
    };
    if let Some(ci) = goodput.ci {
        whisker(canvas, scale, x, ci, place)?;
    }
    // Beside the interval where there is room, or a small interval would hide under them.
    let beside = if frame.step() >= 24.0 { 11 } else { 0 };
    for repetition in cell.repetitions.iter().filter(|repetition| repetition.struck.is_none()) {
        canvas.disc((x + beside, scale.pixel(repetition.goodput_per_s)), 3, mark::colour(place, 0.35))?;
    }
    if let Some(throughput) = cell.throughput.as_ref().filter(|t| t.mean > THROUGHPUT_FROM * goodput.mean) {
        canvas.ring((x, scale.pixel(throughput.mean)), 5, mark::colour(place, 0.45))?;
    }
    mark::mark(canvas, place, (x, scale.pixel(goodput.mean)), 5)
}

/// A struck cell stands on the axis: its value is none.
fn struck(canvas: &Canvas, frame: &Frame, place: usize, x: i32) -> Result<(), ReportError> {
    let y = frame.bottom - 12;
    mark::cross(canvas, (x, y), STRUCK)?;
    canvas.line(&[(x - 5, y + 9), (x + 5, y + 9)], mark::colour(place, 1.0), 3)
}

fn whisker(canvas: &Canvas, scale: &Scale, x: i32, ci: [f64; 2], place: usize) -> Result<(), ReportError> {
    let colour = mark::colour(place, 0.9);
    let (low, high) = (scale.pixel(ci[0]), scale.pixel(ci[1]));
    canvas.line(&[(x, low), (x, high)], colour, 1)?;
    for (value, y) in [(ci[0], low), (ci[1], high)] {
        // An end that is cut off has no cap.
        if scale.holds(value) {
            canvas.line(&[(x - 4, y), (x + 4, y)], colour, 1)?;
        }
    }
    Ok(())
}

fn legend(
    canvas: &Canvas,
    frame: &Frame,
    analysis: &Analysis,
    language: Language,
) -> Result<(), ReportError> {
    let interval = |canvas: &Canvas, (x, y): Point| {
        canvas.line(&[(x, y - 8), (x, y + 8)], GREY, 1)?;
        canvas.line(&[(x - 4, y - 8), (x + 4, y - 8)], GREY, 1)?;
        canvas.line(&[(x - 4, y + 8), (x + 4, y + 8)], GREY, 1)
    };
    let single = |canvas: &Canvas, at: Point| canvas.disc(at, 3, GREY);
    let all = |canvas: &Canvas, at: Point| canvas.ring(at, 5, plotters::style::RGBAColor(96, 96, 96, 0.5));
    let cross = |canvas: &Canvas, at: Point| mark::cross(canvas, at, STRUCK);
    let mut signs: Vec<Sign> = vec![(interval_means(language), &interval), (single_means(language), &single)];
    let differs = analysis.cells.iter().any(|cell| {
        cell.goodput
            .as_ref()
            .zip(cell.throughput.as_ref())
            .is_some_and(|(g, t)| t.mean > THROUGHPUT_FROM * g.mean)
    });
    if differs {
        signs.push((all_means(language), &all));
    }
    if analysis.cells.iter().any(|cell| cell.struck.is_some()) {
        signs.push((struck_means(language), &cross));
    }
    frame.legend(canvas, &signs)
}
