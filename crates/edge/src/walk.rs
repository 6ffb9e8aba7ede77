//! The evaluation of a rule: `and` stops at the first operand that is false, `or` at the first that
//! is true, `xor` evaluates all operands, and `not` its only one.

use std::ops::Range;

use crate::{
    request::Value,
    tree::{Node, Operator},
};

/// A field that was read, with the matches in it.
#[derive(Debug)]
pub(crate) struct Read {
    /// The field's number.
    pub(crate) field: usize,
    /// The ranges of the matches in the text that the rule sees.
    pub(crate) found: Vec<Range<usize>>,
}

/// An evaluation of rules on the values of a request.
pub(crate) struct Walk<'v, 'a> {
    values: &'v [Option<Value<'a>>],
    reads: Vec<Read>,
}

impl<'v, 'a> Walk<'v, 'a> {
    pub(crate) const fn new(values: &'v [Option<Value<'a>>]) -> Self {
        let reads = Vec::new();
        Self { values, reads }
    }

    /// Evaluates a rule. Returns its reads in order if it matches.
    pub(crate) fn matches(&mut self, rule: &Node) -> Option<&[Read]> {
        self.reads.clear();
        self.node(rule).then_some(&self.reads)
    }

    fn node(&mut self, node: &Node) -> bool {
        match node {
            Node::Field(field, test) => {
                // All fields that the rules name have a value.
                let Some(value) = self.values.get(*field).and_then(Option::as_ref) else {
                    return false;
                };
                let found = test.of(value);
                self.read(*field).found.extend(found.at);
                found.is_true
            }
            Node::Not(node) => !self.node(node),
            Node::Combined(Operator::And, nodes) => nodes.iter().all(|node| self.node(node)),
            Node::Combined(Operator::Or, nodes) => nodes.iter().any(|node| self.node(node)),
            Node::Combined(Operator::Xor, nodes) => nodes
                .iter()
                .fold(false, |is_odd, node| is_odd ^ self.node(node)),
        }
    }

    fn read(&mut self, field: usize) -> &mut Read {
        let known = self.reads.iter().position(|read| read.field == field);
        let at = known.unwrap_or_else(|| {
            let found = Vec::new();
            self.reads.push(Read { field, found });
            self.reads.len() - 1
        });
        &mut self.reads[at]
    }
}
