//! The plot of a case: processor and wall time of every program relative to the reference, on a
//! logarithmic axis, with the reference as a line.
//!
//! plotters draws axes, ticks and shapes in fixed colours; a style sheet put into the finished
//! SVG maps those colours for a dark scheme. So one file is readable in both, wherever it stands.

use crate::data::{CaseData, Data};
use crate::stats::Summary;
use crate::table;
use plotters::coord::Shift;
use plotters::coord::combinators::LogCoord;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

type Drawing<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Failure = DrawingAreaErrorKind<std::io::Error>;

const WIDTH: u32 = 760;
const ROW_HEIGHT: u32 = 36;
const HEAD_HEIGHT: u32 = 72;
const AXIS_HEIGHT: u32 = 60;
const LABEL_WIDTH: u32 = 270;

const PAPER: RGBColor = RGBColor(255, 255, 255);
const INK: RGBColor = RGBColor(28, 28, 30);
const FAINT: RGBColor = RGBColor(216, 218, 222);
const CPU: RGBColor = RGBColor(11, 87, 208);
const WALL: RGBColor = RGBColor(143, 168, 205);
const REFERENCE: RGBColor = RGBColor(179, 38, 30);

/// The colours above in a dark scheme, in their order.
const DARK: [(RGBColor, &str); 6] = [
    (PAPER, "#1b1e23"),
    (INK, "#e6e6e8"),
    (FAINT, "#3a3c40"),
    (CPU, "#8ab4f8"),
    (WALL, "#4f6a94"),
    (REFERENCE, "#f28b82"),
];

/// One row of the plot.
struct Row {
    label: String,
    cpu: Summary,
    wall: Summary,
}

/// The plot of `case` as an SVG file's text.
///
/// # Panics
/// Never: drawing into a string cannot fail.
#[must_use]
pub fn svg(data: &Data, case: &CaseData) -> String {
    let rows = rows(data, case);
    let height = HEAD_HEIGHT + AXIS_HEIGHT + ROW_HEIGHT * rows.len() as u32;
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
        draw(&area, data, case, &rows).expect("drawing into a string cannot fail");
    }
    let reference = table::name(data, &data.reference);
    let title = format!("{}: time relative to {reference}", case.case.title.replace('`', ""));
    themed(&text, &title)
}

fn rows(data: &Data, case: &CaseData) -> Vec<Row> {
    let row = |result: &crate::data::ResultData| {
        let times = result.times?;
        let wrong = if result.facts.wrong.is_some() { " (wrong output)" } else { "" };
        let label = format!("{}{wrong}", table::name(data, &result.program));
        Some(Row { label, cpu: times.cpu_ratio?, wall: times.wall_ratio? })
    };
    case.results.iter().filter_map(row).collect()
}

fn draw(area: &Drawing<'_>, data: &Data, case: &CaseData, rows: &[Row]) -> Result<(), Failure> {
    area.fill(&PAPER)?;
    let plain = text_style(15);
    let title = case.case.title.replace('`', "");
    let heading = format!("{title}, {}", table::rounds(case.rounds));
    area.draw(&Text::new(heading, (16, 12), text_style(17)))?;
    for (x, colour, word) in [(16, CPU, "CPU time"), (126, WALL, "wall time")] {
        area.draw(&Rectangle::new([(x, 40), (x + 12, 52)], colour.filled()))?;
        area.draw(&Text::new(word, (x + 18, 40), plain.clone()))?;
    }
    let (low, high) = range(rows);
    let count = rows.len() as f64;
    let mut chart = ChartBuilder::on(area)
        .margin_top(HEAD_HEIGHT)
        .margin_right(24)
        .set_label_area_size(LabelAreaPosition::Left, LABEL_WIDTH)
        .set_label_area_size(LabelAreaPosition::Bottom, AXIS_HEIGHT)
        .build_cartesian_2d((low..high).log_scale(), 0.0..count)?;
    let reference = table::name(data, &data.reference);
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .bold_line_style(FAINT)
        .light_line_style(TRANSPARENT)
        .axis_style(INK)
        .x_desc(format!("time relative to {reference} (logarithmic; less is better)"))
        .x_label_formatter(&|value| format!("{}×", short(*value)))
        .x_labels(6)
        .label_style(plain.clone())
        .axis_desc_style(plain.clone())
        .draw()?;
    let plane = chart.plotting_area();
    let from_top = || rows.iter().enumerate().map(|(index, row)| (row, count - 1.0 - index as f64));
    for (row, y) in from_top() {
        draw_bars(plane, row, y)?;
    }
    plane.draw(&PathElement::new([(1.0, 0.0), (1.0, count)], REFERENCE.stroke_width(2)))?;
    for (row, y) in from_top() {
        draw_words(plane, row, y, low)?;
    }
    area.present()
}

