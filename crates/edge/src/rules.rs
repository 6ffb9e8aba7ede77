//! A list of rules, which finds those that match a request. `wirefilter-engine` parses them.

use std::{fmt, sync::Arc};

use http::Request;
use serde::Deserialize;

use crate::{
    data::matched_data,
    field::{Fields, Part},
    request::{Body, Connection, Parts},
    tree::Node,
    walk::Walk,
};

/// The maximum length of an expression, in bytes, as in Cloudflare's rules.
pub const MAX_EXPRESSION: usize = 4096;
/// The maximum number of parentheses and negations in an expression. The parser is
/// recursive.
pub const MAX_NESTING: usize = 256;

/// A rule, as it is written in a file.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Rule {
    /// The id by which events name the rule: `RuleID`.
    pub id: String,
    /// A description for people.
    #[serde(default)]
    pub description: String,
    /// The action taken on a request that matches.
    #[serde(default)]
    pub action: Action,
    /// The condition, in the language of `wirefilter-engine`.
    pub expression: String,
}

/// The action taken on a request that a rule matches. Both actions write an event.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Forward the request after evaluating the remaining rules.
    #[default]
    Log,
    /// Answer with 403 and evaluate no further rules.
    Block,
}

/// The reason why a rule is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    /// The `id` of the rule.
    pub rule: String,
    /// The problem with the rule.
    pub problem: Problem,
}

/// A problem with a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The `id` is empty.
    NoId,
    /// An earlier rule has this `id`.
    IdTwice,
    /// The expression has this many bytes, which is more than [`MAX_EXPRESSION`].
    TooLong(usize),
    /// The expression has more than [`MAX_NESTING`] parentheses and negations.
    TooDeep,
    /// The expression is not valid.
    Syntax {
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1.
        column: usize,
        /// The parser's message.
        message: String,
    },
    /// The parser accepts something that this version of pqseal does not know.
    Unknown,
}

/// A list of rules. Threads can share it.
pub struct Rules {
    rules: Vec<Arc<Rule>>,
    nodes: Vec<Node>,
    fields: Fields,
    /// One entry per field, set if a rule reads the field.
    is_used: Vec<bool>,
}

/// A rule that matched, and the data that it read.
#[derive(Clone)]
pub struct Match {
    /// The rule.
    pub rule: Arc<Rule>,
    data: String,
}

impl Match {
    /// Returns the data that the rule read, as JSON. It contains plaintext of the request.
    pub fn data(&self) -> &str {
        &self.data
    }
}

impl Rules {
    /// Parses the expressions.
    ///
    /// # Errors
    /// [`RuleError`] for the first rule that is not valid.
    pub fn new(rules: Vec<Rule>) -> Result<Self, RuleError> {
        for (index, rule) in rules.iter().enumerate() {
            check(rule, &rules[..index]).map_err(|problem| rule.error(problem))?;
        }
        let fields = Fields::of(rules.iter().map(|rule| rule.expression.as_str()));
        let scheme = fields.scheme();
        let (mut nodes, mut is_used) = (Vec::new(), vec![false; fields.all.len()]);
        for rule in &rules {
            let ast = scheme.parse(&rule.expression);
            let ast = ast.map_err(|error| rule.error(syntax(&error.to_string())))?;
            let node = Node::of(&ast, &fields);
            nodes.push(node.ok_or_else(|| rule.error(Problem::Unknown))?);
            for (field, is_used) in fields.all.iter().zip(&mut is_used) {
                *is_used |= ast.uses(&field.name) == Ok(true);
            }
        }
        Ok(Self {
            rules: rules.into_iter().map(Arc::new).collect(),
            nodes,
            fields,
            is_used,
        })
    }

    /// Reports whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Returns the rules in order.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().map(AsRef::as_ref)
    }

    /// Reports whether a rule reads the body of requests. If none does, the body need not be
    /// buffered.
    pub fn read_the_body(&self) -> bool {
        use crate::field::Kind::{BodySize, IsBodyTruncated, Text};

        let mut fields = self.fields.all.iter().zip(&self.is_used);
        fields.any(|(field, is_used)| {
            *is_used
                && match field.kind {
                    BodySize | IsBodyTruncated => true,
                    Text { part, .. } => part == Part::Body,
                    _ => false,
                }
        })
    }

    /// Returns the matching rules in order, up to the first that blocks.
    pub fn matches<B>(&self, request: &Request<B>, body: Body<'_>, from: Connection) -> Vec<Match> {
        let (fields, is_used) = (&self.fields, &self.is_used);
        let parts = Parts::new(fields, is_used, request, body, from);
        let values = parts.values(fields, is_used);
        let (mut walk, mut matches) = (Walk::new(&values), Vec::new());
        for (rule, node) in self.rules.iter().zip(&self.nodes) {
            let Some(reads) = walk.matches(node) else {
                continue;
            };
            matches.push(Match {
                rule: Arc::clone(rule),
                data: matched_data(reads, fields, &values),
            });
            if rule.action == Action::Block {
                break;
            }
        }
        matches
    }
}

impl Rule {
    fn error(&self, problem: Problem) -> RuleError {
        let rule = self.id.clone();
        RuleError { rule, problem }
    }
}

fn check(rule: &Rule, before: &[Rule]) -> Result<(), Problem> {
    let text = &rule.expression;
    // An upper bound, since some of these are inside strings.
    let nesting = text.matches(['(', '!']).count() + text.matches("not").count();
    match () {
        () if rule.id.is_empty() => Err(Problem::NoId),
        () if before.iter().any(|other| other.id == rule.id) => Err(Problem::IdTwice),
        () if text.len() > MAX_EXPRESSION => Err(Problem::TooLong(text.len())),
        () if nesting > MAX_NESTING => Err(Problem::TooDeep),
        () => Ok(()),
    }
}

/// Parses the parser's report, which consists of `Filter parsing error (LINE:COLUMN):`, that line,
/// and `^` under the position, followed by the message.
fn syntax(report: &str) -> Problem {
    let place = report
        .split_once('(')
        .and_then(|(_, rest)| rest.split_once(')'));
    let place = place.and_then(|(place, _)| place.split_once(':'));
    let (line, column) = place.unwrap_or_default();
    let last = report.trim_end().lines().last().unwrap_or_default();
    Problem::Syntax {
        line: line.parse().unwrap_or(1),
        column: column.parse().unwrap_or(1),
        message: last.trim_start_matches([' ', '^']).to_owned(),
    }
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule {:?}: {}", self.rule, self.problem)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoId => f.write_str("its id is empty; events name a rule by its id"),
            Self::IdTwice => f.write_str("an earlier rule has the same id; give it another one"),
            Self::TooLong(bytes) => write!(
                f,
                "its expression has {bytes} bytes, and at most {MAX_EXPRESSION} are allowed; make two rules of it"
            ),
            Self::TooDeep => write!(
                f,
                "its expression has more than {MAX_NESTING} parentheses and negations; make two rules of it"
            ),
            Self::Syntax {
                line,
                column,
                message,
            } => {
                let hint = match message.contains("unknown field") {
                    true => "lists the fields; there are no maps, arrays or functions",
                    false => "describes expressions",
                };
                write!(
                    f,
                    "its expression is wrong at line {line}, column {column}: {message}; docs/edge.md {hint}"
                )
            }
            Self::Unknown => f.write_str(
                "the parser has a comparison that this version of pqseal does not know; update pqseal",
            ),
        }
    }
}

impl std::error::Error for RuleError {}

/// Omits the data.
impl fmt::Debug for Match {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Match")
            .field("rule", &self.rule)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
