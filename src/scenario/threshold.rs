//! Threshold texts to expression trees: `goodput('three', 16) > 1.2 * goodput('two', 16)`. Whether variants and levels exist is
//! checked by `lower`; evaluation is the report's.

use std::ops::Range;

use crate::model::finding::FindingKind;
use crate::model::threshold::Arithmetic;
use crate::model::threshold::Comparison;
use crate::model::threshold::Expression;
use crate::model::threshold::Function;
use crate::model::threshold::Percentile;
use crate::scenario::problem::Complaint;
use crate::scenario::token;
use crate::scenario::token::Token;

/// Functions by name, as messages show them.
pub(super) const FUNCTIONS: [(&str, &str); 11] = [
    ("goodput", "goodput(variant, level)"),
    ("throughput", "throughput(variant, level)"),
    ("error_ratio", "error_ratio(variant, level)"),
    ("p50", "p50(variant, level)"),
    ("p95", "p95(variant, level)"),
    ("p99", "p99(variant, level)"),
    ("ratio", "ratio(base, new, level)"),
    ("significant", "significant(base, new[, level])"),
    ("oom_kills", "oom_kills(variant)"),
    ("elapsed", "elapsed()"),
    ("finding", "finding(name[, variant])"),
];
/// Functions that a later version will know.
const LATER: [&str; 4] = ["origin_requests", "hit_ratio", "share", "sustained_rate"];
/// Deepest nesting of an expression.
const DEPTH_MAX: u32 = 32;

/// What is wrong with a threshold, and where in its text.
pub(super) type Fault = (Range<usize>, Complaint);

/// Something a threshold names, to be looked up in the scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mention {
    /// Variants named together with the level.
    pub variants: Vec<(String, Range<usize>)>,
    /// The level, when one is named.
    pub level: Option<(String, Range<usize>)>,
}

/// Reads a threshold.
///
/// # Errors
/// The first thing that is wrong, with its byte range in the text.
pub(super) fn parse(text: &str) -> Result<(Expression, Vec<Mention>), Fault> {
    let tokens = token::scan(text)?;
    let mut parser = Parser { tokens, position: 0, depth: 0, mentions: Vec::new(), length: text.len() };
    let expression = parser.either()?;
    let (token, range) = parser.next();
    if token != Token::End {
        return Err((
            range,
            Complaint::new("something is left over here")
                .allowed("one comparison; `and`, `or`, `not` join several"),
        ));
    }
    if matches!(&expression, Expression::Number(_) | Expression::Arithmetic(..))
        || matches!(&expression, Expression::Call(function) if !matches!(function, Function::Significant { .. } | Function::Finding { .. }))
    {
        let complaint =
            Complaint::new("this threshold compares nothing").allowed("a comparison such as `… > 100`");
        return Err((0..text.len(), complaint));
    }
    Ok((expression, parser.mentions))
}

struct Parser {
    tokens: Vec<(Token, Range<usize>)>,
    position: usize,
    depth: u32,
    mentions: Vec<Mention>,
    length: usize,
}

impl Parser {
    fn peek(&self) -> (Token, Range<usize>) {
        self.tokens.get(self.position).cloned().unwrap_or((Token::End, self.length..self.length))
    }

    fn next(&mut self) -> (Token, Range<usize>) {
        let token = self.peek();
        self.position += 1;
        token
    }

    fn take(&mut self, sign: &str) -> bool {
        let found = match self.peek().0 {
            Token::Sign(found) => found == sign,
            Token::Word(word) => word == sign,
            _ => false,
        };
        self.position += usize::from(found);
        found
    }

    fn either(&mut self) -> Result<Expression, Fault> {
        let mut left = self.both()?;
        while self.take("or") {
            left = Expression::Or(Box::new(left), Box::new(self.both()?));
        }
        Ok(left)
    }

    fn both(&mut self) -> Result<Expression, Fault> {
        let mut left = self.negation()?;
        while self.take("and") {
            left = Expression::And(Box::new(left), Box::new(self.negation()?));
        }
        Ok(left)
    }

    fn negation(&mut self) -> Result<Expression, Fault> {
        if !self.take("not") {
            return self.comparison();
        }
        self.deeper()?;
        let inner = self.negation()?;
        self.depth -= 1;
        Ok(Expression::Not(Box::new(inner)))
    }

