//! The opener of messages of any format: the allowed algorithms, the keys and the pre-shared keys.

use pqseal_hpke::{Mode, Psk};

use crate::{Algorithm, Error, PrivateKey};

/// An opener of messages: the allowed algorithms, and the keys. Use it as `jwe::Opener` or
/// `cose::Opener`; `O` holds the options of one format.
///
/// The names in a message are looked up only among these. So `alg`, `kid` and `psk_id` of a message
/// cannot make it use a key in a way that its owner did not choose.
#[derive(Clone, Debug)]
pub struct Opener<'a, O> {
    allowed: &'a [Algorithm],
    keys: Vec<&'a PrivateKey>,
    psks: Vec<(&'a [u8], &'a [u8])>,
    require_psk: bool,
    pub(crate) info: &'a [u8],
    pub(crate) options: O,
}

impl<'a, O: Default> Opener<'a, O> {
    /// Creates an opener of messages of only these algorithms.
    #[must_use]
    pub fn new(allowed: &'a [Algorithm]) -> Self {
        Self {
            allowed,
            keys: Vec::new(),
            psks: Vec::new(),
            require_psk: false,
            info: b"",
            options: O::default(),
        }
    }
}

impl<'a, O> Opener<'a, O> {
    /// Adds a private key to open with. Several may be added.
    #[must_use]
    pub fn key(mut self, key: &'a PrivateKey) -> Self {
        self.keys.push(key);
        self
    }

    /// Adds a pre-shared key that messages may name. Several may be added.
    #[must_use]
    pub fn psk(mut self, psk_id: &'a [u8], psk: &'a [u8]) -> Self {
        self.psks.push((psk_id, psk));
        self
    }

    /// Refuses messages that were sealed without a pre-shared key.
    #[must_use]
    pub const fn require_psk(mut self) -> Self {
        self.require_psk = true;
        self
    }

    /// Sets the information that `Recipient::info` was given.
    #[must_use]
    pub const fn info(mut self, info: &'a [u8]) -> Self {
        self.info = info;
        self
    }

    /// Finds the allowed algorithm for which `is` returns true.
    pub(crate) fn allowed(&self, is: impl Fn(&Algorithm) -> bool) -> Option<Algorithm> {
        self.allowed.iter().copied().find(is)
    }

    /// Checks that a message with this `psk_id`, or without one, may be opened.
    pub(crate) const fn check_psk(&self, psk_id: Option<&[u8]>) -> Result<(), Error> {
        match psk_id {
            None if self.require_psk => Err(Error::PskRequired),
            _ => Ok(()),
        }
    }

    /// Returns mode_psk with the key of that id, or mode_base.
    pub(crate) fn mode<K>(&self, psk_id: Option<&[u8]>) -> Result<Mode<'a, K>, Error> {
        let Some(psk_id) = psk_id else {
            return Ok(Mode::Base);
        };
        let known = self.psks.iter().find(|(id, _)| *id == psk_id);
        let (id, psk) = *known.ok_or(Error::UnknownPsk)?;
        Ok(Mode::Psk(Psk::new(psk, id)?))
    }

    /// Calls `open` with each key that may be the one of `kid` and `alg`, in order, until one
    /// opens. Returns the index of that key, from 0, and its result.
    pub(crate) fn first_key<T>(
        &self,
        alg: Algorithm,
        kid: Option<&[u8]>,
        open: impl Fn(&PrivateKey) -> Result<T, Error>,
    ) -> Result<(usize, T), Error> {
        let mut error = Error::NoKey;
        for (number, key) in self.keys.iter().enumerate() {
            let result = match (key.may_be(kid), key.check(alg)) {
                (true, Ok(())) => open(key),
                (true, Err(error)) if key.key().kem().id == alg.suite_id().kem => Err(error),
                _ => continue,
            };
            match result {
                Ok(opened) => return Ok((number, opened)),
                Err(why) => error = more_telling(Some(error), why),
            }
        }
        Err(error)
    }
}

/// Calls `open` with each recipient of a message, in order, until one opens. Stops at an error that
/// the message is malformed or refused.
pub(crate) fn first_recipient<'p, P, T>(
    recipients: &'p [P],
    open: impl Fn(usize, &'p P) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut first_error = None;
    for (index, recipient) in recipients.iter().enumerate() {
        match open(index, recipient) {
            Ok(opened) => return Ok(opened),
            Err(error @ (Error::Malformed(_) | Error::Refused(_))) => return Err(error),
            Err(error) => first_error = Some(more_telling(first_error, error)),
        }
    }
    Err(first_error.unwrap_or(Error::NoKey))
}

/// Returns the more informative of the errors of two recipients, or two keys: that a key was tried,
/// then that a key is for another algorithm, then that no key fits.
fn more_telling(first: Option<Error>, second: Error) -> Error {
    match first {
        Some(first) if rank(&first) >= rank(&second) => first,
        _ => second,
    }
}

const fn rank(error: &Error) -> u8 {
    match error {
        Error::AlgorithmNotAllowed(_) => 0,
        Error::NoKey => 1,
        Error::KeyAlgorithm(_) => 2,
        _ => 3,
    }
}
