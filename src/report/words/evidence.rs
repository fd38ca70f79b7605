//! What the rules saw, with its numbers: the evidence of findings, as fragments.

use crate::report::words::phrase::{labels, phrases};

labels! {
    /// Failures that no class explains.
    no_class { "no class recorded", "ninguna clase registrada" }
    /// A rate that was measured.
    measured { "measured", "medido" }
    /// A rate that a probe gave.
    probed { "probed", "sondeado" }
    /// Between the two things that a node did.
    and { " and ", " y " }
    /// Goodput became less.
    fell { "fell", "bajó" }
    /// Goodput became more.
    rose { "rose", "subió" }
}

phrases! {
    /// What was seen at a level.
    at_level(level, seen) { "at {level}: {seen}", "en el nivel {level}: {seen}" }
    /// Answers that look like throughput.
    answers(all, good, failed, completed, share, classes) {
        "{all} answers/s, of which {good} good; {failed} of {completed} requests failed ({share}): {classes}",
        "{all} respuestas/s, de ellas {good} correctas; fallaron {failed} de {completed} peticiones ({share}): {classes}"
    }
    /// Bodies of several lengths.
    lengths(low, high) {
        "good bodies are {low} to {high} bytes long, and 0 requests failed",
        "los cuerpos correctos miden de {low} a {high} bytes y fallaron 0 peticiones"
    }
    /// Redirects where a page was expected.
    redirects(redirects, completed, status) {
        "{redirects} of {completed} answers were redirects, and status {status} was expected",
        "{redirects} de {completed} respuestas fueron redirecciones y se esperaba el código {status}"
    }
    /// Lines in a log.
    wrote(service, setting, count, line) {
        "{service}{setting} wrote {count} times “{line}”",
        "{service}{setting} escribió {count} veces «{line}»"
    }
    /// The setting behind such lines.
    setting(parameter) { " with {parameter}", " con {parameter}" }
    /// Kills for memory.
    kills(kills, node) { "{kills} killed on {node}", "procesos matados en {node}: {kills}" }
    /// A death inside a window.
    died(service, round) { "{service} died in round {round}", "{service} murió en la ronda {round}" }
    /// A death between windows.
    restarted(service, round, said) {
        "{service} was found dead and started again before round {round}{said}",
        "{service} se encontró muerto y se arrancó de nuevo antes de la ronda {round}{said}"
    }
    /// What a dead service had said last.
    last_line(line) { " (last line: “{line}”)", " (última línea: «{line}»)" }
    /// Connections that were not kept.
    reused(reused, completed, opened) {
        "{reused} of {completed} requests used an open connection again; {opened} connections were opened",
        "{reused} de {completed} peticiones reutilizaron una conexión abierta; se abrieron {opened} conexiones"
    }
    /// A window without a completed request.
    nothing_in(window, how) {
        "nothing completed in {window} s ({how})",
        "no se completó nada en {window} s ({how})"
    }
    /// A window that is short for its responses.
    too_short(connections, rate, how, response, window) {
        "{connections} connections at {rate} requests/s ({how}) are {response} s a response, and the window is {window} s",
        "{connections} conexiones a {rate} peticiones/s ({how}) son {response} s por respuesta, y la ventana dura {window} s"
    }
    /// The generator's busiest thread.
    busiest_thread(share) {
        "its busiest thread used {share} of a CPU",
        "su hilo más ocupado usó el {share} de una CPU"
    }
    /// Rate, latency and connections that contradict each other.
    little(ratio, broken, all) {
        "rate × latency is {ratio} of the connections (median), outside the accepted range in {broken} of {all} repetitions",
        "tasa × latencia es {ratio} de las conexiones (mediana), fuera del margen aceptado en {broken} de {all} repeticiones"
    }
    /// More CPU than there is.
    overpromised(variant, nodes, promised, there) {
        "{variant}: its {nodes} nodes are promised {promised} CPUs, and the host has {there}, the load generator's included",
        "{variant}: sus {nodes} nodos tienen prometidas {promised} CPU y el anfitrión tiene {there}, contando las del \
         generador de carga"
    }
    /// CPU of a node against its limit.
    used_cpu(cores, limit) { "used {cores} of {limit} CPUs", "usó {cores} de {limit} CPU" }
    /// Time that a node was held back.
    throttled(share) {
        "was throttled {share} of the time, its CPUs added up",
        "estuvo frenado el {share} del tiempo, sumadas sus CPU"
    }
    /// Workers without a pause.
    workers_busy(workers, service, share, samples) {
        "all {workers} workers of {service} were busy in {share} of {samples} samples",
        "los {workers} workers de {service} estaban ocupados en el {share} de {samples} muestras"
    }
    /// A first repetition below the others.
    cold(first, others, lower) {
        "the first repetition gave {first} good requests/s, the others {others} on average ({lower} lower)",
        "la primera repetición dio {first} peticiones correctas/s y las demás {others} de media (un {lower} menos)"
    }
    /// A trend over the run.
    drift(direction, change, p, repetitions) {
        "goodput {direction} by {change} from the first to the last cell of the run (p = {p}, {repetitions} repetitions)",
        "el goodput {direction} un {change} de la primera a la última celda de la ejecución (p = {p}, {repetitions} \
         repeticiones)"
    }
    /// Scatter, and what it hides.
    noisy(cv, repetitions, detectable) {
        "the repetitions scatter by {cv} (CV); with {repetitions} of them only a difference of about {detectable} would be \
         noticed",
        "las repeticiones se dispersan un {cv} (CV); con {repetitions} solo se notaría una diferencia de alrededor del \
         {detectable}"
    }
    /// Cells in the order written.
    order(variants, rounds) {
        "`order: sequential` measured the {variants} variants in the order written in each of {rounds} rounds; comparisons \
         use Welch's test without pairs",
        "`order: sequential` midió las {variants} variantes en el orden escrito en cada una de las {rounds} rondas; las \
         comparaciones usan la prueba de Welch sin pares"
    }
}
