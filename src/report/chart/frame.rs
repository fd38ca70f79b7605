//! What surrounds the data: titles, axes, bands of levels, legend. The legend stands below, never over the data.

use crate::model::experiment::Language;
use crate::report::analysis::Analysis;
use crate::report::chart::canvas::{Anchor, Canvas, Lettering, Point, fitting, wrapped};
use crate::report::chart::font::text_width;
use crate::report::chart::mark::{self, BAND, GREY, GRID, INK};
use crate::report::chart::scale::{Scale, label};
use crate::report::error::ReportError;
use crate::report::words::phrase::phrases;

phrases! {
    /// Below the levels.
    levels_axis() { "level (concurrent connections)", "nivel (conexiones simultáneas)" }
    /// Explains the cross of a struck cell.
    struck_means() { "struck (see the table)", "descartado (véase la tabla)" }
}

const LEFT: i32 = 84;
const RIGHT: i32 = 24;
const TITLE_SIZE: u32 = 20;
const TEXT_SIZE: u32 = 14;
const PLOT_HEIGHT: i32 = 400;
const LEGEND_LINE: i32 = 24;

/// What a chart says around its data.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words<'a> {
    pub(super) subtitle: &'a str,
    pub(super) vertical: &'a str,
    pub(super) language: Language,
}

/// One explained sign of the second legend.
pub(super) type Sign<'a> = (String, &'a dyn Fn(&Canvas, Point) -> Result<(), ReportError>);

/// Where everything stands, pixels.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    pub(super) variants: Vec<(String, String)>,
    pub(super) levels: Vec<String>,
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) top: i32,
    pub(super) bottom: i32,
    title: Vec<String>,
    legend_columns: i32,
}

impl Frame {
    /// Lays a chart out for the variants and levels of an analysis.
    pub(super) fn new(analysis: &Analysis) -> Self {
        let mut variants: Vec<(String, String)> = Vec::new();
        let mut levels: Vec<String> = Vec::new();
        for cell in &analysis.cells {
            if !variants.iter().any(|(name, _)| *name == cell.variant) {
                variants.push((cell.variant.clone(), cell.variant_title.clone()));
            }
            if !levels.contains(&cell.level) {
                levels.push(cell.level.clone());
            }
        }
        let data = levels.len() as i32 * (variants.len() as i32 * 12 + 28).max(64);
        let width = (data + LEFT + RIGHT).clamp(900, 1800);
        let inner = width - LEFT - RIGHT;
        let widest =
            variants.iter().map(|variant| text_width(&legend_text(variant), TEXT_SIZE)).max().unwrap_or(0);
        let legend_columns = (inner / (widest + 50).max(1)).clamp(1, variants.len().max(1) as i32);
        let title = wrapped(&analysis.title, TITLE_SIZE, width - 48, 2);
        let top = 26 + 28 * title.len() as i32 + 24;
        let bottom = top + PLOT_HEIGHT;
        let legend_lines = (variants.len() as i32 + legend_columns - 1) / legend_columns;
        // One line for the signs, and one more for those that do not fit.
        let height = bottom + 62 + LEGEND_LINE * (legend_lines + 2) + 8;
        Self { variants, levels, width, height, top, bottom, title, legend_columns }
    }

    /// The size of the canvas.
    pub(super) fn size(&self) -> (u32, u32) {
        (self.width.unsigned_abs(), self.height.unsigned_abs())
    }

    fn slot(&self) -> f64 {
        f64::from(self.width - LEFT - RIGHT) / self.levels.len().max(1) as f64
    }

    /// The horizontal pixel of a variant at a level: variants stand side by side inside a level.
    pub(super) fn x(&self, variant: &str, level: &str) -> i32 {
        let level = self.levels.iter().position(|name| name == level).unwrap_or(0) as f64;
        let variant = self.variants.iter().position(|(name, _)| name == variant).unwrap_or(0) as f64;
        let count = self.variants.len().max(1) as f64;
        let offset = (variant - (count - 1.0) / 2.0) * self.step();
        LEFT + (self.slot() * (level + 0.5) + offset).round() as i32
    }

