//! The plaintext of a message.

use std::{fmt, ops::Deref};

/// A plaintext. Wiped on drop, and not shown by `Debug`.
pub struct Plaintext(Vec<u8>);

impl Plaintext {
    pub(crate) const fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Appends another plaintext, which is then wiped.
    #[cfg(feature = "ohttp")]
    pub(crate) fn append(&mut self, other: Self) {
        match self.0.capacity() - self.0.len() < other.len() {
            // A growing `Vec` would leave a copy behind; this does not.
            true => *self = Self([&self[..], &other].concat()),
            false => self.0.extend_from_slice(&other),
        }
    }

    /// Returns the bytes, which the caller must then wipe.
    #[must_use]
    pub fn into_vec(mut self) -> Vec<u8> {
        std::mem::take(&mut self.0)
    }
}

impl Deref for Plaintext {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.0
    }
}

impl AsRef<[u8]> for Plaintext {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl<T: AsRef<[u8]> + ?Sized> PartialEq<T> for Plaintext {
    fn eq(&self, other: &T) -> bool {
        self.0 == other.as_ref()
    }
}

impl Drop for Plaintext {
    fn drop(&mut self) {
        pqseal_hpke::wipe(&mut self.0);
    }
}

impl fmt::Debug for Plaintext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Plaintext({} bytes)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_does_not_show_it_and_into_vec_gives_it() {
        let plaintext = Plaintext::new(b"secret".to_vec());
        assert_eq!(format!("{plaintext:?}"), "Plaintext(6 bytes)");
        assert_eq!(plaintext, "secret");
        assert_eq!(plaintext.into_vec(), b"secret");
    }

    #[cfg(feature = "ohttp")]
    #[test]
    fn append_within_the_capacity_and_beyond() {
        let mut plaintext = Plaintext::new(Vec::with_capacity(5));
        for part in ["one", "", "two", "three"] {
            plaintext.append(Plaintext::new(part.into()));
        }
        assert_eq!(plaintext, "onetwothree");
    }
}