    fn comparison(&mut self) -> Result<Expression, Fault> {
        let left = self.sum()?;
        let Some(comparison) = self.comparison_sign() else { return Ok(left) };
        let right = self.sum()?;
        let (_, range) = self.peek();
        if self.comparison_sign().is_some() {
            return Err((
                range,
                Complaint::new("comparisons cannot be chained").allowed("`a < b and b < c`"),
            ));
        }
        Ok(Expression::Compare(comparison, Box::new(left), Box::new(right)))
    }

    fn comparison_sign(&mut self) -> Option<Comparison> {
        const SIGNS: [(&str, Comparison); 6] = [
            ("<", Comparison::Less),
            ("<=", Comparison::LessOrEqual),
            (">", Comparison::Greater),
            (">=", Comparison::GreaterOrEqual),
            ("==", Comparison::Equal),
            ("!=", Comparison::NotEqual),
        ];
        SIGNS.into_iter().find(|(sign, _)| self.take(sign)).map(|(_, comparison)| comparison)
    }

    fn sum(&mut self) -> Result<Expression, Fault> {
        let mut left = self.product()?;
        loop {
            let sign = match () {
                () if self.take("+") => Arithmetic::Add,
                () if self.take("-") => Arithmetic::Subtract,
                () => return Ok(left),
            };
            left = Expression::Arithmetic(sign, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Result<Expression, Fault> {
        let mut left = self.atom()?;
        loop {
            let sign = match () {
                () if self.take("*") => Arithmetic::Multiply,
                () if self.take("/") => Arithmetic::Divide,
                () => return Ok(left),
            };
            left = Expression::Arithmetic(sign, Box::new(left), Box::new(self.atom()?));
        }
    }

    fn atom(&mut self) -> Result<Expression, Fault> {
        let (token, range) = self.next();
        match token {
            Token::Number(number, _) => Ok(Expression::Number(number)),
            Token::Sign("-") => {
                self.deeper()?;
                let inner = self.atom()?;
                self.depth -= 1;
                Ok(Expression::Arithmetic(
                    Arithmetic::Subtract,
                    Box::new(Expression::Number(0.0)),
                    Box::new(inner),
                ))
            }
            Token::Sign("(") => {
                self.deeper()?;
                let inner = self.either()?;
                self.close()?;
                self.depth -= 1;
                Ok(inner)
            }
            Token::Word(name) if self.take("(") => self.call(&name, range).map(Expression::Call),
            Token::Word(word) => {
                let functions: Vec<&str> = FUNCTIONS.iter().map(|(name, _)| *name).collect();
                Err((
                    range,
                    Complaint::new(format!("`{word}` is not followed by `(`")).among(&word, functions),
                ))
            }
            _ => Err((range, Complaint::new("a number or a function is missing here").allowed(signatures()))),
        }
    }

    fn deeper(&mut self) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err((self.peek().1, Complaint::new("the threshold is nested too deeply")));
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), Fault> {
        let (_, range) = self.peek();
        if self.take(")") {
            Ok(())
        } else {
            Err((range, Complaint::new("a closing parenthesis is missing here")))
        }
    }

    /// The arguments of a call, its opening parenthesis taken.
    fn arguments(&mut self) -> Result<Vec<(String, Range<usize>)>, Fault> {
        let mut arguments = Vec::new();
        if self.take(")") {
            return Ok(arguments);
        }
        loop {
            match self.next() {
                (Token::Text(text) | Token::Word(text) | Token::Number(_, text), range) => {
                    arguments.push((text, range))
                }
                (_, range) => {
                    let complaint = Complaint::new("an argument is missing here")
                        .allowed("a name in quotes, or a number");
                    return Err((range, complaint));
                }
            }
            if !self.take(",") {
                self.close()?;
                return Ok(arguments);
            }
        }
    }

    fn call(&mut self, name: &str, range: Range<usize>) -> Result<Function, Fault> {
        let arguments = self.arguments()?;
        let texts: Vec<String> = arguments.iter().map(|(text, _)| text.clone()).collect();
        let percentile = |percentile, variant: &String, level: &String| Function::Latency {
            percentile,
            variant: variant.clone(),
            level: level.clone(),
        };
        let function = match (name, texts.as_slice()) {
            ("goodput", [variant, level]) => {
                Function::Goodput { variant: variant.clone(), level: level.clone() }
            }
            ("throughput", [variant, level]) => {
                Function::Throughput { variant: variant.clone(), level: level.clone() }
            }
            ("error_ratio", [variant, level]) => {
                Function::ErrorRatio { variant: variant.clone(), level: level.clone() }
            }
            ("p50", [variant, level]) => percentile(Percentile::P50, variant, level),
            ("p95", [variant, level]) => percentile(Percentile::P95, variant, level),
            ("p99", [variant, level]) => percentile(Percentile::P99, variant, level),
            ("ratio", [base, new, level]) => {
                Function::Ratio { base: base.clone(), new: new.clone(), level: level.clone() }
            }
            ("significant", [base, new, level @ ..]) if level.len() < 2 => {
                Function::Significant { base: base.clone(), new: new.clone(), level: level.first().cloned() }
            }
            ("oom_kills", [variant]) => Function::OomKills { variant: variant.clone() },
            ("elapsed", []) => Function::Elapsed,
            ("finding", [finding, variant @ ..]) if variant.len() < 2 => {
                check_finding(finding, &arguments[0].1)?;
                Function::Finding { name: finding.clone(), variant: variant.first().cloned() }
            }
            _ => return Err((range, not_a_call(name, arguments.len()))),
        };
        self.mention(&function, arguments);
        Ok(function)
    }

    /// Remembers which variants and level a call names.
    fn mention(&mut self, function: &Function, mut arguments: Vec<(String, Range<usize>)>) {
        let variants = match function {
            Function::Elapsed => 0,
            Function::Finding { .. } => {
                arguments.remove(0);
                1
            }
            Function::Ratio { .. } | Function::Significant { .. } => 2,
            _ => 1,
        };
        let rest = arguments.split_off(variants.min(arguments.len()));
        self.mentions.push(Mention { variants: arguments, level: rest.into_iter().next() });
    }
}

fn check_finding(name: &str, range: &Range<usize>) -> Result<(), Fault> {
    let known: Vec<&str> = FindingKind::ALL.into_iter().map(FindingKind::name).collect();
    if known.contains(&name) {
        return Ok(());
    }
    Err((range.clone(), Complaint::new(format!("unknown finding `{name}`")).among(name, known)))
}

fn not_a_call(name: &str, given: usize) -> Complaint {
    if let Some((_, signature)) = FUNCTIONS.iter().find(|(known, _)| *known == name) {
        return Complaint::new(format!("`{name}` does not take {given} argument(s)"))
            .allowed(format!("`{signature}`"));
    }
    if LATER.contains(&name) {
        return Complaint::new(format!("`{name}` is not supported by this version")).allowed(signatures());
    }
    let complaint = Complaint::new(format!("unknown function `{name}`"));
    let complaint = complaint.among(name, FUNCTIONS.iter().map(|(known, _)| *known));
    Complaint { allowed: Some(signatures()), ..complaint }
}

fn signatures() -> String {
    FUNCTIONS.iter().map(|(_, signature)| format!("`{signature}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiplication_binds_tighter_than_comparison() {
        let (expression, mentions) = parse("goodput('three', 16) > 1.2 * goodput('two', 16)").unwrap();
        let Expression::Compare(Comparison::Greater, left, right) = expression else {
            panic!("no comparison")
        };
        assert!(matches!(*left, Expression::Call(Function::Goodput { .. })));
        assert!(matches!(*right, Expression::Arithmetic(Arithmetic::Multiply, ..)));
        assert_eq!(mentions.len(), 2);
        assert_eq!(mentions[0].level.as_ref().unwrap().0, "16");
    }

    #[test]
    fn truth_needs_no_comparison_but_a_number_does() {
        for text in [
            "significant('a','b')",
            "not finding(oom_kill)",
            "finding('drift','a') or elapsed() < 60",
            "ratio(a,b,4) >= 1",
        ] {
            assert!(parse(text).is_ok(), "{text}");
        }
        for text in [
            "goodput('a', 4)",
            "1 + 2",
            "",
            "elapsed( < 3",
            "1 < 2 < 3",
            "goodput('a') > 1",
            "(1 < 2",
            "a > 1",
            "1 > 'x",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_unknown_function_is_answered_with_the_nearest() {
        let (range, complaint) = parse("godput('a', 4) > 1").unwrap_err();
        assert_eq!((range, complaint.nearest.as_deref()), (0..6, Some("goodput")));
        assert!(parse("hit_ratio('a', 4) > 1").unwrap_err().1.message.contains("not supported"));
        assert!(parse("finding(oom_kil)").unwrap_err().1.nearest.is_some());
        assert!(parse(&"(".repeat(10_000)).is_err());
    }
}
