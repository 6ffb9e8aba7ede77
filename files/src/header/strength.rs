//! Whether a header withstands a quantum computer, as far as that shows without a key.

use super::{Header, reserve};
use crate::{Stanza, kinds};

impl Header {
    /// Whether no recipient is classical: one is enough for a quantum computer. `None` if a kind of
    /// recipient is unknown here. Stanzas that only make room or noise do not count.
    pub fn post_quantum(&self) -> Option<bool> {
        let stanzas = self.stanzas.iter().filter(|stanza| !is_filler(stanza));
        kinds::all_post_quantum(stanzas.map(kinds::stanza_is_post_quantum))
    }
}

fn is_filler(stanza: &Stanza) -> bool {
    stanza.kind == reserve::KIND || stanza.kind.ends_with("-grease") || stanza.kind == "grease"
}
