//! What a person sees of an HTML page, as lines of text: good enough to keep a status page in a report.

/// Elements whose content is not shown.
const HIDDEN: [&str; 3] = ["script", "style", "head"];
/// Elements that begin a line.
const LINES: [&str; 12] = ["tr", "br", "p", "div", "h1", "h2", "h3", "h4", "li", "table", "hr", "pre"];
/// Elements between which there is room.
const CELLS: [&str; 2] = ["td", "th"];

/// The text, a table row a line with two blanks between cells, empty lines left out.
#[must_use]
pub fn visible_text(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        text.push_str(&rest[..open].replace(['\n', '\r', '\t'], " "));
        rest = &rest[open..];
        if let Some(after) = rest.strip_prefix("<!--") {
            rest = after.find("-->").map_or("", |end| &after[end + 3..]);
            continue;
        }
        let Some(close) = rest.find('>') else { break };
        let name = element(&rest[1..close]);
        let closing = rest[1..].starts_with('/');
        rest = &rest[close + 1..];
        if !closing && HIDDEN.contains(&name.as_str()) {
            rest = skip(rest, &name);
        } else if LINES.contains(&name.as_str()) {
            text.push('\n');
        } else if CELLS.contains(&name.as_str()) && closing {
            text.push('\u{1}');
        }
    }
    text.push_str(rest.split('<').next().unwrap_or_default());
    let lines = text.lines().map(line).filter(|line| !line.is_empty());
    lines.map(|line| line + "\n").collect()
}

/// The name of the element a tag is about, lower case.
fn element(tag: &str) -> String {
    let name = tag.trim_start_matches('/').split(|c: char| !c.is_ascii_alphanumeric()).next();
    name.unwrap_or_default().to_ascii_lowercase()
}

/// What comes after the end of a hidden element.
fn skip<'a>(rest: &'a str, name: &str) -> &'a str {
    let end = format!("</{name}");
    // ASCII letters only change case: the positions stay.
    let Some(at) = rest.to_ascii_lowercase().find(&end) else { return "" };
    rest[at..].find('>').map_or("", |close| &rest[at + close + 1..])
}

/// Cells parted by two blanks, other blanks joined, entities written out.
fn line(raw: &str) -> String {
    let cells = raw.split('\u{1}').map(|cell| {
        let words: Vec<&str> = cell.split_whitespace().collect();
        let text = words.join(" ");
        [("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
            .iter()
            .fold(text, |text, (entity, meant)| text.replace(entity, meant))
            .trim()
            .to_owned()
    });
    cells.collect::<Vec<_>>().join("  ").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop, prop_assert, prop_assert_eq, proptest};

    use super::*;

    #[test]
    fn rows_become_lines_and_what_is_hidden_stays_hidden() {
        let page = "<html><head><title>x</title><STYLE>a{}</STYLE></head><body><h1>Page &amp; more</h1>\n\
                    <!-- <tr> no --><table><tr><td>web1</td><td class=\"a\"> UP\n 3s</td></tr><tr><th>b</th></tr></table>\
                    <script>if (a<b) {}</script>end";
        assert_eq!(visible_text(page), "Page & more\nweb1  UP 3s\nb\nend\n");
    }

    proptest! {
        #[test]
        fn words_outside_tags_all_stay_whatever_surrounds_them(
            words in prop::collection::vec("[a-z]{1,8}", 1..8),
            around in "(<(td|tr|b|br/|/td|/div class=x|!-- x --)>| |\n)",
        ) {
            let seen = visible_text(&words.join(&around));
            let text = seen.split_whitespace().collect::<String>();
            prop_assert_eq!(text, words.concat());
        }

        #[test]
        fn no_text_is_too_broken_to_be_read(text in "\\PC{0,80}|[<>/a-z!\\-& ]{0,80}") {
            let kept = visible_text(&text);
            prop_assert!(!kept.contains(char::is_control) || kept.ends_with('\n'), "{:?}", kept);
            prop_assert!(kept.lines().all(|line| !line.is_empty() && !line.contains(char::is_control)), "{:?}", kept);
        }
    }
}
