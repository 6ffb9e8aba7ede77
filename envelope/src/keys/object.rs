//! A JSON object by its members: names, and values as the text that they have in it.
//!
//! Serde's own readers bring its messages on a number in place of a string, and with them the tables by
//! which numbers are printed: a tenth of the WebAssembly module `core`, for messages that are
//! replaced here. So serde only says where each value ends, and that all of it is JSON. Nothing is
//! copied: values may be secret.

use serde::de::IgnoredAny;
use zeroize::Zeroizing;

use super::secret_text::SecretText;

/// The members in their order: the text of each name, and of its value.
pub(super) struct Object<'a>(Vec<(SecretText, &'a str)>);

impl<'a> Object<'a> {
    /// `None` if the text is not a JSON object.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let mut rest = inside(text, '{', '}')?;
        let mut members = Vec::new();
        while !rest.is_empty() {
            let (name, after) = value(rest)?;
            let (json, after) = value(after.strip_prefix(':')?)?;
            // With its quotes a name is not one that is asked for.
            let other = || SecretText::new(Zeroizing::new(name.to_owned()));
            members.push((SecretText::parse(name).unwrap_or_else(other), json));
            rest = next(after)?;
        }
        Some(Self(members))
    }

    /// Whether a name is given twice. Parsers disagree on which of the two values counts.
    pub(super) fn has_repeated_name(&self) -> bool {
        let mut names: Vec<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// The string of that name, empty if the object lacks it. `None` if its value is not a string or
    /// is empty, so that an empty secret does not count as not given, if the name occurs twice, or if
    /// the string escapes characters beyond ASCII, which no key has.
    pub(super) fn secret(&self, name: &str) -> Option<SecretText> {
        let text = self.string(name)?;
        (!text.is_empty() || !self.has(name)).then_some(text)
    }

    /// As [`Self::secret`], of a member that is not secret and may be an empty string.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.string(name).map(|text| text.as_str().to_owned())
    }

    fn string(&self, name: &str) -> Option<SecretText> {
        let mut found = self.0.iter().filter(|(found, _)| found.as_str() == name);
        match (found.next(), found.next()) {
            (None, _) => Some(SecretText::default()),
            (Some((_, json)), None) => SecretText::parse(json),
            _ => None,
        }
    }

    /// As [`Self::text`], of a member that may be null too: then it is empty.
    pub(super) fn text_or_null(&self, name: &str) -> Option<String> {
        match self.json(name) {
            Some("null") => Some(String::new()),
            _ => self.text(name),
        }
    }

    /// The strings of the array of that name, none if there is no such member. `None` if it is
    /// another value.
    pub(super) fn texts(&self, name: &str) -> Option<Vec<String>> {
        let Some(json) = self.json(name) else {
            return Some(Vec::new());
        };
        let mut rest = inside(json, '[', ']')?;
        let mut texts = Vec::new();
        while !rest.is_empty() {
            let (json, after) = value(rest)?;
            texts.push(SecretText::parse(json)?.as_str().to_owned());
            rest = next(after)?;
        }
        Some(texts)
    }

    /// Returns whether there is a member of that name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.json(name).is_some()
    }

    fn json(&self, name: &str) -> Option<&'a str> {
        let found = self.0.iter().find(|(found, _)| found.as_str() == name);
        found.map(|(_, json)| *json)
    }
}

/// What is between the brackets of a text that is JSON as a whole, without the white space around it.
fn inside(text: &str, open: char, close: char) -> Option<&str> {
    serde_json::from_str::<IgnoredAny>(text).ok()?;
    let inside = text.trim_ascii().strip_prefix(open)?.strip_suffix(close)?;
    Some(inside.trim_ascii())
}

/// The value that the text begins with, and what follows it, both without white space around them.
fn value(text: &str) -> Option<(&str, &str)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    let (value, after) = text.split_at_checked(values.byte_offset())?;
    Some((value.trim_ascii(), after.trim_ascii()))
}

/// What follows the comma; empty after the last value.
fn next(after: &str) -> Option<&str> {
    if after.is_empty() {
        return Some(after);
    }
    after.strip_prefix(',').map(str::trim_ascii)
}
