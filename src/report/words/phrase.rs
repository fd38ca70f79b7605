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

/// Defines functions that name something: headings, heads of columns, texts without a number in them.
macro_rules! labels {
    ($($(#[$meta:meta])* $name:ident { $en:literal, $es:literal $(,)? })*) => {
        $(
            $(#[$meta])*
            pub(in crate::report) const fn $name(
                language: $crate::model::experiment::Language,
            ) -> &'static str {
                match language {
                    $crate::model::experiment::Language::En => $en,
                    $crate::model::experiment::Language::Es => $es,
                }
            }
        )*
    };
}

pub(in crate::report) use labels;
pub(in crate::report) use phrases;

#[cfg(test)]
mod tests {
    use crate::model::experiment::Language;

    phrases! {
        /// A sample.
        failed(count, all) { "{count} of {all} failed", "fallaron {count} de {all}" }
    }

    labels! {
        /// A sample.
        level { "Level", "Nivel" }
    }

    #[test]
    fn a_phrase_is_written_in_the_language_asked_for() {
        assert_eq!(failed(Language::En, &2, &"ten"), "2 of ten failed");
        assert_eq!(failed(Language::Es, &2, &"diez"), "fallaron 2 de diez");
        assert_eq!([level(Language::En), level(Language::Es)], ["Level", "Nivel"]);
    }
}
