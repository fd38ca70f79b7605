//! Latency over levels: median and 95th percentile of good requests, from merged histograms.

use crate::model::experiment::Language;
use crate::report::analysis::Analysis;
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
        "Latency of good requests, all repetitions of a cell merged",
        "Latencia de las peticiones correctas, con todas las repeticiones de cada celda juntas"
    }
    /// Beside the axis.
    vertical() { "latency, ms", "latencia, ms" }
    /// Beside a logarithmic axis.
    vertical_logarithmic() { "latency, ms (logarithmic)", "latencia, ms (logarítmica)" }
    /// Explains the marks.
    median_means() { "median (p50)", "mediana (p50)" }
    /// Explains the ends of the lines.
    high_means() { "95th percentile (p95)", "percentil 95 (p95)" }
}

/// File name without extension.
pub(in crate::report) const NAME: &str = "latency";

/// Largest over smallest value from which the axis is logarithmic.
const LOGARITHMIC_FROM: f64 = 20.0;

/// Whether any cell has a median.
pub(in crate::report) fn has_latency(analysis: &Analysis) -> bool {
    analysis.cells.iter().any(|cell| cell.latency.p50.merged_ms.is_some())
}

/// The chart as SVG.
pub(super) fn draw(analysis: &Analysis, language: Language) -> Result<String, ReportError> {
    let frame = Frame::new(analysis);
    let values = || {
        let cells = analysis.cells.iter();
        cells
            .flat_map(|cell| [cell.latency.p50.merged_ms, cell.latency.p95.merged_ms])
            .flatten()
            .filter(|v| *v > 0.0)
    };
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    let logarithmic = least > 0.0 && most > LOGARITHMIC_FROM * least && least.is_finite();
    let scale = if logarithmic {
        Scale::logarithmic(least, most, frame.top, frame.bottom)
    } else {
        Scale::linear(most, frame.top, frame.bottom)
    };
    let mut svg = String::new();
    let canvas = Canvas::new(NAME, &mut svg, frame.size())?;
    let vertical = if logarithmic { vertical_logarithmic(language) } else { vertical(language) };
    let subtitle = subtitle(language);
    frame.draw(&canvas, &scale, Words { subtitle: &subtitle, vertical: &vertical, language })?;
    draw_cells(&canvas, &frame, &scale, analysis)?;
    legend(&canvas, &frame, analysis, language)?;
    canvas.finish()?;
    Ok(svg)
}

fn draw_cells(canvas: &Canvas, frame: &Frame, scale: &Scale, analysis: &Analysis) -> Result<(), ReportError> {
    for (place, (name, _)) in frame.variants.iter().enumerate() {
        let mut before: Option<Point> = None;
        for level in &frame.levels {
            let x = frame.x(name, level);
            let cell = analysis.cell(name, level);
            let Some(median) = cell.and_then(|cell| cell.latency.p50.merged_ms) else {
                before = None;
                if cell.is_some_and(|cell| cell.struck.is_some()) {
                    mark::cross(canvas, (x, frame.bottom - 12), STRUCK)?;
                    canvas.line(
                        &[(x - 5, frame.bottom - 3), (x + 5, frame.bottom - 3)],
                        mark::colour(place, 1.0),
                        3,
                    )?;
                }
                continue;
            };
            let at = (x, scale.pixel(median));
            if let Some(before) = before {
                canvas.line(&[before, at], mark::colour(place, 0.3), 2)?;
            }
            if let Some(high) = cell.and_then(|cell| cell.latency.p95.merged_ms) {
                let y = scale.pixel(high);
                canvas.line(&[at, (x, y)], mark::colour(place, 0.7), 2)?;
                canvas.line(&[(x - 6, y), (x + 6, y)], mark::colour(place, 1.0), 2)?;
            }
            mark::mark(canvas, place, at, 5)?;
            before = Some(at);
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
    let median = |canvas: &Canvas, at: Point| canvas.disc(at, 5, GREY);
    let high = |canvas: &Canvas, (x, y): Point| {
        canvas.line(&[(x, y + 8), (x, y - 6)], GREY, 2)?;
        canvas.line(&[(x - 6, y - 6), (x + 6, y - 6)], GREY, 2)
    };
    let cross = |canvas: &Canvas, at: Point| mark::cross(canvas, at, STRUCK);
    let mut signs: Vec<Sign> = vec![(median_means(language), &median), (high_means(language), &high)];
    if analysis.cells.iter().any(|cell| cell.struck.is_some()) {
        signs.push((struck_means(language), &cross));
    }
    frame.legend(canvas, &signs)
}
