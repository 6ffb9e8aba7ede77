//! A JSON object as its members: names, and values as raw JSON text.
//!
//! Serde's own readers would add messages about wrong types, and tables for printing numbers: a
//! tenth of the WebAssembly module `core`, for messages that are replaced here. So serde only finds
//! the end of each value, and checks that it is JSON. Nothing is copied: values may be secret.

use serde::de::IgnoredAny;
use zeroize::Zeroizing;

use super::secret_text::SecretText;

/// The members in order: the text of each name, and of its value.
pub(super) struct Object<'a>(Vec<(SecretText, &'a str)>);

impl<'a> Object<'a> {
    /// Parses an object. Returns `None` if the text is not a JSON object.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let mut rest = inside(text, '{', '}')?;
        let mut members = Vec::new();
        while !rest.is_empty() {
            let (name, after) = value(rest)?;
            let (json, after) = value(after.strip_prefix(':')?)?;
            // A name that cannot be unescaped is kept with its quotes, so that it matches no
            // requested name.
            let other = || SecretText::new(Zeroizing::new(name.to_owned()));
            members.push((SecretText::parse(name).unwrap_or_else(other), json));
            rest = next(after)?;
        }
        Some(Self(members))
    }

    /// Reports whether a name occurs twice. Parsers disagree on which of the two values is valid.
    pub(super) fn has_repeated_name(&self) -> bool {
        let mut names: Vec<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// Returns the string of that name, empty if the object lacks it. Returns `None` if the value
    /// is not a string or is empty (an empty secret must not count as missing), if the name occurs
    /// twice, or if the string escapes characters beyond ASCII, which no key contains.
    pub(super) fn secret(&self, name: &str) -> Option<SecretText> {
        let text = self.string(name)?;
        (!text.is_empty() || !self.has(name)).then_some(text)
    }

    /// Returns the string like [`Self::secret`], for a member that is not secret and may be an
    /// empty string.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.string(name).map(|text| text.as_str().to_owned())
    }

    /// Returns the string of that name, with any characters, for a member that is not secret; or
    /// `Some(None)` if it is missing. Returns `None` if it is another value.
    pub(super) fn any_text(&self, name: &str) -> Option<Option<String>> {
        let text = self.json(name).map(serde_json::from_str);
        text.transpose().ok()
    }

    /// Returns the string of that name, empty if it is missing. A member that is null counts as
    /// missing, as in other readers.
    fn string(&self, name: &str) -> Option<SecretText> {
        let found = self.0.iter().filter(|(found, _)| found.as_str() == name);
        match (found.count(), self.json(name)) {
            (0 | 1, None) => Some(SecretText::default()),
            (1, Some(json)) => SecretText::parse(json),
            _ => None,
        }
    }

    /// Returns the values of the array of that name, or an empty list if there is no such member.
    /// Returns `None` if it is another value.
    pub(super) fn values(&self, name: &str) -> Option<Vec<&'a str>> {
        let Some(json) = self.json(name) else {
            return Some(Vec::new());
        };
        let mut rest = inside(json, '[', ']')?;
        let mut values = Vec::new();
        while !rest.is_empty() {
            let (json, after) = value(rest)?;
            values.push(json);
            rest = next(after)?;
        }
        Some(values)
    }

    /// Reports whether there is a member of that name that is not null.
    pub(super) fn has(&self, name: &str) -> bool {
        self.json(name).is_some()
    }

    fn json(&self, name: &str) -> Option<&'a str> {
        let found = self.0.iter().find(|(found, _)| found.as_str() == name);
        found.map(|(_, json)| *json).filter(|json| *json != "null")
    }
}

/// Returns the text between the brackets of valid JSON, without surrounding white space.
fn inside(text: &str, open: char, close: char) -> Option<&str> {
    serde_json::from_str::<IgnoredAny>(text).ok()?;
    let inside = text.trim_ascii().strip_prefix(open)?.strip_suffix(close)?;
    Some(inside.trim_ascii())
}

/// Splits off the value at the beginning of the text. Both parts are without surrounding white
/// space.
fn value(text: &str) -> Option<(&str, &str)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    let (value, after) = text.split_at_checked(values.byte_offset())?;
    Some((value.trim_ascii(), after.trim_ascii()))
}

/// Returns the text after the comma, or an empty text after the last value.
fn next(after: &str) -> Option<&str> {
    if after.is_empty() {
        return Some(after);
    }
    after.strip_prefix(',').map(str::trim_ascii)
}
