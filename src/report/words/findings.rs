//! The fixed words of findings: headings, reasons, advice. What was seen is in the words of the evidence.

use crate::model::experiment::Language;
use crate::model::finding::FindingKind;
use crate::report::words::phrase::phrases;

phrases! {
    /// Under the heading of findings when there are none.
    no_findings() {
        "None: no check had anything to object to.",
        "Ninguno: ninguna comprobación encontró nada que objetar."
    }
}

/// The finding's heading.
pub(in crate::report) const fn title(language: Language, kind: FindingKind) -> &'static str {
    let (en, es) = match kind {
        FindingKind::ErrorsCountedAsThroughput => {
            ("Errors would have counted as throughput", "Los errores habrían contado como rendimiento")
        }
        FindingKind::LengthVaries => (
            "The length of the page varies, and nothing failed",
            "La longitud de la página varía y no falló nada",
        ),
        FindingKind::KeepAliveNotObtained => {
            ("Keep-alive was asked for and not obtained", "Se pidió keep-alive y no se obtuvo")
        }
        FindingKind::ColdFirstRepetition => {
            ("The first repetition was cold", "La primera repetición estaba fría")
        }
        FindingKind::Drift => {
            ("Results drift during the run", "Los resultados derivan a lo largo de la ejecución")
        }
        FindingKind::TooNoisy => {
            ("Too noisy for small differences", "Demasiado ruido para diferencias pequeñas")
        }
        FindingKind::RunTooShort => {
            ("The window is short for the response time", "La ventana es corta para el tiempo de respuesta")
        }
        FindingKind::CpuOverpromised => {
            ("More CPU is promised than there is", "Se promete más CPU de la que hay")
        }
        FindingKind::WebServerOutOfConnections => {
            ("A web server ran out of connections", "Un servidor web se quedó sin conexiones")
        }
        FindingKind::CpuThrottled => {
            ("A node's CPU limit held it back", "El límite de CPU de un nodo lo frenó")
        }
        FindingKind::OomKill => {
            ("The kernel killed a process for memory", "El núcleo mató un proceso por falta de memoria")
        }
        FindingKind::WorkersAllBusy => ("Every worker was busy", "Todos los workers estaban ocupados"),
        FindingKind::GeneratorWasTheLimit => {
            ("The load generator was the limit", "El generador de carga era el límite")
        }
        FindingKind::LittleDoesNotHold => (
            "Rate, latency and connections do not fit together",
            "Tasa, latencia y conexiones no encajan entre sí",
        ),
        FindingKind::RedirectsMeasured => {
            ("Redirects were measured instead of the page", "Se midieron redirecciones en lugar de la página")
        }
        FindingKind::OrderConfounded => {
            ("The order of the cells was not random", "El orden de las celdas no fue aleatorio")
        }
        FindingKind::ServiceDied => ("A service died", "Murió un servicio"),
    };
    match language {
        Language::En => en,
        Language::Es => es,
    }
}

/// The finding as the reason a row is struck: a fragment.
pub(in crate::report) fn reason(language: Language, kind: FindingKind) -> String {
    match language {
        Language::En => match kind {
            FindingKind::WebServerOutOfConnections => "web server out of connections".to_owned(),
            FindingKind::OomKill => "killed for memory".to_owned(),
            FindingKind::WorkersAllBusy => "every worker busy".to_owned(),
            FindingKind::ServiceDied => "a service died".to_owned(),
            other => other.name().replace('_', " "),
        },
        Language::Es => reason_es(kind).to_owned(),
    }
}

const fn reason_es(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::ErrorsCountedAsThroughput => "errores contados como rendimiento",
        FindingKind::LengthVaries => "longitud variable",
        FindingKind::KeepAliveNotObtained => "keep-alive no obtenido",
        FindingKind::ColdFirstRepetition => "primera repetición fría",
        FindingKind::Drift => "deriva",
        FindingKind::TooNoisy => "demasiado ruido",
        FindingKind::RunTooShort => "ventana demasiado corta",
        FindingKind::CpuOverpromised => "CPU prometida de más",
        FindingKind::WebServerOutOfConnections => "servidor web sin conexiones",
        FindingKind::CpuThrottled => "CPU frenada por su límite",
        FindingKind::OomKill => "matado por falta de memoria",
        FindingKind::WorkersAllBusy => "todos los workers ocupados",
        FindingKind::GeneratorWasTheLimit => "el generador era el límite",
        FindingKind::LittleDoesNotHold => "no se cumple la ley de Little",
        FindingKind::RedirectsMeasured => "redirecciones medidas",
        FindingKind::OrderConfounded => "orden confundido con el tiempo",
        FindingKind::ServiceDied => "murió un servicio",
    }
}

