//! Colours and shapes of variants: told apart by both, so that a grey print still says which is which.

use plotters::style::{Color, RGBAColor, RGBColor};

use crate::report::chart::canvas::{Canvas, Point};
use crate::report::error::ReportError;

/// Text and axes.
pub(super) const INK: RGBAColor = RGBAColor(34, 34, 34, 1.0);

/// Less important text.
pub(super) const GREY: RGBAColor = RGBAColor(96, 96, 96, 1.0);

/// Lines behind the data.
pub(super) const GRID: RGBAColor = RGBAColor(222, 222, 222, 1.0);

/// Every second level's ground.
pub(super) const BAND: RGBAColor = RGBAColor(246, 247, 249, 1.0);

/// What does not count.
pub(super) const STRUCK: RGBAColor = RGBAColor(176, 0, 32, 1.0);

/// Colours that differ for most eyes; the shapes differ where the colours come round again.
const COLOURS: [RGBColor; 10] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 138, 100),
    RGBColor(180, 80, 150),
    RGBColor(70, 160, 220),
    RGBColor(200, 140, 0),
    RGBColor(110, 70, 150),
    RGBColor(90, 90, 90),
    RGBColor(140, 86, 75),
    RGBColor(90, 125, 30),
];

/// The variant's colour at an opacity of 0–1.
pub(super) fn colour(variant: usize, opacity: f64) -> RGBAColor {
    COLOURS[variant % COLOURS.len()].mix(opacity)
}

/// The variant's filled mark.
pub(super) fn mark(canvas: &Canvas, variant: usize, at: Point, radius: i32) -> Result<(), ReportError> {
    let (x, y) = at;
    let ink = colour(variant, 1.0);
    match variant % 4 {
        0 => canvas.disc(at, radius, ink),
        1 => canvas.rectangle([(x - radius + 1, y - radius + 1), (x + radius - 1, y + radius - 1)], ink),
        2 => canvas.polygon(
            vec![(x, y - radius - 1), (x + radius + 1, y + radius), (x - radius - 1, y + radius)],
            ink,
        ),
        _ => canvas.polygon(
            vec![(x, y - radius - 1), (x + radius + 1, y), (x, y + radius + 1), (x - radius - 1, y)],
            ink,
        ),
    }
}

/// The cross of a struck cell.
pub(super) fn cross(canvas: &Canvas, at: Point, colour: RGBAColor) -> Result<(), ReportError> {
    let (x, y) = at;
    canvas.line(&[(x - 5, y - 5), (x + 5, y + 5)], colour, 2)?;
    canvas.line(&[(x - 5, y + 5), (x + 5, y - 5)], colour, 2)
}
