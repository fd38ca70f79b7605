//! What each node of a variant used on the time axis of the load: CPU, memory and, where any, time held back.

use plotters::style::RGBAColor;

use crate::model::experiment::Language;
use crate::report::chart::canvas::{Anchor, Canvas, Lettering, Point, fitting};
use crate::report::chart::mark;
use crate::report::chart::mark::{GREY, GRID, INK};
use crate::report::chart::scale::{Scale, label};
use crate::report::error::ReportError;
use crate::report::timeline::{NodeLine, Series, Timeline};
use crate::report::words::phrase::phrases;

phrases! {
    /// Title of the chart.
    title(variant) {
        "What the nodes used in the variant {variant}",
        "Lo que usaron los nodos en la variante {variant}"
    }
    /// Which repetition is shown.
    subtitle(level, round) {
        "Level {level}, round {round}; the window is shaded, before it lies the warm-up",
        "Nivel {level}, ronda {round}; la ventana está sombreada y antes está el calentamiento"
    }
    /// Above the panel of CPU.
    cpu() { "CPU, % of the node's limit", "CPU, % del límite del nodo" }
    /// Above the panel of memory.
    memory() { "memory, % of the node's limit", "memoria, % del límite del nodo" }
    /// Above the panel of throttling.
    throttled() {
        "time held back by the CPU limit, % of the time",
        "tiempo frenado por el límite de CPU, % del tiempo"
    }
    /// Below the last panel.
    time() { "seconds since the window began", "segundos desde el comienzo de la ventana" }
    /// A line of several nodes.
    mean_of(group, count) { "{group} (mean of {count})", "{group} (media de {count})" }
}

const WIDTH: i32 = 960;
const LEFT: i32 = 64;
const RIGHT: i32 = 190;
const PANEL: i32 = 180;
const GAP: i32 = 44;
const TOP: i32 = 98;
const TEXT_SIZE: u32 = 14;
const LABEL_GAP: i32 = 15;
/// A share of the time below which nothing was held back.
const THROTTLED_FROM: f64 = 0.005;
const WINDOW: RGBAColor = RGBAColor(238, 241, 245, 1.0);

/// Drawn and blank pixels in turn; the first is a line without gaps.
const DASHES: [&[i32]; 5] = [&[], &[9, 5], &[2, 4], &[12, 4, 2, 4], &[5, 3]];

/// Name of the chart's files without extension.
pub(in crate::report) fn name(variant: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' };
    format!("cpu-{}", variant.chars().map(plain).collect::<String>())
}

/// One panel: its title and the series that it takes from a line.
type Panel = (String, fn(&NodeLine) -> &Series);

/// The chart of one variant as SVG.
pub(super) fn draw(timeline: &Timeline, language: Language) -> Result<String, ReportError> {
    let name = name(&timeline.variant);
    let mut panels: Vec<Panel> =
        vec![(cpu(language), |line| &line.cpu), (memory(language), |line| &line.memory)];
    let held_back = |line: &NodeLine| line.throttled.iter().any(|(_, share)| *share >= THROTTLED_FROM);
    if timeline.lines.iter().any(held_back) {
        panels.push((throttled(language), |line| &line.throttled));
    }
    panels.retain(|(_, pick)| timeline.lines.iter().any(|line| !pick(line).is_empty()));
    let height = TOP + (PANEL + GAP) * panels.len() as i32 + 24;
    let mut svg = String::new();
    let canvas = Canvas::new(&name, &mut svg, (WIDTH.unsigned_abs(), height.unsigned_abs()))?;
    let variant = if timeline.title == timeline.variant {
        timeline.variant.clone()
    } else {
        format!("{}: {}", timeline.variant, timeline.title)
    };
    let heading = fitting(&title(language, &variant), 20, WIDTH - 48);
    canvas.write(&heading, (24, 28), lettering(20, true, Anchor::Left, INK))?;
    let which = fitting(&subtitle(language, &timeline.level, &timeline.round), TEXT_SIZE, WIDTH - 48);
    canvas.write(&which, (24, 54), lettering(TEXT_SIZE, false, Anchor::Left, GREY))?;
    let times = Times::new(timeline);
    let mut top = TOP;
    for (title, pick) in &panels {
        panel(&canvas, timeline, &times, top, (title, *pick), language)?;
        top += PANEL + GAP;
    }
    let middle = (LEFT + WIDTH - RIGHT) / 2;
    canvas.write(
        &time(language),
        (middle, top - GAP + 40),
        lettering(TEXT_SIZE, false, Anchor::Centre, GREY),
    )?;
    canvas.finish()?;
    Ok(svg)
}

/// The horizontal axis.
struct Times {
    from_s: f64,
    to_s: f64,
}