/// What to do about it.
pub(in crate::report) const fn advice(language: Language, kind: FindingKind) -> &'static str {
    match language {
        Language::En => advice_en(kind),
        Language::Es => advice_es(kind),
    }
}

const fn advice_en(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::ErrorsCountedAsThroughput => {
            "Quote goodput, never the bare number of answers per second: an instant error is faster than any page. \
             Look at the failures by class to see which tier gave up."
        }
        FindingKind::LengthVaries => {
            "Do not read a changing length as a failure: the page is dynamic. To be sure of its content, let \
             `target.expect` look for a text (`contains`) or a smallest size (`min_bytes`)."
        }
        FindingKind::KeepAliveNotObtained => {
            "Every request paid for a new connection. Look at the server's keep-alive settings and at what its answers \
             say (`Connection: close`), or set `keep_alive: false` so that the scenario says what happens."
        }
        FindingKind::ColdFirstRepetition => {
            "Make `load.warm_up` longer, or measure one round more: caches, opcode caches and buffer pools were still \
             filling, and the cold value is part of the mean."
        }
        FindingKind::Drift => {
            "Comparisons are made within rounds and stay valid; means and intervals of single cells do not describe a \
             steady state. Look for what grows or heats up: logs, caches, tables, other work on the host."
        }
        FindingKind::TooNoisy => {
            "Close other work on the host, lengthen `load.duration`, or measure more rounds (`--repeat 10`) before \
             drawing conclusions from small differences."
        }
        FindingKind::RunTooShort => {
            "Lengthen `load.duration` to at least five response times (fifty are better), or lower the number of \
             connections: too much of the window is its beginning and its end."
        }
        FindingKind::CpuOverpromised => {
            "Lower `cpus:` or take fewer nodes: when all are busy the nodes share what there is, so that a node more \
             takes from the others, and the load generator needs its part too."
        }
        FindingKind::WebServerOutOfConnections => {
            "A request handed on to another tier takes two connections. Raise the limit, or keep fewer requests in \
             flight in front of it (a queue in the balancer); the rate of errors is not speed."
        }
        FindingKind::CpuThrottled => {
            "This tier had no CPU left at these levels: more CPU, more nodes of it, or less work for each request (a \
             cache) raise the rate; more workers do not."
        }
        FindingKind::OomKill => {
            "Lower the number of workers or buffers until the worst case fits the node's memory, or give it more: size \
             a worker by what it takes under load, not when idle."
        }
        FindingKind::WorkersAllBusy => {
            "Requests waited for a free worker. If the node's CPU was not full, more workers help as far as its memory \
             allows; if it was, they only lengthen the queue inside."
        }
        FindingKind::GeneratorWasTheLimit => {
            "The rate is the generator's, not the server's: lower the number of connections, or generate the load on a \
             machine of its own."
        }
        FindingKind::LittleDoesNotHold => {
            "Do not trust rate and latency of these rows together: below the range the client spent time outside its \
             requests, above it latencies are counted twice or queues were left over from before the window."
        }
        FindingKind::RedirectsMeasured => {
            "Point `target.url` at the page itself (its `/` at the end, the right host name and scheme): a redirect \
             costs the server almost nothing."
        }
        FindingKind::OrderConfounded => {
            "Leave `order:` out (random within each round): measured one after the other, a difference between variants \
             cannot be told from a change with time."
        }
        FindingKind::ServiceDied => {
            "Read its last lines under evidence and the log of its node; a repetition in which it died is struck."
        }
    }
}

