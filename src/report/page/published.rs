//! Published figures beside ours, as ratios.

use crate::model::experiment::Language;
use crate::report::analysis::Analysis;
use crate::report::input::ReportInput;
use crate::report::markdown::{Align, Table, code, text};
use crate::report::number;
use crate::report::published;
use crate::report::published::{PublishedFigures, PublishedLevel, PublishedRow};
use crate::report::words::phrase::phrases;

phrases! {
    heading() { "Published figures, as ratios", "Cifras publicadas, como proporciones" }
    source_line(source) { "Published: {source}.", "Publicado: {source}." }
    level() { "Level", "Nivel" }
    variant() { "Variant", "Variante" }
    values() { "Published requests/s", "Peticiones/s publicadas" }
    mean() { "Mean", "Media" }
    ratio() { "Ratio", "Proporción" }
    our_level() { "Our level", "Nuestro nivel" }
    ours() { "Our good requests/s", "Nuestras peticiones correctas/s" }
    our_ratio() { "Our ratio", "Nuestra proporción" }
    note() { "Note", "Nota" }
    invalid(reason) { "**invalid:** {reason}", "**no vale:** {reason}" }
    range_only() { "only a range was published", "solo se publicó un intervalo" }
    /// The chain of ratios at one level.
    chain(level, variants, published, own, ours) {
        "{variants}: published at {level} **{published}**, here at {own} **{ours}**.",
        "{variants}: publicado a {level} **{published}**, aquí a {own} **{ours}**."
    }
    /// The chain of a level that has nothing of ours beside it.
    chain_alone(level, variants, published) {
        "{variants}: published at {level} **{published}**; this level was not measured here.",
        "{variants}: publicado a {level} **{published}**; este nivel no se midió aquí."
    }
    same_levels() {
        "Levels of the same name stand side by side. The machines differ, so only the ratios mean something: each is to the \
         variant of the level with the smallest published mean. Means are computed again from the values.",
        "Se comparan los niveles del mismo nombre. Las máquinas son distintas, así que solo las proporciones significan algo: \
         cada una es respecto a la variante del nivel con la menor media publicada. Las medias se han vuelto a calcular a \
         partir de los valores."
    }
    other_level(level, own) {
        "None of the published levels was measured here: the lowest one with valid figures, {level}, stands beside our level \
         {own}. The machines differ too, so only the ratios mean something: each is to the variant of the level with the \
         smallest published mean. Means are computed again from the values.",
        "Aquí no se midió ninguno de los niveles publicados: el más bajo con cifras válidas, {level}, se compara con nuestro \
         nivel {own}. Las máquinas también son distintas, así que solo las proporciones significan algo: cada una es respecto \
         a la variante del nivel con la menor media publicada. Las medias se han vuelto a calcular a partir de los valores."
    }
    nothing_beside() {
        "No published level has two valid figures to stand beside ours.",
        "Ningún nivel publicado tiene dos cifras válidas que comparar con las nuestras."
    }
}

/// The section; nothing when nothing was published.
pub(super) fn section(input: &ReportInput, analysis: &Analysis) -> String {
    let language = input.run.experiment.report.language;
    let Some(figures) = published::figures(&input.run.experiment, analysis) else { return String::new() };
    let mut section = format!("## {}\n\n", heading(language));
    if !figures.source.is_empty() {
        section.push_str(&format!("{}\n\n", source_line(language, &text(&figures.source))));
    }
    let chains: Vec<String> = figures.levels.iter().filter_map(|level| chain_of(level, language)).collect();
    section.push_str(&chains.iter().map(|chain| format!("- {chain}\n")).collect::<String>());
    if !chains.is_empty() {
        section.push('\n');
    }
    section.push_str(&format!("{}\n\n{}", which(&figures, language), table(&figures, language)));
    section
}

fn chain_of(of: &PublishedLevel, language: Language) -> Option<String> {
    let rows = of.chain()?;
    let names: Vec<String> = rows.iter().map(|row| code(&row.variant)).collect();
    let names = names.join(" : ");
    let published = PublishedLevel::sequence(&rows, |row| row.ratio);
    let level = text(&of.level);
    Some(match &of.ours {
        Some(own) => {
            let ours = PublishedLevel::sequence(&rows, |row| row.our_ratio);
            chain(language, &level, &names, &published, &text(own), &ours)
        }
        None => chain_alone(language, &level, &names, &published),
    })
}

