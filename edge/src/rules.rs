//! A list of rules, parsed and ready to be compiled.

use std::{fmt, sync::Arc};

use self_cell::self_cell;
use serde::Deserialize;
use wirefilter::{FilterAst, Scheme};

use crate::{
    field::{Fields, Part},
    tree::Node,
};

/// The longest expression, in bytes, as in Cloudflare's rules.
pub const MAX_EXPRESSION: usize = 4096;
/// The most parentheses and negations of an expression. The engine takes them by recursion.
pub const MAX_NESTING: usize = 256;

/// A rule, as a file has it.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Rule {
    /// What events call it: `RuleID`.
    pub id: String,
    /// For people.
    #[serde(default)]
    pub description: String,
    /// What happens to a request that it matches.
    #[serde(default)]
    pub action: Action,
    /// What it matches, in the language of `wirefilter-engine`.
    pub expression: String,
}

/// What happens to a request that a rule matches. Both write an event.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// The next rules are asked, and the request is forwarded.
    #[default]
    Log,
    /// It is answered with 403, and no further rule is asked.
    Block,
}

/// Why a rule is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    /// The `id` of the rule.
    pub rule: String,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The `id` is empty.
    NoId,
    /// An earlier rule has this `id`.
    IdTwice,
    /// The expression has more than [`MAX_EXPRESSION`] bytes: this many.
    TooLong(usize),
    /// The expression has more than [`MAX_NESTING`] parentheses and negations.
    TooDeep,
    /// The engine cannot parse the expression.
    Syntax {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// What the engine says.
        message: String,
    },
    /// The engine parses something that this version of pqseal does not know.
    Unknown,
}

/// A list of rules that the engine understands. Threads share it.
pub struct Rules(Parsed);

self_cell!(
    struct Parsed {
        owner: Source,

        #[covariant]
        dependent: Syntax,
    }
);

/// What the engine's syntax trees borrow from, and what belongs to them.
struct Source {
    rules: Vec<Arc<Rule>>,
    fields: Fields,
    scheme: Scheme,
}

/// The syntax trees.
struct Syntax<'s> {
    asts: Vec<FilterAst<'s>>,
    nodes: Vec<Node>,
    /// Which fields they name.
    is_used: Vec<bool>,
}

impl Rules {
    /// Parses the expressions.
    ///
    /// # Errors
    /// [`RuleError`] for the first rule that cannot be used.
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

    /// Whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.0.borrow_owner().rules.is_empty()
    }

    /// The rules, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.0.borrow_owner().rules.iter().map(AsRef::as_ref)
    }

    /// Whether a rule reads the body of requests; if not, it need not be kept.
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
    // More than there are, since some are in strings.
    let nesting = text.matches(['(', '!']).count() + text.matches("not").count();
    match () {
        () if rule.id.is_empty() => Err(Problem::NoId),
        () if before.iter().any(|other| other.id == rule.id) => Err(Problem::IdTwice),
        () if text.len() > MAX_EXPRESSION => Err(Problem::TooLong(text.len())),
        () if nesting > MAX_NESTING => Err(Problem::TooDeep),
        () => Ok(()),
    }
}

/// The engine's report: `Filter parsing error (LINE:COLUMN):`, that line, and `^` under the place with
/// what is wrong there.
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
