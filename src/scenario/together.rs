//! Which keys of one mapping go together: some exclude each other, some mean nothing alone. Their values are not looked at.

use crate::scenario::problem::Complaint;
use crate::scenario::problem::one_of;
use crate::scenario::shape::Fields;

/// What is wrong with the keys given, each with the key to point at; none points at the mapping. A key that `misspelt` says
/// was meant is not missing as well.
pub(super) fn complaints<'a>(
    fields: &'a Fields,
    given: &[&str],
    misspelt: &[String],
) -> Vec<(Option<&'a str>, Complaint)> {
    let mut found = Vec::new();
    let meant = |name: &str| misspelt.iter().any(|misspelt| misspelt == name);
    for key in fields.keys.iter().filter(|key| given.contains(&key.name.as_str())) {
        let name = key.name.as_str();
        // Of two rivals that name each other, the later in the alphabet is complained about.
        if let Some(other) = key.instead_of.filter(|other| given.contains(other) && *other < name) {
            let message = format!("`{other}` and `{name}` exclude each other");
            found.push((Some(name), Complaint::new(message).allowed("one of the two")));
        }
        if let Some(other) = key.needs.filter(|other| !given.contains(other) && !meant(other)) {
            let message = format!("`{name}` means nothing without `{other}`");
            found.push((Some(name), Complaint::new(message).allowed(format!("`{other}` beside it"))));
        }
    }
    for (words, names) in [("exactly", fields.exactly_one), ("at least", fields.at_least_one)] {
        let allowed = format!("{words} one of {}", one_of(names));
        let named: Vec<&str> = names.iter().copied().filter(|name| given.contains(name)).collect();
        if named.is_empty() && !names.is_empty() && !names.iter().any(|name| meant(name)) {
            let message = format!("none of {} is given", one_of(names));
            found.push((None, Complaint::new(message).allowed(allowed)));
        } else if let ([_, .., last], "exactly") = (named.as_slice(), words) {
            let message = format!("{} exclude each other", one_of(&named));
            found.push((Some(*last), Complaint::new(message).allowed(allowed)));
        }
    }
    found
}
