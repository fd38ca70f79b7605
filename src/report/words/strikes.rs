//! Why a repetition or a cell does not count: fragments.

use crate::report::words::phrase::{labels, phrases};

labels! {
    /// Not one request ended.
    nothing_completed { "nothing completed", "no se completó nada" }
}

phrases! {
    /// A service died.
    died(service) { "{service} died inside the window", "{service} murió dentro de la ventana" }
    /// The load stood still because its generator did.
    stalled(seconds) {
        "benchtop itself stood still for {seconds} s inside the window",
        "el propio benchtop estuvo parado {seconds} s dentro de la ventana"
    }
    /// A kill for memory.
    killed(node) {
        "the kernel killed a process on {node} for memory",
        "el núcleo mató un proceso de {node} por falta de memoria"
    }
    /// More failures than good answers, with the largest class.
    mostly_failed(share, class) {
        "most requests failed ({share}, mostly {class})",
        "falló la mayoría de las peticiones ({share}, sobre todo {class})"
    }
    /// The same where no class says more.
    mostly_failed_somehow(share) {
        "most requests failed ({share})",
        "falló la mayoría de las peticiones ({share})"
    }
    /// A cell of which some repetitions would count.
    in_some(reason, struck, all) {
        "{reason}; {struck} of {all} repetitions",
        "{reason}; {struck} de {all} repeticiones"
    }
}