    /// Pixels between neighbouring variants; a single level has the whole width to itself.
    pub(super) fn step(&self) -> f64 {
        let most = if self.levels.len() == 1 { 180.0 } else { 46.0 };
        (self.slot() * 0.8 / self.variants.len().max(1) as f64).min(most)
    }

    /// Everything behind the data.
    pub(super) fn draw(&self, canvas: &Canvas, scale: &Scale, words: Words) -> Result<(), ReportError> {
        let right = self.width - RIGHT;
        for (place, line) in self.title.iter().enumerate() {
            canvas.write(
                line,
                (24, 28 + 28 * place as i32),
                lettering(TITLE_SIZE, true, Anchor::Left, INK),
            )?;
        }
        canvas.write(words.subtitle, (24, self.top - 26), lettering(TEXT_SIZE, false, Anchor::Left, GREY))?;
        for (place, level) in self.levels.iter().enumerate() {
            let from = LEFT + (self.slot() * place as f64).round() as i32;
            let to = LEFT + (self.slot() * (place + 1) as f64).round() as i32;
            if place % 2 == 1 {
                canvas.rectangle([(from, self.top), (to, self.bottom)], BAND)?;
            }
            let name = fitting(level, TEXT_SIZE, to - from - 4);
            canvas.write(
                &name,
                ((from + to) / 2, self.bottom + 16),
                lettering(TEXT_SIZE, false, Anchor::Centre, INK),
            )?;
        }
        for tick in scale.ticks() {
            let y = scale.pixel(tick);
            canvas.line(&[(LEFT, y), (right, y)], GRID, 1)?;
            canvas.write(&label(tick), (LEFT - 8, y), lettering(TEXT_SIZE, false, Anchor::Right, INK))?;
        }
        canvas.line(&[(LEFT, self.top), (LEFT, self.bottom), (right, self.bottom)], INK, 1)?;
        let middle = (LEFT + right) / 2;
        canvas.write(
            &levels_axis(words.language),
            (middle, self.bottom + 40),
            lettering(TEXT_SIZE, false, Anchor::Centre, GREY),
        )?;
        let centre = (20, (self.top + self.bottom) / 2);
        canvas.write_upwards(words.vertical, centre, lettering(TEXT_SIZE, false, Anchor::Centre, GREY))
    }

    /// The variants with their marks, and below them what the other signs mean.
    pub(super) fn legend(&self, canvas: &Canvas, signs: &[Sign]) -> Result<(), ReportError> {
        let top = self.bottom + 72;
        let column = (self.width - LEFT - RIGHT) / self.legend_columns;
        for (place, variant) in self.variants.iter().enumerate() {
            let (row, at) = (place as i32 / self.legend_columns, place as i32 % self.legend_columns);
            let (x, y) = (LEFT + at * column, top + row * LEGEND_LINE);
            canvas.line(&[(x, y), (x + 26, y)], mark::colour(place, 0.6), 2)?;
            mark::mark(canvas, place, (x + 13, y), 5)?;
            let text = fitting(&legend_text(variant), TEXT_SIZE, column - 36);
            canvas.write(&text, (x + 34, y), lettering(TEXT_SIZE, false, Anchor::Left, INK))?;
        }
        let rows = (self.variants.len() as i32 + self.legend_columns - 1) / self.legend_columns;
        let (mut x, mut y) = (LEFT, top + rows * LEGEND_LINE + 6);
        for (text, sign) in signs {
            // The estimate of a text's width is generous, so that this never runs over the edge.
            let wide = 34 + text_width(text, TEXT_SIZE);
            if x > LEFT && x + wide > self.width - RIGHT {
                (x, y) = (LEFT, y + LEGEND_LINE);
            }
            sign(canvas, (x + 13, y))?;
            canvas.write(text, (x + 34, y), lettering(TEXT_SIZE, false, Anchor::Left, GREY))?;
            x += wide + 4;
        }
        Ok(())
    }
}

fn legend_text((name, title): &(String, String)) -> String {
    let text = if name == title { name.clone() } else { format!("{name}: {title}") };
    fitting(&text, TEXT_SIZE, 480)
}

fn lettering(size: u32, bold: bool, anchor: Anchor, colour: plotters::style::RGBAColor) -> Lettering {
    Lettering { size, bold, colour, anchor }
}