fn which(figures: &PublishedFigures, language: Language) -> String {
    if !figures.other_level {
        return same_levels(language);
    }
    let compared =
        figures.levels.iter().find_map(|level| Some((text(&level.level), text(level.ours.as_ref()?))));
    compared.map_or_else(|| nothing_beside(language), |(level, own)| other_level(language, &level, &own))
}

fn table(figures: &PublishedFigures, language: Language) -> String {
    let titles = [
        (level(language), Align::Right),
        (variant(language), Align::Left),
        (values(language), Align::Left),
        (mean(language), Align::Right),
        (ratio(language), Align::Right),
        (our_level(language), Align::Right),
        (ours(language), Align::Right),
        (our_ratio(language), Align::Right),
        (note(language), Align::Left),
    ];
    let titles: Vec<(&str, Align)> = titles.iter().map(|(name, align)| (name.as_str(), *align)).collect();
    let mut table = Table::new(&titles);
    for of in &figures.levels {
        for row in &of.rows {
            table.row(cells(of, row, language));
        }
    }
    table.write()
}

fn cells(of: &PublishedLevel, row: &PublishedRow, language: Language) -> Vec<String> {
    let dash = || "—".to_owned();
    let figure = &row.figure;
    let crossed = |shown: String| if figure.invalid.is_some() { format!("~~{shown}~~") } else { shown };
    let values = match (figure.values.as_slice(), figure.range) {
        ([], Some(range)) => crossed(number::range(range, number::rate)),
        ([], None) => dash(),
        (values, _) => {
            crossed(values.iter().map(|value| number::plain(*value)).collect::<Vec<String>>().join(" · "))
        }
    };
    let ratio =
        row.ratio.map(number::rate).or_else(|| row.ratio_range.map(|r| number::range(r, number::rate)));
    let note = match &figure.invalid {
        Some(reason) => invalid(language, &text(reason)),
        None if figure.values.is_empty() && figure.range.is_some() => range_only(language),
        None => String::new(),
    };
    vec![
        text(&of.level),
        code(&row.variant),
        values,
        row.mean.map_or_else(dash, |mean| crossed(number::rate(mean))),
        ratio.unwrap_or_else(dash),
        of.ours.as_deref().map_or_else(dash, text),
        row.ours.map_or_else(dash, number::rate),
        row.our_ratio.map_or_else(dash, number::rate),
        note,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::hand_in::{Published, PublishedFigure};
    use crate::report::testing::Lab;

    fn page(language: Language) -> String {
        let mut lab = Lab::measured(&["one", "two"], &[4, 16], 3);
        lab.run.experiment.report.language = language;
        let level = |level: &str, values: &[f64], invalid: Option<&str>| {
            let invalid = invalid.map(str::to_owned);
            (level.to_owned(), PublishedFigure { values: values.to_vec(), range: None, invalid })
        };
        lab.run.experiment.published = Some(Published {
            source: "a | write-up".to_owned(),
            requests_per_second: [
                (
                    "two",
                    vec![level("100", &[131.0, 133.0], None), level("500", &[4200.0], Some("it failed"))],
                ),
                ("one", vec![level("100", &[66.0, 66.0], None)]),
            ]
            .into_iter()
            .map(|(name, levels)| (name.to_owned(), levels.into_iter().collect()))
            .collect(),
        });
        section(&lab.input(), &lab.analysis())
    }

    #[test]
    fn ratios_stand_side_by_side_and_what_is_invalid_is_crossed_out() {
        let page = page(Language::En);
        let expected = "- `one` : `two`: published at 100 **1 : 2.00**, here at 16 **1 : 2.00**.";
        assert!(page.contains(expected), "{page}");
        assert!(page.contains("| ~~4200~~ ") && page.contains("**invalid:** it failed"), "{page}");
        assert!(
            page.contains("100, stands beside our level 16") && page.contains("a \\| write-up"),
            "{page}"
        );
    }

    #[test]
    fn it_is_written_in_spanish_too() {
        let page = page(Language::Es);
        assert!(
            page.contains("publicado a 100") && page.contains("**no vale:**") && !page.contains("published")
        );
    }
}
