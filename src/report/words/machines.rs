//! What the machines did.

use crate::report::words::phrase::{labels, phrases};

labels! {
    /// The section's heading.
    heading { "Machines", "Máquinas" }
    /// Heading.
    promised_heading { "CPU promised and CPU there", "CPU prometida y CPU disponible" }
    /// Heading.
    use_heading { "Use inside the windows", "Uso dentro de las ventanas" }
    /// Without telemetry.
    no_telemetry { "No telemetry was recorded.", "No se registró telemetría." }
    /// What the columns mean.
    use_note {
        "All repetitions together. *Throttled* is the time the CPU limit held the node's processes back, over the time of \
         the windows, added up over CPUs: it may pass 100 %. *Busy workers*: mean and most of the samples, of how many there are.",
        "Todas las repeticiones juntas. *Frenado* es el tiempo que el límite de CPU retuvo los procesos del nodo, entre el \
         tiempo de las ventanas, sumado por CPU: puede pasar del 100 %. *Workers ocupados*: media y máximo de las muestras, y cuántos hay."
    }
    /// Head of a column.
    nodes { "Nodes", "Nodos" }
    /// Head of a column.
    promised { "CPUs promised", "CPU prometidas" }
    /// Head of a column.
    there { "CPUs of the host", "CPU del anfitrión" }
    /// No limit.
    none { "none", "ninguno" }
    /// Head of a column.
    node { "Node", "Nodo" }
    /// Head of a column.
    used { "CPUs used", "CPU usadas" }
    /// Head of a column.
    limit { "Limit", "Límite" }
    /// Head of a column.
    throttled { "Throttled", "Frenado" }
    /// Head of a column.
    peak_memory { "Peak memory", "Memoria máxima" }
    /// Head of a column.
    oom_kills { "OOM kills", "Muertes por memoria" }
    /// Head of a column.
    busy_workers { "Busy workers", "Workers ocupados" }
}

phrases! {
    /// A promise with nodes that have no limit beside it.
    and_unlimited(promised, unlimited) {
        "{promised}, and {unlimited} without a limit",
        "{promised}, y {unlimited} sin límite"
    }
    /// Of how many workers.
    of_workers(workers) { " of {workers}", " de {workers}" }
}