const fn advice_es(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::ErrorsCountedAsThroughput => {
            "Cite el goodput (peticiones correctas por segundo), nunca el mero número de respuestas por segundo: un error \
             instantáneo es más rápido que cualquier página. Mire los fallos por clase para ver qué capa cedió."
        }
        FindingKind::LengthVaries => {
            "No lea como fallo una longitud que cambia: la página es dinámica. Para estar seguro de su contenido, haga que \
             `target.expect` busque un texto (`contains`) o un tamaño mínimo (`min_bytes`)."
        }
        FindingKind::KeepAliveNotObtained => {
            "Cada petición pagó una conexión nueva. Mire los ajustes de keep-alive del servidor y lo que dicen sus \
             respuestas (`Connection: close`), o ponga `keep_alive: false` para que el escenario diga lo que ocurre."
        }
        FindingKind::ColdFirstRepetition => {
            "Alargue `load.warm_up` o mida una ronda más: las cachés, las cachés de código y los búferes aún se estaban \
             llenando, y el valor frío forma parte de la media."
        }
        FindingKind::Drift => {
            "Las comparaciones se hacen dentro de cada ronda y siguen siendo válidas; las medias y los intervalos de celdas \
             sueltas no describen un estado estable. Busque qué crece o se calienta: registros, cachés, tablas, otro trabajo \
             en el anfitrión."
        }
        FindingKind::TooNoisy => {
            "Cierre otros trabajos en el anfitrión, alargue `load.duration` o mida más rondas (`--repeat 10`) antes de sacar \
             conclusiones de diferencias pequeñas."
        }
        FindingKind::RunTooShort => {
            "Alargue `load.duration` hasta al menos cinco tiempos de respuesta (mejor cincuenta) o reduzca el número de \
             conexiones: una parte demasiado grande de la ventana es su principio y su final."
        }
        FindingKind::CpuOverpromised => {
            "Reduzca `cpus:` o use menos nodos: cuando todos están ocupados se reparten lo que hay, de modo que un nodo más \
             les quita a los otros, y el generador de carga también necesita su parte."
        }
        FindingKind::WebServerOutOfConnections => {
            "Una petición que se pasa a otra capa ocupa dos conexiones. Suba el límite o mantenga menos peticiones en curso \
             delante de él (una cola en el balanceador); la tasa de errores no es velocidad."
        }
        FindingKind::CpuThrottled => {
            "A esta capa no le quedaba CPU en estos niveles: más CPU, más nodos como este o menos trabajo por petición (una \
             caché) suben la tasa; más workers no."
        }
        FindingKind::OomKill => {
            "Reduzca el número de workers o los búferes hasta que el peor caso quepa en la memoria del nodo, o dele más: \
             calcule un worker por lo que ocupa bajo carga, no en reposo."
        }
        FindingKind::WorkersAllBusy => {
            "Hubo peticiones esperando un worker libre. Si la CPU del nodo no estaba llena, más workers ayudan hasta donde \
             permita su memoria; si lo estaba, solo alargan la cola de dentro."
        }
        FindingKind::GeneratorWasTheLimit => {
            "La tasa es la del generador, no la del servidor: reduzca el número de conexiones o genere la carga en una \
             máquina propia."
        }
        FindingKind::LittleDoesNotHold => {
            "No se fíe de la tasa y la latencia de estas filas a la vez: por debajo del margen el cliente pasó tiempo fuera \
             de sus peticiones; por encima, las latencias se cuentan dos veces o quedaban colas de antes de la ventana."
        }
        FindingKind::RedirectsMeasured => {
            "Apunte `target.url` a la página misma (su `/` final, el nombre de servidor y el esquema correctos): una \
             redirección no le cuesta casi nada al servidor."
        }
        FindingKind::OrderConfounded => {
            "Quite `order:` (aleatorio dentro de cada ronda): si se miden una tras otra, una diferencia entre variantes no \
             se distingue de un cambio con el tiempo."
        }
        FindingKind::ServiceDied => {
            "Lea sus últimas líneas en las evidencias y el registro de su nodo; la repetición en la que murió se descarta."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finding_has_words_of_its_own() {
        for language in [Language::En, Language::Es] {
            let titles = FindingKind::ALL.iter().map(|kind| title(language, *kind).to_owned());
            let advices = FindingKind::ALL.iter().map(|kind| advice(language, *kind).to_owned());
            let reasons = FindingKind::ALL.iter().map(|kind| reason(language, *kind));
            let lists: [Vec<String>; 3] = [titles.collect(), advices.collect(), reasons.collect()];
            assert!(lists[2].iter().all(|reason| !reason.contains('_')));
            for mut list in lists {
                list.sort_unstable();
                list.dedup();
                assert_eq!(list.len(), FindingKind::ALL.len());
            }
        }
    }
}
