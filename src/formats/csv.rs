//! Comma-separated text with a header line, as balancers print it: the header may start with `# `, comment lines with
//! `#` and another word are skipped, fields may be quoted. No field holds a line break.

/// A table: column names and rows.
pub(super) struct Table {
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

impl Table {
    /// Reads the text; the first line with a comma in it is the header.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let header = lines.find(|line| line.contains(',') && !is_comment(line))?;
        let columns = fields(header.trim_start_matches('#').trim_start());
        let rows = lines.filter(|line| !line.starts_with('#')).map(fields).collect();
        Some(Self { columns, rows })
    }

    /// The position of a column.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }
}

/// A `#` line that is no header: it holds a blank-separated sentence or JSON rather than names.
fn is_comment(line: &str) -> bool {
    line.strip_prefix('#').is_some_and(|rest| rest.trim().contains([' ', '{']))
}

fn fields(line: &str) -> Vec<String> {
    let mut fields = Vec::new();
    let mut field = String::new();
    let mut quoted = false;
    let mut characters = line.trim_end_matches('\r').chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                field.push('"');
            }
            '"' if quoted || field.is_empty() => quoted = !quoted,
            ',' if !quoted => fields.push(std::mem::take(&mut field)),
            _ => field.push(character),
        }
    }
    fields.push(field);
    fields
}

/// The sum of a column over the rows that a selector picks: `column=value` conditions joined by commas, `*` for all
/// rows, or a word that the first column must equal. None when no picked row holds a number there.
pub(super) fn value(table: &Table, from: &str) -> Option<f64> {
    let (selector, column) = from.rsplit_once(':')?;
    let column = table.column(column)?;
    let mut conditions = Vec::new();
    for condition in selector.split(',').filter(|condition| *condition != "*") {
        let (name, wanted) = match condition.split_once('=') {
            Some((name, wanted)) => (table.column(name)?, wanted),
            None => (0, condition),
        };
        conditions.push((name, wanted));
    }
    let picked = table.rows.iter().filter(|row| {
        conditions.iter().all(|(name, wanted)| row.get(*name).is_some_and(|field| field == wanted))
    });
    let numbers = picked.filter_map(|row| row.get(column)?.trim().parse::<f64>().ok());
    numbers.fold(None, |sum: Option<f64>, number| Some(sum.unwrap_or(0.0) + number))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# name,kind,n\na,x,1\n\"b, c\",x,2\nd,\"say \"\"y\"\"\",\n";

    #[test]
    fn rows_are_picked_by_their_columns_and_summed() {
        let table = Table::read(TEXT).unwrap();
        assert_eq!(value(&table, "a:n"), Some(1.0));
        assert_eq!(value(&table, "kind=x:n"), Some(3.0));
        assert_eq!(value(&table, "kind=x,name=a:n"), Some(1.0));
        assert_eq!(value(&table, "*:n"), Some(3.0));
        assert_eq!(table.rows[2][1], "say \"y\"");
    }

    #[test]
    fn an_empty_field_or_an_unknown_column_is_no_value() {
        let table = Table::read(TEXT).unwrap();
        for from in ["d:n", "nobody:n", "a:missing", "other=x:n", "n", ""] {
            assert_eq!(value(&table, from), None, "{from}");
        }
        assert!(Table::read("").is_none());
    }
}