type Plane<'a> = DrawingArea<SVGBackend<'a>, Cartesian2d<LogCoord<f64>, RangedCoordf64>>;

/// Where the two bars of a row stand in it, as shares of its height, and their colours.
const BARS: [(f64, f64, RGBColor); 2] = [(0.52, 0.86, CPU), (0.14, 0.48, WALL)];

/// The bars of the row from `y` to `y + 1`. They begin at the reference, where a ratio is 1: on a
/// logarithmic axis no other length means anything. The quartiles are a thin line.
fn draw_bars(plane: &Plane<'_>, row: &Row, y: f64) -> Result<(), Failure> {
    for ((bottom, top, colour), summary) in BARS.into_iter().zip([row.cpu, row.wall]) {
        let corners = [(1.0, y + bottom), (summary.median, y + top)];
        plane.draw(&Rectangle::new(corners, colour.filled()))?;
        let middle = y + f64::midpoint(bottom, top);
        let spread = [(summary.low, middle), (summary.high, middle)];
        plane.draw(&PathElement::new(spread, INK))?;
    }
    Ok(())
}

/// The label of a row, and at the end of each bar its figure.
fn draw_words(plane: &Plane<'_>, row: &Row, y: f64, low: f64) -> Result<(), Failure> {
    let right = text_style(15).pos(Pos::new(HPos::Right, VPos::Center));
    let label = EmptyElement::at((low, y + 0.5)) + Text::new(row.label.clone(), (-10, 0), right);
    plane.draw(&label)?;
    for ((bottom, top, _), summary) in BARS.into_iter().zip([row.cpu, row.wall]) {
        let (end, shift, side) = if summary.median < 1.0 {
            (summary.low, -5, HPos::Right)
        } else {
            (summary.high, 5, HPos::Left)
        };
        let style = text_style(13).pos(Pos::new(side, VPos::Center));
        let figure = Text::new(table::ratio(summary.median), (shift, 0), style);
        let middle = y + f64::midpoint(bottom, top);
        plane.draw(&(EmptyElement::at((end, middle)) + figure))?;
    }
    Ok(())
}

fn text_style(size: i32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}

/// Half a decade beyond all figures, so that they have room at the ends of their bars.
fn range(rows: &[Row]) -> (f64, f64) {
    let all = rows.iter().flat_map(|row| [row.cpu, row.wall]);
    let (low, high) = all.fold((0.5_f64, 2.0_f64), |(low, high), summary| {
        (low.min(summary.low.max(1e-4)), high.max(summary.high))
    });
    (low / 3.0, high * 3.0)
}

/// A tick without superfluous digits.
fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Puts title and style sheet into the file.
fn themed(svg: &str, title: &str) -> String {
    let hex = |RGBColor(red, green, blue): RGBColor| format!("#{red:02X}{green:02X}{blue:02X}");
    // A rim of paper keeps figures readable where a line crosses them.
    let mut css = String::from("text{font-family:system-ui,sans-serif;paint-order:stroke;");
    css.push_str(&format!("stroke:{};stroke-width:3px}}", hex(PAPER)));
    css.push_str("@media(prefers-color-scheme:dark){");
    css.push_str(&format!("text{{stroke:{}}}", DARK[0].1));
    for (colour, dark) in DARK {
        let light = hex(colour);
        css.push_str(&format!("[fill=\"{light}\"]{{fill:{dark}}}"));
        css.push_str(&format!("[stroke=\"{light}\"]{{stroke:{dark}}}"));
    }
    css.push('}');
    let (head, body) = svg.split_once('>').expect("an SVG file has a root element");
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    format!("{head} role=\"img\">\n<title>{title}</title>\n<style>{css}</style>{body}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_holds_every_figure_and_the_reference() {
        let summary = |low: f64, high: f64| Summary { median: low, low, high, min: low, max: high };
        let row = |low, high| Row {
            label: String::new(),
            cpu: summary(low, high),
            wall: summary(low, high),
        };
        assert_eq!(range(&[row(0.03, 0.04), row(27.0, 31.0)]), (0.01, 93.0));
        let (low, high) = range(&[]);
        assert!(low < 1.0 && high > 1.0);
    }

    #[test]
    fn every_colour_has_its_dark_twin_in_the_style() {
        let svg = themed("<svg width=\"1\">\n</svg>", "a < b & c");
        assert!(svg.starts_with("<svg width=\"1\" role=\"img\">\n<title>a &lt; b &amp; c</title>"));
        for colour in ["#FFFFFF", "#1C1C1E", "#D8DADE", "#0B57D0", "#8FA8CD", "#B3261E"] {
            assert!(svg.contains(&format!("[fill=\"{colour}\"]")), "{colour}");
        }
    }
}
