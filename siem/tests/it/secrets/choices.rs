//! Decisions that a case is made by, and the secrets that are planted in it.

/// Decisions, taken from bytes. After the last byte each one is the first of its kind, which is the
/// plain one.
pub(super) struct Choices<'a> {
    bytes: &'a [u8],
    pub(super) secrets: Vec<String>,
    /// Whether nothing is in the case that cannot be sealed.
    pub(super) is_clean: bool,
}

impl<'a> Choices<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            secrets: Vec::new(),
            is_clean: true,
        }
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        let (first, rest) = self.bytes.split_first().unwrap_or((&0, &[]));
        self.bytes = rest;
        usize::from(*first) % end
    }

    pub(super) fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// True one time in `of`.
    pub(super) fn chance(&mut self, of: usize) -> bool {
        self.below(of) == of - 1
    }

    /// The same for what cannot be sealed.
    pub(super) fn fault(&mut self, of: usize) -> bool {
        let is = self.chance(of);
        self.is_clean &= !is;
        is
    }

    /// A new secret, whose letters need no escapes.
    pub(super) fn secret(&mut self) -> String {
        let secret = format!("S{:03}ECRET", self.secrets.len());
        self.secrets.push(secret.clone());
        secret
    }

    /// The same as a number.
    pub(super) fn number(&mut self) -> String {
        let secret = format!("7{:03}190263", self.secrets.len());
        self.secrets.push(secret.clone());
        secret
    }

    /// What need not be sealed.
    pub(super) fn word(&mut self) -> &'static str {
        self.one_of(&["x", "some words", "12", "é", ""])
    }
}

/// A text with its escapes undone, as far as they are of JSON and ASCII, in documents within a document,
/// too: a secret could be in it with them.
pub(super) fn as_text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace("\\\\u00", "\\u00");
    let mut parts = text.split("\\u00");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part
            .get(..2)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match code {
            Some(code) => {
                out.push(char::from(code));
                out += &part[2..];
            }
            None => out += part,
        }
    }
    out
}
