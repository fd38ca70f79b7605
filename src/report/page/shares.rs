//! Who answered: the requests each service wrote into its own access log.

use indexmap::IndexMap;

use crate::report::input::ReportInput;
use crate::report::markdown::{Align, Table, code, text};
use crate::report::number;
use crate::report::words;
use crate::report::words::phrase::phrases;

phrases! {
    heading() { "Who answered", "Quién respondió" }
    service() { "Service", "Servicio" }
    requests() { "Requests logged", "Peticiones registradas" }
    share() { "Share", "Parte" }
    /// What was counted.
    counted() {
        "Lines the services wrote into their own access logs during the cells, warm-up and drain included, all repetitions \
         together.",
        "Líneas que los servicios escribieron en sus propios registros de acceso durante las celdas, con calentamiento y \
         vaciado, de todas las repeticiones juntas."
    }
}

/// The section; nothing when no service logs its requests.
pub(super) fn section(input: &ReportInput) -> String {
    let language = input.run.experiment.report.language;
    let mut table = Table::new(&[
        (words::level(language), Align::Right),
        (words::variant(language), Align::Left),
        (&service(language), Align::Left),
        (&requests(language), Align::Right),
        (&share(language), Align::Right),
    ]);
    for ((level, variant), logged) in logged(input) {
        let all: u64 = logged.values().sum();
        for (service, count) in &logged {
            let share = (all > 0).then(|| *count as f64 / all as f64);
            table.row(vec![
                text(level),
                code(variant),
                code(service),
                count.to_string(),
                number::optional(share, number::percent),
            ]);
        }
    }
    let written = table.write();
    if written.is_empty() {
        return String::new();
    }
    format!("### {}\n\n{written}{}\n\n", heading(language), counted(language))
}

type Logged<'a> = IndexMap<(&'a str, &'a str), IndexMap<&'a str, u64>>;

/// Level and variant → service → requests, in the scenario's order.
fn logged<'a>(input: &ReportInput<'a>) -> Logged<'a> {
    let mut sums: Logged<'a> = IndexMap::new();
    for variant in input.run.experiment.variants.values() {
        for level in &variant.load.levels {
            let of_cell = input
                .repetitions
                .iter()
                .filter(|line| line.variant == variant.name && line.level == level.name);
            for (service, count) in of_cell.flat_map(|line| &line.requests_logged) {
                *sums.entry((&level.name, &variant.name)).or_default().entry(service).or_default() += count;
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::Lab;

    #[test]
    fn shares_are_of_what_all_services_of_a_cell_logged() {
        let mut run = Lab::measured(&["one"], &[4], 3);
        assert_eq!(section(&run.input()), "");
        for line in &mut run.repetitions {
            line.requests_logged = IndexMap::from([("a.web".to_owned(), 30), ("b.web".to_owned(), 90)]);
        }
        let written = section(&run.input());
        assert!(written.contains("25.0 %") && written.contains("75.0 %"), "{written}");
        assert!(written.contains(" 90 |"), "the sum of three repetitions: {written}");
        assert_eq!(written.matches("`a.web`").count(), 1, "{written}");
    }
}
