//! The exercise's table.

use crate::report::words::phrase::{labels, phrases};

labels! {
    /// Head of a column.
    each { "Good requests/s, each repetition", "Peticiones correctas/s, cada repetición" }
    /// Head of a column.
    mean { "Mean", "Media" }
    /// Head of a column.
    interval { "95 % interval", "Intervalo del 95 %" }
    /// Head of a column.
    deviation { "SD", "DT" }
    /// Head of a column.
    median { "Median (range)", "Mediana (rango)" }
    /// Head of a column.
    all { "All requests/s", "Todas las peticiones/s" }
    /// Head of a column.
    failed { "Failed", "Fallidas" }
    /// Head of a column.
    note { "Note", "Nota" }
    /// An empty experiment.
    nothing_planned {
        "Nothing was planned, so nothing was measured.",
        "No se planeó nada, así que no se midió nada."
    }
    /// What the columns mean.
    columns {
        "*Good* requests are those whose status and body are what the scenario expects; only they count. *All requests/s* \
         stands beside it with the errors included. Struck values are crossed out and are in no mean and no comparison; \
         *n* is the number of repetitions in the mean. *Failed* is the share of all completed requests, in brackets the \
         upper end of its 95 % interval.",
        "Peticiones *correctas* son aquellas cuyo código y cuerpo son los que espera el escenario; solo ellas cuentan, y su \
         tasa es el goodput (peticiones correctas por segundo). *Todas las peticiones/s* está al lado, con los errores \
         incluidos. Los valores descartados aparecen tachados y no entran en ninguna media ni comparación; *n* es el número \
         de repeticiones de la media, *DT* la desviación típica y *CV* el coeficiente de variación. El intervalo es el \
         intervalo de confianza del 95 % de la media. *Fallidas* es la parte de todas las peticiones completadas; entre \
         paréntesis, el extremo superior de su intervalo de confianza del 95 %."
    }
}

phrases! {
    /// A row without a mean.
    struck(reason, all) {
        "**struck:** {reason} (all requests/s: {all})",
        "**descartada:** {reason} (todas las peticiones/s: {all})"
    }
    /// A row with one value that does not count.
    round_struck(round, reason) { "round {round} struck: {reason}", "ronda {round} descartada: {reason}" }
}
