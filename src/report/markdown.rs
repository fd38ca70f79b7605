//! Markdown as text: escaping, aligned tables, fences. Knows nothing of runs.

/// Where a column's text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// Any text as one line of Markdown that shows exactly this text: control characters and line ends become blanks,
/// whatever Markdown or HTML would read is escaped. Also safe inside a table cell.
pub(super) fn text(raw: &str) -> String {
    let mut escaped = String::with_capacity(raw.len() + 8);
    for (place, c) in one_line(raw).chars().enumerate() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '$' => {
                escaped.push('\\');
                escaped.push(c);
            }
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '-' | '+' | '=' if place == 0 => {
                escaped.push('\\');
                escaped.push(c);
            }
            _ => escaped.push(c),
        }
    }
    escape_list_number(escaped)
}

/// `1. x` and `1) x` at the start would become a list.
fn escape_list_number(text: String) -> String {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let follows = text.as_bytes().get(digits);
    if digits > 0
        && matches!(follows, Some(b'.' | b')'))
        && matches!(text.as_bytes().get(digits + 1), None | Some(b' '))
    {
        format!("{}\\{}", &text[..digits], &text[digits..])
    } else {
        text
    }
}

/// A text as inline code, on one line, safe inside a table cell too; a text with a pipe becomes ordinary text, since
/// readers of tables disagree about pipes in code.
pub(super) fn code(raw: &str) -> String {
    let line = one_line(raw);
    if line.is_empty() || line.contains('|') {
        return text(&line);
    }
    let fence = "`".repeat(longest_run(&line, '`') + 1);
    let pad = if line.starts_with('`') || line.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{line}{pad}{fence}")
}

/// A text as a fenced block that nothing inside can close.
pub(super) fn fenced(raw: &str) -> String {
    let clean: String =
        raw.replace("\r\n", "\n").chars().map(|c| if shown(c) { c } else { '\u{fffd}' }).collect();
    let fence = "`".repeat((longest_run(&clean, '`') + 1).max(3));
    let end = if clean.is_empty() || clean.ends_with('\n') { "" } else { "\n" };
    format!("{fence}text\n{clean}{end}{fence}\n")
}

/// A text without line ends and control characters, blanks at both ends removed.
pub(super) fn one_line(raw: &str) -> String {
    let flat: String = raw.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    flat.trim().to_owned()
}

/// The anchor that readers on the web give a heading: small letters, blanks become hyphens, punctuation goes, accents stay.
pub(super) fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn shown(c: char) -> bool {
    c == '\n' || c == '\t' || !c.is_control()
}

fn longest_run(text: &str, wanted: char) -> usize {
    text.split(|c| c != wanted).map(str::len).max().unwrap_or(0)
}

/// A table whose columns line up in the source too. Cells hold Markdown that is escaped already.
#[derive(Debug)]
pub(super) struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(columns: &[(&str, Align)]) -> Self {
        Self {
            columns: columns.iter().map(|(name, align)| ((*name).to_owned(), *align)).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; what is missing stays empty.
    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The table, with an empty line after it; nothing without rows.
    pub(super) fn write(&self) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            let longest = cells.chain([&self.columns[column].0]).map(|cell| cell.chars().count()).max();
            longest.unwrap_or(0).max(4)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let line = |cells: &dyn Fn(usize) -> String| {
            let parts: Vec<String> = (0..widths.len()).map(cells).collect();
            format!("| {} |\n", parts.join(" | "))
        };
        let pad = |cell: &str, column: usize| {
            let blanks = " ".repeat(widths[column].saturating_sub(cell.chars().count()));
            match self.columns[column].1 {
                Align::Left => format!("{cell}{blanks}"),
                Align::Right => format!("{blanks}{cell}"),
            }
        };
        let mut written = line(&|column| pad(&self.columns[column].0, column));
        written.push_str(&line(&|column| match self.columns[column].1 {
            Align::Left => format!(":{}", "-".repeat(widths[column] - 1)),
            Align::Right => format!("{}:", "-".repeat(widths[column] - 1)),
        }));
        for row in &self.rows {
            written.push_str(&line(&|column| pad(row.get(column).map_or("", String::as_str), column)));
        }
        written.push('\n');
        written
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;

    #[test]
    fn what_markdown_or_html_would_read_is_escaped() {
        assert_eq!(
            text("a|b <script> *x* `y` [l](u) & #1"),
            "a\\|b &lt;script&gt; \\*x\\* \\`y\\` \\[l\\](u) &amp; \\#1"
        );
        assert_eq!(text("two\nlines\u{7}"), "two lines");
        assert_eq!([text("- x"), text("1. x"), text("1.5 x")], ["\\- x", "1\\. x", "1.5 x"]);
        assert_eq!([code("a|b"), code("a`b"), code("`")], ["a\\|b", "``a`b``", "`` ` ``"]);
    }

    #[test]
    fn a_fence_is_longer_than_anything_inside() {
        assert_eq!(fenced("a\n````\nb"), "`````text\na\n````\nb\n`````\n");
        assert_eq!(fenced(""), "```text\n```\n");
        assert_eq!(fenced("x\u{1b}[0m\r\n"), "```text\nx\u{fffd}[0m\n```\n");
    }

    #[test]
    fn an_anchor_keeps_accents_and_loses_punctuation() {
        assert_eq!(slug("Findings in detail"), "findings-in-detail");
        assert_eq!(slug("Cómo se midió: 95 %, `x_y`"), "cómo-se-midió-95--x_y");
    }

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(&[("Name", Align::Left), ("Rate", Align::Right)]);
        table.row(vec!["a".into(), "132.0".into()]);
        table.row(vec!["long name".into()]);
        assert_eq!(
            table.write(),
            "| Name      |  Rate |\n| :-------- | ----: |\n| a         | 132.0 |\n| long name |       |\n\n"
        );
        assert_eq!(Table::new(&[("Name", Align::Left)]).write(), "");
    }

    proptest! {
        #[test]
        fn any_text_stays_one_table_cell(raw in "\\PC*|[\\x00-\\x7f]*") {
            let mut table = Table::new(&[("Text", Align::Left), ("Code", Align::Left)]);
            table.row(vec![text(&raw), code(&raw)]);
            let written = table.write();
            let last = written.trim_end().lines().last().unwrap();
            prop_assert_eq!(written.trim_end().lines().count(), 3);
            // Unescaped pipes are those after an even number of backslashes; a table of two columns has three.
            let mut pipes = 0;
            let mut backslashes = 0;
            for c in last.chars() {
                if c == '|' && backslashes % 2 == 0 {
                    pipes += 1;
                }
                backslashes = if c == '\\' { backslashes + 1 } else { 0 };
            }
            prop_assert_eq!(pipes, 3, "{}", last);
        }
    }
}
