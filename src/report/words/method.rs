//! How it was measured, and how to make the report again.

use crate::report::words::phrase::{labels, phrases};

labels! {
    /// The section's heading.
    heading { "How it was measured", "Cómo se midió" }
    /// Where the order of cells came from.
    sequential { "in the order written (`order: sequential`)", "en el orden escrito (`order: sequential`)" }
    /// Head of a column.
    variants { "Variants", "Variantes" }
    /// Head of a column.
    levels { "Levels", "Niveles" }
    /// Head of a column.
    window { "Window", "Ventana" }
    /// Head of a column.
    warm_up { "Warm-up", "Calentamiento" }
    /// Head of a column.
    timeout { "Timeout", "Tiempo límite" }
    /// Head of a column.
    keep_alive { "Keep-alive", "Keep-alive" }
    /// Head of a column.
    cool_down { "Cool-down at most", "Enfriamiento, como mucho" }
    /// Keep-alive.
    yes { "yes", "sí" }
    /// No keep-alive.
    no { "no", "no" }
    /// Head of a column.
    node { "Node", "Nodo" }
    /// Head of a column.
    image { "Image", "Imagen" }
    /// Head of a column.
    facts { "Facts and versions", "Datos y versiones" }
    /// Heading.
    times_heading { "Where the time went", "En qué se fue el tiempo" }
    /// Head of a column.
    part { "Part of the run", "Parte de la ejecución" }
    /// Head of a column.
    seconds { "Seconds", "Segundos" }
    /// Head of a column.
    share { "Share", "Parte del total" }
    /// Part of a run.
    images { "Images and networks", "Imágenes y redes" }
    /// Part of a run.
    nodes { "Nodes", "Nodos" }
    /// Part of a run.
    verifying { "Verifying, probing, evidence", "Verificar, sondear, evidencias" }
    /// Part of a run.
    warm_ups { "Warm-ups", "Calentamientos" }
    /// Part of a run.
    windows { "Windows", "Ventanas" }
    /// Part of a run.
    cool_downs { "Cool-downs", "Enfriamientos" }
    /// Part of a run.
    everything_else { "Everything else", "Todo lo demás" }
    /// Part of a run.
    all { "The whole run", "La ejecución entera" }
    /// The last section's heading.
    again_heading { "Make it again", "Cómo repetirlo" }
    /// Above the command.
    again { "The report, byte for byte, without the lab:", "El informe, byte a byte, sin el laboratorio:" }
}

phrases! {
    /// Where the order of cells came from.
    random(seed) {
        "in an order drawn anew for each round from seed {seed}",
        "en un orden sorteado de nuevo en cada ronda con la semilla {seed}"
    }
    /// Rounds.
    rounds(complete, planned, order) {
        "{complete} of {planned} rounds; in each every cell (variant × level) once, {order}. A repetition is one cell in \
         one round; intervals and tests count repetitions, never requests.",
        "{complete} de {planned} rondas; en cada una, cada celda (variante × nivel) una vez, {order}. Una repetición es una \
         celda en una ronda; los intervalos y las pruebas cuentan repeticiones, nunca peticiones. Los números se escriben \
         con punto decimal."
    }
    /// Cool-downs.
    drained(drained, repetitions) {
        "After each window the services became idle or were restarted: {drained} of {repetitions} repetitions were drained \
         by restart.",
        "Después de cada ventana los servicios quedaron en reposo o se reiniciaron: {drained} de {repetitions} repeticiones \
         se vaciaron reiniciando."
    }
    /// When.
    started(started, ended, elapsed) {
        "Started {started}{ended}; {elapsed} s in all.",
        "Empezó {started}{ended}; {elapsed} s en total."
    }
    /// Until when.
    ended(ended) { ", ended {ended}", ", terminó {ended}" }
    /// By what.
    program(version, driver, engine) {
        "benchtop {version}, driver {driver}: {engine}.",
        "benchtop {version}, controlador {driver}: {engine}."
    }
    /// Where.
    machine(os, kernel, cpus, model, memory) {
        "Load machine: {os}, kernel {kernel}, {cpus} × {model}, {memory}.",
        "Máquina de carga: {os}, núcleo {kernel}, {cpus} × {model}, {memory}."
    }
    /// The profile.
    profile(profile) { "Profile: {profile}.", "Perfil: {profile}." }
    /// After an interruption.
    measured_again(count) {
        "{count} repetitions were measured again after an interruption.",
        "{count} repeticiones se midieron de nuevo tras una interrupción."
    }
    /// A window that ends with a number of requests.
    requests(count) { "{count} requests", "{count} peticiones" }
    /// A level with a name of its own.
    level(name, connections) { "{name} ({connections} connections)", "{name} ({connections} conexiones)" }
    /// How long windows should be.
    length(variant, level, wanted, had) {
        "Length of a window: 30 s, fifty response times and a thousand requests (for the p99) would be comfortable; the \
         slowest cell here ({variant} at {level}) would take {wanted} s and had {had} s.",
        "Duración de una ventana: 30 s, cincuenta tiempos de respuesta y mil peticiones (para el p99) serían lo cómodo; la \
         celda más lenta de aquí ({variant} en el nivel {level}) necesitaría {wanted} s y tuvo {had} s."
    }
    /// Part of a run.
    switching(switches, longest) {
        "Switching variants (switched {switches} times, the longest {longest} s)",
        "Cambiar de variante (cambios: {switches}, el más largo {longest} s)"
    }
    /// Time that benchtop itself took.
    own_share(share) {
        "benchtop's own share is {share}: of the time beyond images and networks, what was neither warm-up, window nor \
         cool-down.",
        "La parte propia de benchtop es {share}: del tiempo aparte de imágenes y redes, lo que no fue ni calentamiento, ni \
         ventana, ni enfriamiento."
    }
    /// Where everything is.
    files(seed) {
        "The numbers are in `repetitions.jsonl`, `cells.csv` (one row a repetition) and `summary.csv` (one row a cell); the \
         scenario as it was resolved is in `run.json`, and with seed {seed} its cells come in the same order.",
        "Los números están en `repetitions.jsonl`, `cells.csv` (una fila por repetición) y `summary.csv` (una fila por \
         celda); el escenario tal como se resolvió está en `run.json`, y con la semilla {seed} sus celdas salen en el mismo \
         orden."
    }
}
