//! The strength of a header against a quantum computer, as far as it is visible without a key.

use super::{Header, reserve};
use crate::{Stanza, kinds};

impl Header {
    /// Reports whether no recipient is classical, since a quantum computer needs to break only one.
    /// `None` if a kind of recipient is unknown. Padding and grease stanzas do not count.
    pub fn post_quantum(&self) -> Option<bool> {
        let stanzas = self.stanzas.iter().filter(|stanza| !is_filler(stanza));
        kinds::all_post_quantum(stanzas.map(kinds::stanza_is_post_quantum))
    }
}

fn is_filler(stanza: &Stanza) -> bool {
    stanza.kind == reserve::KIND || stanza.kind.ends_with("-grease") || stanza.kind == "grease"
}
