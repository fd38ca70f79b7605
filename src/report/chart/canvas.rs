//! Lines, marks and text in pixels on an SVG. Knows no numbers but pixels.

use plotters::backend::SVGBackend;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Circle, PathElement, Polygon, Rectangle};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontStyle, FontTransform, IntoFont, RGBAColor, ShapeStyle, TextStyle};

use crate::report::chart::font::text_width;
use crate::report::error::ReportError;

/// A point, pixels from the left and from the top.
pub(super) type Point = (i32, i32);

/// Which point of a text its position names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Left,
    Centre,
    Right,
}

/// Size and look of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lettering {
    pub(super) size: u32,
    pub(super) bold: bool,
    pub(super) colour: RGBAColor,
    pub(super) anchor: Anchor,
}

/// Something to draw on.
pub(super) struct Canvas<'a> {
    chart: String,
    area: DrawingArea<SVGBackend<'a>, Shift>,
}

impl<'a> Canvas<'a> {
    /// A white canvas whose SVG is written into `svg` when it is finished.
    pub(super) fn new(chart: &str, svg: &'a mut String, size: (u32, u32)) -> Result<Self, ReportError> {
        let canvas =
            Self { chart: chart.to_owned(), area: SVGBackend::with_string(svg, size).into_drawing_area() };
        canvas.area.fill(&plotters::style::WHITE).map_err(|error| canvas.failed(&error))?;
        Ok(canvas)
    }

    fn failed(&self, error: &dyn std::fmt::Display) -> ReportError {
        ReportError::Draw { chart: self.chart.clone(), reason: error.to_string() }
    }

    pub(super) fn line(&self, points: &[Point], colour: RGBAColor, width: u32) -> Result<(), ReportError> {
        let style = ShapeStyle { color: colour, filled: false, stroke_width: width };
        self.area.draw(&PathElement::new(points.to_vec(), style)).map_err(|error| self.failed(&error))
    }

    pub(super) fn rectangle(&self, corners: [Point; 2], colour: RGBAColor) -> Result<(), ReportError> {
        self.area.draw(&Rectangle::new(corners, colour.filled())).map_err(|error| self.failed(&error))
    }

    /// The outline of a rectangle, one or two pixels wide.
    pub(super) fn outline(
        &self,
        corners: [Point; 2],
        colour: RGBAColor,
        width: u32,
    ) -> Result<(), ReportError> {
        let style = ShapeStyle { color: colour, filled: false, stroke_width: width };
        self.area.draw(&Rectangle::new(corners, style)).map_err(|error| self.failed(&error))
    }

    pub(super) fn disc(&self, centre: Point, radius: i32, colour: RGBAColor) -> Result<(), ReportError> {
        self.area.draw(&Circle::new(centre, radius, colour.filled())).map_err(|error| self.failed(&error))
    }

    pub(super) fn ring(&self, centre: Point, radius: i32, colour: RGBAColor) -> Result<(), ReportError> {
        let style = ShapeStyle { color: colour, filled: false, stroke_width: 2 };
        self.area.draw(&Circle::new(centre, radius, style)).map_err(|error| self.failed(&error))
    }

    pub(super) fn polygon(&self, corners: Vec<Point>, colour: RGBAColor) -> Result<(), ReportError> {
        self.area.draw(&Polygon::new(corners, colour)).map_err(|error| self.failed(&error))
    }

    /// Writes one line of text; its vertical middle is at the point.
    pub(super) fn write(&self, text: &str, at: Point, lettering: Lettering) -> Result<(), ReportError> {
        self.turned(text, at, lettering, FontTransform::None)
    }

    /// Writes upwards.
    pub(super) fn write_upwards(
        &self,
        text: &str,
        at: Point,
        lettering: Lettering,
    ) -> Result<(), ReportError> {
        self.turned(text, at, lettering, FontTransform::Rotate270)
    }

    fn turned(
        &self,
        text: &str,
        at: Point,
        lettering: Lettering,
        turn: FontTransform,
    ) -> Result<(), ReportError> {
        let horizontal = match lettering.anchor {
            Anchor::Left => HPos::Left,
            Anchor::Centre => HPos::Center,
            Anchor::Right => HPos::Right,
        };
        let weight = if lettering.bold { FontStyle::Bold } else { FontStyle::Normal };
        let font = ("sans-serif", f64::from(lettering.size)).into_font().style(weight).transform(turn);
        let style = TextStyle::from(font).color(&lettering.colour).pos(Pos::new(horizontal, VPos::Center));
        self.area.draw_text(text, &style, at).map_err(|error| self.failed(&error))
    }

    /// Ends the SVG.
    pub(super) fn finish(self) -> Result<(), ReportError> {
        self.area.present().map_err(|error| self.failed(&error))
    }
}

/// A text without control characters that fits, shortened with an ellipsis where it must be.
pub(super) fn fitting(text: &str, size: u32, width: i32) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text_width(&clean, size) <= width {
        return clean;
    }
    let mut kept = clean;
    while !kept.is_empty() && text_width(&format!("{}…", kept.trim_end()), size) > width {
        kept.pop();
    }
    format!("{}…", kept.trim_end())
}

/// A text broken at blanks into at most `lines` lines that fit; what is left over is shortened.
pub(super) fn wrapped(text: &str, size: u32, width: i32, lines: usize) -> Vec<String> {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).collect();
    let mut found: Vec<String> = Vec::new();
    let mut rest = words.as_slice();
    while !rest.is_empty() && found.len() < lines {
        let last = found.len() + 1 == lines;
        let mut taken = rest.len();
        while taken > 1 && text_width(&rest[..taken].join(" "), size) > width {
            taken -= 1;
        }
        if last {
            taken = rest.len();
        }
        found.push(fitting(&rest[..taken].join(" "), size, width));
        rest = &rest[taken..];
    }
    found
}