impl Times {
    fn new(timeline: &Timeline) -> Self {
        let all =
            || timeline.lines.iter().flat_map(|line| line.cpu.iter().chain(&line.memory)).map(|(at, _)| *at);
        Self { from_s: all().fold(0.0, f64::min), to_s: all().fold(timeline.duration_s, f64::max).max(1.0) }
    }

    fn pixel(&self, at_s: f64) -> i32 {
        let share = ((at_s - self.from_s) / (self.to_s - self.from_s)).clamp(0.0, 1.0);
        LEFT + (share * f64::from(WIDTH - LEFT - RIGHT)).round() as i32
    }

    /// Round seconds, at most a dozen.
    fn ticks(&self) -> Vec<f64> {
        let steps = [1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0];
        let step = steps.into_iter().find(|step| (self.to_s - self.from_s) / step <= 12.0).unwrap_or(3600.0);
        let (first, last) = ((self.from_s / step).ceil() as i64, (self.to_s / step).floor() as i64);
        (first..=last).map(|index| index as f64 * step).collect()
    }
}

fn panel(
    canvas: &Canvas,
    timeline: &Timeline,
    times: &Times,
    top: i32,
    (title, pick): (&str, fn(&NodeLine) -> &Series),
    language: Language,
) -> Result<(), ReportError> {
    let bottom = top + PANEL;
    let right = WIDTH - RIGHT;
    canvas.rectangle([(times.pixel(0.0), top), (times.pixel(timeline.duration_s), bottom)], WINDOW)?;
    let most = timeline.lines.iter().flat_map(pick).map(|(_, share)| 100.0 * share).fold(100.0, f64::max);
    let scale = Scale::linear(most, top, bottom);
    for tick in scale.ticks() {
        let y = scale.pixel(tick);
        canvas.line(&[(LEFT, y), (right, y)], GRID, 1)?;
        canvas.write(&label(tick), (LEFT - 8, y), lettering(TEXT_SIZE, false, Anchor::Right, INK))?;
    }
    for tick in times.ticks() {
        let x = times.pixel(tick);
        canvas.line(&[(x, bottom), (x, bottom + 4)], INK, 1)?;
        canvas.write(&label(tick), (x, bottom + 15), lettering(TEXT_SIZE, false, Anchor::Centre, INK))?;
    }
    canvas.line(&[(LEFT, top), (LEFT, bottom), (right, bottom)], INK, 1)?;
    canvas.write(title, (LEFT, top - 10), lettering(TEXT_SIZE, true, Anchor::Left, INK))?;
    let mut ends: Vec<(usize, Point)> = Vec::new();
    for (place, line) in timeline.lines.iter().enumerate() {
        let points: Vec<Point> =
            pick(line).iter().map(|(at, share)| (times.pixel(*at), scale.pixel(100.0 * share))).collect();
        trace(canvas, place, &points)?;
        ends.extend(points.last().map(|end| (place, *end)));
    }
    names(canvas, timeline, ends, (top, bottom), language)
}

/// A dashed line with marks, told apart without colour.
fn trace(canvas: &Canvas, place: usize, points: &[Point]) -> Result<(), ReportError> {
    let colour = mark::colour(place, 1.0);
    for stretch in dashed(points, DASHES[place % DASHES.len()]) {
        canvas.line(&stretch, colour, 2)?;
    }
    // Lines that lie on each other have their marks at different places.
    let step = points.len().div_ceil(6).max(1);
    points.iter().skip(place % step).step_by(step).try_for_each(|at| mark::mark(canvas, place, *at, 4))
}

/// A line cut into its drawn stretches.
fn dashed(points: &[Point], pattern: &[i32]) -> Vec<Vec<Point>> {
    if pattern.is_empty() || points.len() < 2 {
        return if points.len() < 2 { Vec::new() } else { vec![points.to_vec()] };
    }
    let mut stretches = Vec::new();
    let mut current = vec![points[0]];
    let (mut turn, mut left) = (0, f64::from(pattern[0]));
    for pair in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let (dx, dy) = (f64::from(x1 - x0), f64::from(y1 - y0));
        let length = dx.hypot(dy);
        let mut done = 0.0;
        while length - done > left {
            done += left;
            let at = (x0 + (dx * done / length).round() as i32, y0 + (dy * done / length).round() as i32);
            if turn % 2 == 0 {
                current.push(at);
                stretches.push(std::mem::take(&mut current));
            } else {
                current = vec![at];
            }
            turn += 1;
            left = f64::from(pattern[turn % pattern.len()]);
        }
        left -= length - done;
        if turn % 2 == 0 {
            current.push((x1, y1));
        }
    }
    if turn % 2 == 0 && current.len() > 1 {
        stretches.push(current);
    }
    stretches
}

