//! The decisions that produce a case, and the secrets that are planted in it.

/// Decisions, taken from bytes. After the last byte, each decision is the first of its kind, which
/// is the plain one.
pub(super) struct Choices<'a> {
    bytes: &'a [u8],
    pub(super) secrets: Vec<String>,
    /// Set if everything in the case can be sealed.
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

    /// Chooses a number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        let (first, rest) = self.bytes.split_first().unwrap_or((&0, &[]));
        self.bytes = rest;
        usize::from(*first) % end
    }

    pub(super) fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// Returns `true` one time in `of`.
    pub(super) fn chance(&mut self, of: usize) -> bool {
        self.below(of) == of - 1
    }

    /// Returns `true` one time in `of`, for a fault that prevents sealing.
    pub(super) fn fault(&mut self, of: usize) -> bool {
        let is = self.chance(of);
        self.is_clean &= !is;
        is
    }

    /// Creates a secret, whose letters need no escapes.
    pub(super) fn secret(&mut self) -> String {
        let secret = format!("S{:03}ECRET", self.secrets.len());
        self.secrets.push(secret.clone());
        secret
    }

    /// Creates a secret that is a number.
    pub(super) fn number(&mut self) -> String {
        let secret = format!("7{:03}190263", self.secrets.len());
        self.secrets.push(secret.clone());
        secret
    }

    /// Returns a word that need not be sealed.
    pub(super) fn word(&mut self) -> &'static str {
        self.one_of(&["x", "some words", "12", "é", ""])
    }
}

/// Undoes the JSON escapes of ASCII in a text and in nested documents, since a secret could be in
/// it with escapes.
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
