//! The syntax tree of a rule, read from the JSON that the parser writes, since it offers no other
//! access to it.

use serde_json::Value as Json;
use wirefilter::FilterAst;

use crate::{field::Fields, test::Test};

/// A node of the tree.
#[derive(Debug)]
pub(crate) enum Node {
    /// A field, by its number, and its comparison.
    Field(usize, Test),
    Not(Box<Node>),
    Combined(Operator, Vec<Node>),
}

/// An operator that combines nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    And,
    Or,
    Xor,
}

impl Node {
    /// Returns the tree of a rule, or `None` for unknown JSON, which no allowed version of the
    /// parser writes.
    pub(crate) fn of(ast: &FilterAst<'_>, fields: &Fields) -> Option<Self> {
        Self::read(&serde_json::to_value(ast).ok()?, fields)
    }

    fn read(json: &Json, fields: &Fields) -> Option<Self> {
        if let Some(items) = json.get("items") {
            let operator = match json.get("op")?.as_str()? {
                "And" => Operator::And,
                "Or" => Operator::Or,
                "Xor" => Operator::Xor,
                _ => return None,
            };
            let items = items.as_array()?.iter();
            let items = items
                .map(|item| Self::read(item, fields))
                .collect::<Option<_>>()?;
            return Some(Self::Combined(operator, items));
        }
        if let Some(argument) = json.get("arg") {
            let is_not = json.get("op")?.as_str()? == "Not";
            return is_not
                .then(|| Self::read(argument, fields))?
                .map(Box::new)
                .map(Self::Not);
        }
        let number = fields.number(json.get("field")?.as_str()?)?;
        let test = Test::read(json, fields.all[number].kind.value_type())?;
        Some(Self::Field(number, test))
    }
}
