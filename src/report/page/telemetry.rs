//! What the nodes were doing, second by second: the charts of one repetition of each variant.

use crate::report::analysis::Analysis;
use crate::report::chart;
use crate::report::input::ReportInput;
use crate::report::markdown::text;
use crate::report::page::link;
use crate::report::timeline;
use crate::report::words::phrase::phrases;

phrases! {
    heading() { "What the nodes were doing", "Qué hacían los nodos" }
    /// Which repetitions are shown.
    which() {
        "For each variant its highest level that is not struck, in the first repetition that counts; a node without a limit \
         is measured against the whole host.",
        "De cada variante, su nivel más alto no descartado, en la primera repetición que cuenta; un nodo sin límite se mide \
         respecto a todo el anfitrión."
    }
    /// Leads to the table of every level.
    table_at(link) {
        "The figures of every level, all repetitions together, are under {link}.",
        "Las cifras de todos los niveles, con todas las repeticiones juntas, están en {link}."
    }
    /// Stands for a chart where it cannot be seen.
    picture(variant, level, round) {
        "CPU and memory of each node of the variant {variant} at level {level}, round {round}, second by second",
        "CPU y memoria de cada nodo de la variante {variant} en el nivel {level}, ronda {round}, segundo a segundo"
    }
}

/// The section; nothing without telemetry. `machines` is the section with the table, to lead to.
pub(super) fn section(input: &ReportInput, analysis: &Analysis, machines: &str) -> String {
    let timelines = timeline::timelines(input, analysis);
    if timelines.is_empty() {
        return String::new();
    }
    let language = input.run.experiment.report.language;
    let table = link::to(machines).map(|link| format!(" {}", table_at(language, &link))).unwrap_or_default();
    let mut section = format!("## {}\n\n{}{table}\n\n", heading(language), which(language));
    for timeline in timelines {
        let alt = picture(language, &timeline.variant, &timeline.level, &timeline.round);
        section.push_str(&format!("![{}]({}.png)\n\n", text(&alt), chart::machine_name(&timeline.variant)));
    }
    section
}
