//! Each cell in detail.

use crate::report::words::phrase::{labels, phrases};

labels! {
    /// The section's heading.
    heading { "Cells in detail", "Celdas en detalle" }
    /// Heading.
    course_heading { "The course's columns", "Las columnas del curso" }
    /// What the course's columns mean.
    course_note {
        "Means over the repetitions that count; *longest* is the longest request of all of them. As in the course's own \
         tables, requests/s and both times per request are those of all completed requests: *time per request* is \
         connections × time / completed, as a client waits, and *across all* is time / completed. *KB/s* are 1024 bytes \
         received, heads included.",
        "Medias de las repeticiones que cuentan; *la más larga* es la petición más larga de todas ellas. Como en las tablas \
         del propio curso, las peticiones/s y los dos tiempos por petición son los de todas las peticiones completadas: \
         *tiempo por petición* es conexiones × tiempo / completadas, lo que espera un cliente, y *entre todas* es tiempo / \
         completadas. *KB/s* son 1024 bytes recibidos, cabeceras incluidas."
    }
    /// Head of a column.
    time { "Time, s", "Tiempo, s" }
    /// Head of a column.
    rate { "Requests/s", "Peticiones/s" }
    /// Head of a column.
    time_per_request { "Time per request, ms", "Tiempo por petición, ms" }
    /// Head of a column.
    across_all { "Across all, ms", "Entre todas, ms" }
    /// Head of a column.
    longest { "Longest, ms", "La más larga, ms" }
    /// Head of a column.
    failed { "Failed", "Fallidas" }
    /// Head of a column.
    failed_by_class { "Failed by class", "Fallidas por clase" }
    /// Heading.
    errors_heading { "Errors", "Errores" }
    /// Without an error.
    no_errors { "No request failed in any cell.", "No falló ninguna petición en ninguna celda." }
    /// What the table of errors holds.
    errors_note {
        "All repetitions together, struck ones too. *Unfinished* requests were in flight when the window closed; they are \
         neither good nor failed.",
        "Todas las repeticiones juntas, también las descartadas. Las peticiones *sin terminar* estaban en curso cuando se \
         cerró la ventana; no son ni correctas ni fallidas."
    }
    /// Head of a column.
    completed { "Completed", "Completadas" }
    /// Head of a column.
    share { "Share", "Parte" }
    /// Head of a column.
    at_most { "At most (95 %)", "Como mucho (95 %)" }
    /// Head of a column.
    unfinished { "Unfinished", "Sin terminar" }
    /// Head of a column.
    by_class { "By class", "Por clase" }
    /// Heading.
    latency_heading { "Latency of good requests, ms", "Latencia de las peticiones correctas, ms" }
    /// What the percentiles are.
    latency_note {
        "From the merged histograms of the repetitions (percentiles are never averaged), in brackets the smallest and \
         largest of the single repetitions; n/a where fewer than ten requests lie beyond. The load is a closed loop: this \
         is what a client sees at that many connections, not at a fixed arrival rate.",
        "De los histogramas de las repeticiones unidos (los percentiles nunca se promedian), entre paréntesis el menor y el \
         mayor de cada repetición por separado; n/a donde quedan menos de diez peticiones por encima. p50, p95 y p99 son los \
         percentiles 50, 95 y 99. La carga es un bucle cerrado: esto es lo que ve un cliente con esas conexiones, no con una \
         tasa de llegada fija."
    }
    /// What the picture shows, for who cannot see it.
    latency_picture {
        "Median and 95th percentile of latency at each level",
        "Mediana y percentil 95 de la latencia en cada nivel"
    }
    /// Head of a column.
    requests { "Requests", "Peticiones" }
    /// Head of a column.
    note { "Note", "Nota" }
    /// Heading.
    checks_heading { "Self-checks", "Comprobaciones propias" }
    /// Head of a column.
    little { "Rate × latency / connections", "Tasa × latencia / conexiones" }
    /// Head of a column.
    busiest_thread { "Generator's busiest thread", "Hilo más ocupado del generador" }
    /// Head of a column.
    steady { "Steady windows", "Ventanas estables" }
    /// Head of a column.
    restarted { "Drained by restart", "Vaciadas reiniciando" }
    /// What can be checked.
    checks_note {
        "The first column is 1 when Little's law holds (accepted: 0.98 to 1.02, wider on both sides by response time over \
         window); a window is steady when MSER-5 would cut off at most a third and its halves differ by at most 5 %. Nothing \
         is cut off.",
        "La primera columna vale 1 cuando se cumple la ley de Little (se acepta de 0.98 a 1.02, más ancho por ambos lados en \
         tiempo de respuesta entre ventana); una ventana es estable cuando MSER-5 recortaría como mucho un tercio y sus \
         mitades difieren como mucho un 5 %. No se recorta nada."
    }
    /// Too few repetitions for a trend.
    no_drift {
        "Drift over the run: cannot be told from so few repetitions.",
        "Deriva a lo largo de la ejecución: no se puede saber con tan pocas repeticiones."
    }
}

phrases! {
    /// Histograms that are lost.
    unreadable(count) {
        "{count} histograms could not be read",
        "no se pudieron leer {count} histogramas"
    }
    /// Some of all.
    of(part, all) { "{part} of {all}", "{part} de {all}" }
    /// The trend over the run.
    drift(change, p) {
        "Drift over the run: {change} (p = {p}).",
        "Deriva a lo largo de la ejecución: {change} (p = {p})."
    }
}
