//! RSA and AES-GCM by AWS-LC, and the keys that were unwrapped.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey},
    rand,
    rsa::{OAEP_SHA256_MGF1SHA256, OaepPrivateDecryptingKey, PrivateDecryptingKey},
};
use pqseal_keys::{KeyError, RsaPrivateKey};
use zeroize::Zeroizing;

use super::{AiGatewayObject, KEY};
use crate::Error;

/// The maximum number of unwrapped keys that are kept. When it is exceeded, all are dropped.
const MAX_CACHED: usize = 1024;

/// Unwrapped keys by their wrapped bytes. OAEP is randomized, so equal bytes are the same wrapping.
type Cache = HashMap<Box<[u8]>, Arc<Unwrapped>>;

/// RSA keys, and the keys that they unwrapped.
#[derive(Default)]
pub(crate) struct RsaOpener {
    /// The keys, each with its index among all keys.
    keys: Vec<(usize, OaepPrivateDecryptingKey)>,
    unwrapped: Mutex<Cache>,
}

/// An unwrapped key, which AWS-LC wipes on drop.
struct Unwrapped {
    /// The index of the key among all; 0 for the random key that replaces one that does not unwrap.
    place: usize,
    cipher: LessSafeKey,
}

impl RsaOpener {
    /// Adds a key, whose index among all keys is `place`.
    pub(crate) fn add(&mut self, place: usize, key: &RsaPrivateKey) -> Result<(), KeyError> {
        let key = PrivateDecryptingKey::from_pkcs8(key.pkcs8()).ok();
        let key = key.and_then(|key| OaepPrivateDecryptingKey::new(key).ok());
        let key = key.ok_or(KeyError::Text(
            "it is an RSA key whose integers do not belong together",
        ))?;
        self.keys.push((place, key));
        Ok(())
    }

    /// Returns the indices of the keys.
    pub(crate) fn places(&self) -> impl Iterator<Item = usize> {
        self.keys.iter().map(|(place, _)| *place)
    }

    /// Opens an object. Returns the index of the key, and the plaintext.
    ///
    /// A failure of unwrapping and one of the tag give the same error. With one RSA key of the
    /// object's size they also take the same work; with several, a key that unwraps ends the search.
    pub(crate) fn open(&self, object: AiGatewayObject) -> Result<(usize, Vec<u8>), Error> {
        let wrapped = &object.key[..];
        if self.keys.is_empty() {
            return Err(Error::NoRsaKey);
        }
        if (self.keys.iter()).all(|(_, key)| key.key_size_bytes() != wrapped.len()) {
            return Err(Error::WrappedKey(wrapped.len()));
        }
        let known = self.cache(|cache| cache.get(wrapped).cloned());
        let unwrapped = match known {
            Some(known) => known,
            None => {
                let unwrapped = Arc::new(self.unwrap_new(wrapped)?);
                self.keep(wrapped, &unwrapped);
                unwrapped
            }
        };
        let mut data = object.data;
        let nonce = Nonce::assume_unique_for_key(object.iv);
        let opened = unwrapped
            .cipher
            .open_in_place(nonce, Aad::empty(), &mut data);
        let len = opened.map_err(|_| Error::NoKeyOpens)?.len();
        data.truncate(len);
        Ok((unwrapped.place, data))
    }

    fn keep(&self, wrapped: &[u8], unwrapped: &Arc<Unwrapped>) {
        self.cache(|cache| {
            if cache.len() >= MAX_CACHED {
                cache.clear();
            }
            cache.insert(wrapped.into(), Arc::clone(unwrapped));
        });
    }

    /// Tries the keys of the right size in turn. If none unwraps, a random key is used, under which
    /// the tag fails.
    fn unwrap_new(&self, wrapped: &[u8]) -> Result<Unwrapped, Error> {
        let mut key = Zeroizing::new([0; KEY]);
        rand::fill(&mut *key).map_err(|_| Error::Rng)?;
        let mut place = 0;
        for (number, rsa) in &self.keys {
            if rsa.key_size_bytes() != wrapped.len() {
                continue;
            }
            let mut out = Zeroizing::new(vec![0; rsa.min_output_size()]);
            let opened = rsa.decrypt(&OAEP_SHA256_MGF1SHA256, wrapped, &mut out, None);
            if let Ok(opened) = opened
                && let Ok(opened) = <&[u8; KEY]>::try_from(&*opened)
            {
                *key = *opened;
                place = *number;
                break;
            }
        }
        let cipher = UnboundKey::new(&AES_256_GCM, &*key).map_err(|_| Error::Rng)?;
        let cipher = LessSafeKey::new(cipher);
        Ok(Unwrapped { place, cipher })
    }

    fn cache<T>(&self, with: impl FnOnce(&mut Cache) -> T) -> T {
        with(
            &mut self
                .unwrapped
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_1024_keys_are_kept() {
        let opener = RsaOpener::default();
        for number in 0..3000_u32 {
            let cipher = UnboundKey::new(&AES_256_GCM, &[0; KEY]).unwrap();
            let unwrapped = Unwrapped {
                place: 0,
                cipher: LessSafeKey::new(cipher),
            };
            opener.keep(&number.to_be_bytes(), &Arc::new(unwrapped));
            let kept = opener.cache(|cache| cache.len());
            assert!((1..=MAX_CACHED).contains(&kept), "{kept}");
        }
    }
}
