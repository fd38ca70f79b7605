//! Thresholds as parsed: `goodput('three', 16) > 1.2 * goodput('two', 16)`. `scenario` parses, `report` evaluates.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A bound the run must keep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Threshold {
    /// The text as written.
    pub text: String,
    /// Its meaning.
    pub expression: Expression,
}

/// A comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
}

/// An arithmetic operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
}

/// A latency percentile a threshold may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Percentile {
    /// 50 %
    P50,
    /// 95 %
    P95,
    /// 99 %
    P99,
}

/// The functions of the language. Levels are names (`"16"`, `"few"`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub enum Function {
    /// Mean goodput of unstruck repetitions, requests per second.
    Goodput {
        /// Variant.
        variant: String,
        /// Level.
        level: String,
    },
    /// Mean throughput of unstruck repetitions, requests per second.
    Throughput {
        /// Variant.
        variant: String,
        /// Level.
        level: String,
    },
    /// Share of completed requests that were not good, 0–1.
    ErrorRatio {
        /// Variant.
        variant: String,
        /// Level.
        level: String,
    },
    /// Percentile of the merged histogram, ms.
    Latency {
        /// Which.
        percentile: Percentile,
        /// Variant.
        variant: String,
        /// Level.
        level: String,
    },
    /// `ratio(a, b, level)` = geometric mean of b over a.
    Ratio {
        /// Base.
        base: String,
        /// New.
        new: String,
        /// Level.
        level: String,
    },
    /// `significant(a, b[, level])`: the verdict is `different`.
    Significant {
        /// Base.
        base: String,
        /// New.
        new: String,
        /// Level; the headline test without one.
        level: Option<String>,
    },
    /// `oom_kills(v)`.
    OomKills {
        /// Variant.
        variant: String,
    },
    /// `elapsed()`: seconds of the whole run.
    Elapsed,
    /// `finding(name[, v])`: 1 when the report raised it.
    Finding {
        /// The finding's snake_case name.
        name: String,
        /// Only for this variant.
        variant: Option<String>,
    },
}

/// An expression tree; truth is 1, falsehood 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub enum Expression {
    /// A number.
    Number(f64),
    /// A function call.
    Call(Function),
    /// Arithmetic on two sides.
    Arithmetic(Arithmetic, Box<Expression>, Box<Expression>),
    /// A comparison of two sides.
    Compare(Comparison, Box<Expression>, Box<Expression>),
    /// `not x`
    Not(Box<Expression>),
    /// `a and b`
    And(Box<Expression>, Box<Expression>),
    /// `a or b`
    Or(Box<Expression>, Box<Expression>),
}
