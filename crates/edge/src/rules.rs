//! A list of rules, parsed and ready to be compiled.

use std::{fmt, sync::Arc};

use self_cell::self_cell;
use serde::Deserialize;
use wirefilter::{FilterAst, Scheme};

use crate::{
    field::{Fields, Part},
    tree::Node,
};

/// The maximum length of an expression, in bytes, as in Cloudflare's rules.
pub const MAX_EXPRESSION: usize = 4096;
/// The maximum number of parentheses and negations in an expression. The engine parses them
/// recursively.
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
    /// The engine cannot parse the expression.
    Syntax {
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1.
        column: usize,
        /// The engine's message.
        message: String,
    },
    /// The engine accepts something that this version of pqseal does not know.
    Unknown,
}

/// A list of rules that the engine accepts. Threads can share it.
pub struct Rules(Parsed);

self_cell!(
    struct Parsed {
        owner: Source,

        #[covariant]
        dependent: Syntax,
    }
);

/// The data that the engine's syntax trees borrow, and data that belongs with it.
struct Source {
    rules: Vec<Arc<Rule>>,
    fields: Fields,
    scheme: Scheme,
}

/// The syntax trees.
struct Syntax<'s> {
    asts: Vec<FilterAst<'s>>,
    nodes: Vec<Node>,
    /// One entry per field, set if a tree reads the field.
    is_used: Vec<bool>,
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
        let mut scheme = Scheme::with_capacity(fields.all.len());
        for field in &fields.all {
            let added = scheme.add_field(field.name.clone(), field.kind.of_engine());
            added.expect("no name is there twice");
        }
        let source = Source {
            rules: rules.into_iter().map(Arc::new).collect(),
            fields,
            scheme,
        };
        Parsed::try_new(source, |source| Syntax::new(source)).map(Self)
    }

    /// Reports whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.0.borrow_owner().rules.is_empty()
    }

    /// Returns the rules in order.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.0.borrow_owner().rules.iter().map(AsRef::as_ref)
    }

    /// Reports whether a rule reads the body of requests. If none does, the body need not be
    /// buffered.
    pub fn read_the_body(&self) -> bool {
        use crate::field::Kind::{BodySize, IsBodyTruncated, Text};

        let is_of_body = |kind| {
            let body = Part::Body;
            matches!(kind, BodySize | IsBodyTruncated)
                || matches!(kind, Text { part, .. } if part == body)
        };
        let mut fields = self.fields().all.iter().zip(self.is_used());
        fields.any(|(field, is_used)| *is_used && is_of_body(field.kind))
    }

    pub(crate) fn rule(&self, index: usize) -> &Arc<Rule> {
        &self.0.borrow_owner().rules[index]
    }

    pub(crate) fn fields(&self) -> &Fields {
        &self.0.borrow_owner().fields
    }

    pub(crate) fn scheme(&self) -> &Scheme {
        &self.0.borrow_owner().scheme
    }

    pub(crate) fn asts(&self) -> &[FilterAst<'_>] {
        &self.0.borrow_dependent().asts
    }

    pub(crate) fn node(&self, index: usize) -> &Node {
        &self.0.borrow_dependent().nodes[index]
    }

    pub(crate) fn is_used(&self) -> &[bool] {
        &self.0.borrow_dependent().is_used
    }
}

impl<'s> Syntax<'s> {
    fn new(source: &'s Source) -> Result<Self, RuleError> {
        let (mut asts, mut nodes) = (Vec::new(), Vec::new());
        for rule in &source.rules {
            let ast = source.scheme.parse(&rule.expression);
            let ast = ast.map_err(|error| rule.error(syntax(&error.to_string())))?;
            let node = Node::of(&ast, &source.fields);
            nodes.push(node.ok_or_else(|| rule.error(Problem::Unknown))?);
            asts.push(ast);
        }
        let names = source.fields.all.iter().map(|field| field.name.as_str());
        let is_used = |name| asts.iter().any(|ast| ast.uses(name) == Ok(true));
        Ok(Self {
            is_used: names.map(is_used).collect(),
            asts,
            nodes,
        })
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

/// Parses the engine's report, which consists of `Filter parsing error (LINE:COLUMN):`, that line,
/// and `^` under the position, followed by the message.
fn syntax(report: &str) -> Problem {
    let place = report
        .split_once('(')
        .and_then(|(_, rest)| rest.split_once(')'));
    let place = place.and_then(|(place, _)| place.split_once(':'));
    let number = |text: &str| text.parse().unwrap_or(1);
    let (line, column) = place.map_or((1, 1), |(line, column)| (number(line), number(column)));
    let last = report.trim_end().lines().last().unwrap_or_default();
    Problem::Syntax {
        line,
        column,
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
                "the engine has a comparison that this version of pqseal does not know; update pqseal",
            ),
        }
    }
}

impl std::error::Error for RuleError {}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
