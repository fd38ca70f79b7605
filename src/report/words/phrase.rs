//! Sentences in every language a report can be written in, the languages side by side.

/// Defines functions that write one sentence each. Parameters are named in the texts as in `format!`, so that the
/// compiler checks each language.
macro_rules! phrases {
    ($($(#[$meta:meta])* $name:ident($($parameter:ident),* $(,)?) { $en:literal, $es:literal $(,)? })*) => {
        $(
            $(#[$meta])*
            pub(in crate::report) fn $name(
                language: $crate::model::experiment::Language,
                $($parameter: &dyn std::fmt::Display),*
            ) -> String {
                match language {
                    $crate::model::experiment::Language::En => format!($en $(, $parameter = $parameter)*),
                    $crate::model::experiment::Language::Es => format!($es $(, $parameter = $parameter)*),
                }
            }
        )*
    };
}

pub(in crate::report) use phrases;

#[cfg(test)]
mod tests {
    use crate::model::experiment::Language;

    phrases! {
        /// A sample.
        failed(count, all) { "{count} of {all} failed", "fallaron {count} de {all}" }
    }

    #[test]
    fn a_phrase_is_written_in_the_language_asked_for() {
        assert_eq!(failed(Language::En, &2, &"ten"), "2 of ten failed");
        assert_eq!(failed(Language::Es, &2, &"diez"), "fallaron 2 de diez");
    }
}