/// Each line's name at its end, moved apart where ends lie close together.
fn names(
    canvas: &Canvas,
    timeline: &Timeline,
    mut ends: Vec<(usize, Point)>,
    (top, bottom): (i32, i32),
    language: Language,
) -> Result<(), ReportError> {
    ends.sort_by_key(|(place, (_, y))| (*y, *place));
    let places = spread(&ends.iter().map(|(_, (_, y))| *y).collect::<Vec<i32>>(), top, bottom);
    let right = WIDTH - RIGHT;
    for ((place, end), y) in ends.into_iter().zip(places) {
        let line = &timeline.lines[place];
        let text =
            if line.nodes > 1 { mean_of(language, &line.name, &line.nodes) } else { line.name.clone() };
        canvas.line(&[end, (right + 6, y), (right + 12, y)], GREY, 1)?;
        mark::mark(canvas, place, (right + 20, y), 5)?;
        let text = fitting(&text, TEXT_SIZE, RIGHT - 40);
        canvas.write(&text, (right + 32, y), lettering(TEXT_SIZE, false, Anchor::Left, INK))?;
    }
    Ok(())
}

/// Heights, rising, at least a line of text apart where there is room for it, all between top and bottom.
fn spread(wanted: &[i32], top: i32, bottom: i32) -> Vec<i32> {
    let gap = LABEL_GAP.min((bottom - top) / (wanted.len() as i32).max(1));
    let mut places: Vec<i32> = Vec::new();
    for y in wanted {
        places.push(places.last().map_or(*y, |before| (before + gap).max(*y)));
    }
    let mut lowest = bottom;
    for y in places.iter_mut().rev() {
        *y = (*y).min(lowest);
        lowest = *y - gap;
    }
    places
}

fn lettering(size: u32, bold: bool, anchor: Anchor, colour: RGBAColor) -> Lettering {
    Lettering { size, bold, colour, anchor }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::Lab;
    use crate::report::timeline;

    fn lab() -> Lab {
        let mut lab = Lab::two_networks(3);
        for (place, node) in ["frontend", "backend1", "backend2", "backend3", "store"].into_iter().enumerate()
        {
            let factor = 0.05 + 0.08 * place as f64;
            lab.observe(node, None, move |at_s| {
                let used = factor * (at_s + 3.0) + 0.05 * (at_s * 0.7).sin();
                vec![
                    ("cpu_s_total", used + 1.0),
                    ("memory_bytes", 2.0e8 + 1.0e8 * place as f64 + 1.0e6 * at_s),
                ]
            });
        }
        lab
    }

    fn svg(lab: &Lab, language: Language) -> String {
        let found = timeline::timelines(&lab.input(), &lab.analysis());
        draw(&found[0], language).unwrap()
    }

    #[test]
    fn a_chart_names_every_node_and_says_which_repetition_it_shows() {
        let mut lab = lab();
        let plain = svg(&lab, Language::En);
        for expected in ["\nstore\n", "\nbackend3\n", "Level 16, round 1", "CPU, % of", "memory, % of"] {
            assert!(plain.contains(expected), "{expected}: {plain}");
        }
        assert!(!plain.contains("held back"));
        lab.observe("store", None, |at_s| {
            vec![("throttled_s_total", 3.0 + at_s), ("cpu_s_total", at_s + 3.0)]
        });
        assert!(svg(&lab, Language::En).contains("held back"));
        assert!(svg(&lab, Language::Es).contains("tiempo frenado"));
    }

    #[test]
    fn a_dashed_line_has_gaps_and_a_solid_one_none() {
        let line = [(0, 0), (30, 0), (30, 30)];
        assert_eq!(dashed(&line, &[]), [line.to_vec()]);
        let length = |stretch: &Vec<Point>| {
            stretch.windows(2).map(|p| (p[1].0 - p[0].0).abs() + (p[1].1 - p[0].1).abs()).sum::<i32>()
        };
        let stretches = dashed(&line, &[9, 6]);
        assert_eq!(stretches.iter().map(length).collect::<Vec<i32>>(), [9, 9, 9, 9]);
        assert_eq!(dashed(&[(3, 3)], &[9, 6]), Vec::<Vec<Point>>::new());
    }

    #[test]
    fn names_never_lie_on_each_other() {
        let places = spread(&[100, 100, 101, 178, 179], 0, 180);
        assert!(
            places.windows(2).all(|pair| pair[1] - pair[0] >= LABEL_GAP) && places[4] <= 180,
            "{places:?}"
        );
        let many = spread(&[90; 40], 0, 180);
        assert!(many.windows(2).all(|pair| pair[1] > pair[0]) && many[0] >= 0 && many[39] <= 180, "{many:?}");
    }

    #[test]
    fn any_variant_has_a_plain_file_name() {
        assert_eq!([name("three"), name("../a b")], ["cpu-three", "cpu----a-b"]);
    }
}
