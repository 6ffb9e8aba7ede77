//! Secret bytes: wiped on drop, never printed, compared in constant time.

use alloc::vec::Vec;
use core::fmt;

use subtle::ConstantTimeEq;
use zeroize::{Zeroize, optimization_barrier};

use crate::Error;

/// Bytes that must not outlive their owner. `B` holds them: an array, a `Vec`, or a [`Short`].
///
/// There is no `Clone`, and `Debug` shows only the length.
pub struct Secret<B: Zeroize + AsRef<[u8]> = Vec<u8>>(B);

/// An inline buffer for every secret of the key schedule. The longest is P-521's Diffie-Hellman
/// value, 66 bytes.
pub struct Short {
    bytes: [u8; ROOM],
    len: u8,
}

/// The longest secret, in bytes.
const MAX: usize = 66;
/// The size of that buffer in bytes. With its length it has 72, which leave no gap in a context.
const ROOM: usize = 71;

/// The KEM's output to the key schedule (RFC 9180, section 4): Nsecret bytes, at most 66.
pub type SharedSecret = Secret<Short>;

impl<B: Zeroize + AsRef<[u8]>> Secret<B> {
    /// Takes ownership of the bytes. The caller must not keep copies.
    pub const fn new(bytes: B) -> Self {
        Self(bytes)
    }

    /// Returns the buffer. A copy of it is no longer wiped.
    pub const fn bytes(&self) -> &B {
        &self.0
    }
}

impl Secret<Short> {
    /// Makes a secret of `len` zero bytes, to be written through `as_mut`.
    ///
    /// # Panics
    /// If `len` is over 66: lengths come from algorithm tables, never from input.
    pub fn zeros(len: usize) -> Self {
        let short = u8::try_from(len).ok().filter(|_| len <= MAX);
        // All of the buffer is written: a move copies all of it, including stale stack bytes.
        Self(Short {
            bytes: [0; ROOM],
            len: short.unwrap_or_else(|| panic!("a secret of {len} bytes")),
        })
    }

    /// Copies `bytes`, at most 66 of them.
    ///
    /// # Panics
    /// If there are more: lengths come from algorithm tables, never from input.
    pub fn from_slice(bytes: &[u8]) -> Self {
        let mut secret = Self::zeros(bytes.len());
        secret.as_mut().copy_from_slice(bytes);
        secret
    }
}

impl AsRef<[u8]> for Short {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl AsMut<[u8]> for Short {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[..usize::from(self.len)]
    }
}

impl Zeroize for Short {
    /// Wipes all of the buffer at once. Array and slice would be written byte by byte, eight times
    /// per message.
    fn zeroize(&mut self) {
        (self.bytes, self.len) = ([0; ROOM], 0);
        optimization_barrier(&*self);
    }
}

/// Overwrites a buffer with zeros, including its spare capacity.
///
/// For large plaintexts. `Vec::zeroize` writes byte by byte, which for 1 MiB takes half as long as
/// decrypting it.
pub fn wipe(buffer: &mut Vec<u8>) {
    let capacity = buffer.capacity();
    buffer.clear();
    buffer.resize(capacity, 0);
    optimization_barrier(buffer.as_slice());
}

/// The results of a batch, in order: a shared secret or an error for each encapsulated key.
///
/// All of their memory is wiped on drop. They can only be borrowed: a secret that is moved out of a
/// list leaves its bytes there.
///
/// ```compile_fail,E0507
/// # fn consumed(secrets: pqseal_hpke::SharedSecrets) {
/// let secrets: Vec<_> = (*secrets).into_iter().map(|secret| *secret).collect();
/// # }
/// ```
#[derive(Debug)]
pub struct SharedSecrets(Vec<Result<SharedSecret, Error>>);

impl FromIterator<Result<SharedSecret, Error>> for SharedSecrets {
    /// Collects the results. The iterator must report its exact length: a list that grows leaves
    /// its old memory behind.
    fn from_iter<I: IntoIterator<Item = Result<SharedSecret, Error>>>(results: I) -> Self {
        Self(results.into_iter().collect())
    }
}

impl SharedSecrets {
    /// Checks that there is no error.
    ///
    /// # Errors
    /// The first, if there is one.
    pub fn all(&self) -> Result<(), Error> {
        let first = self.iter().find_map(|result| result.as_ref().err());
        first.map_or(Ok(()), |error| Err(*error))
    }
}

impl core::ops::Deref for SharedSecrets {
    type Target = [Result<SharedSecret, Error>];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Drop for SharedSecrets {
    fn drop(&mut self) {
        // The memory of an error may hold bytes of an earlier secret, which were moved along with
        // it. A secret in its place wipes all of it.
        (self.0.iter_mut()).for_each(|result| *result = Ok(SharedSecret::zeros(0)));
    }
}

impl Secret<Vec<u8>> {
    /// Copies `bytes` to the heap.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }
}

impl<B: Zeroize + AsRef<[u8]>> AsRef<[u8]> for Secret<B> {
    fn as_ref(&self) -> &[u8] {
        self.0.as_ref()
    }
}

impl<B: Zeroize + AsRef<[u8]> + AsMut<[u8]>> AsMut<[u8]> for Secret<B> {
    fn as_mut(&mut self) -> &mut [u8] {
        self.0.as_mut()
    }
}

impl<B: Zeroize + AsRef<[u8]>> PartialEq for Secret<B> {
    fn eq(&self, other: &Self) -> bool {
        self.as_ref().ct_eq(other.as_ref()).into()
    }
}

impl<B: Zeroize + AsRef<[u8]>> Eq for Secret<B> {}

impl<B: Zeroize + AsRef<[u8]>> Drop for Secret<B> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<B: Zeroize + AsRef<[u8]>> fmt::Debug for Secret<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({} bytes)", self.as_ref().len())
    }
}
