//! Many blobs at once: grouped by the key to try, so that each group is one call of
//! [`pqseal_hpke::Recipient::open_batch`].

use std::collections::HashMap;

use super::{KeyRing, OpenOptions, Opened};
use crate::{Blob, Error, Frame, Trailing};

/// One blob of a batch.
#[derive(Clone, Copy, Debug)]
pub struct SealedRecord<'a> {
    /// The blob.
    pub blob: Blob<'a>,
    /// The aad of this record (version 4), if it differs from [`OpenOptions::aad`].
    pub aad: Option<&'a [u8]>,
    /// The index of the key to try first (versions 1 to 3), such as the one that opened the last
    /// blob of the same origin.
    pub hint: Option<usize>,
}

/// The text of a blob of a batch, made of a reference to any text or bytes.
#[derive(Clone, Copy, Debug)]
pub struct SealedText<'a> {
    /// The base64, or the blob's bytes ([`Blob::decode_text_or_bytes`]).
    pub text: &'a [u8],
    /// The aad of this record (version 4), if it differs from [`OpenOptions::aad`].
    pub aad: Option<&'a [u8]>,
}

impl<'a, T: AsRef<[u8]> + ?Sized> From<&'a T> for SealedText<'a> {
    fn from(text: &'a T) -> Self {
        Self {
            text: text.as_ref(),
            aad: None,
        }
    }
}

impl<'a> From<Blob<'a>> for SealedRecord<'a> {
    /// Returns a record without an aad of its own and without a hint.
    fn from(blob: Blob<'a>) -> Self {
        Self {
            blob,
            aad: None,
            hint: None,
        }
    }
}

impl KeyRing {
    /// Opens many blobs as logs have them: decodes each text, parses it and opens it. Returns one
    /// answer per text, in order. Threads as in [`KeyRing::open_batch`].
    ///
    /// ```
    /// use pqseal_matched_data::{Error, KeyRing, OpenOptions};
    ///
    /// let mut ring = KeyRing::new();
    /// let key = include_str!("../../../../examples/matched-data/key.txt");
    /// ring.add(&pqseal_keys::read_private(key, None).expect("it holds an X25519 key"))?;
    /// let blob = include_str!("../../../../examples/matched-data/blob.txt");
    ///
    /// let answers = ring.open_texts([blob, "truncated"], &OpenOptions::default());
    /// assert_eq!(answers[0].as_ref().map(|opened| opened.plaintext.len()), Ok(78));
    /// assert_eq!(answers[1], Err(Error::Truncated));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn open_texts<'a>(
        &self,
        texts: impl IntoIterator<Item: Into<SealedText<'a>>>,
        options: &OpenOptions<'_>,
    ) -> Vec<Result<Opened, Error>> {
        let texts: Vec<SealedText<'a>> = texts.into_iter().map(Into::into).collect();
        let decoded: Vec<_> = (texts.iter())
            .map(|sealed| Blob::decode_text_or_bytes(sealed.text))
            .collect();
        let (mut sealed, mut errors) = (Vec::new(), Vec::with_capacity(texts.len()));
        for (text, bytes) in texts.iter().zip(&decoded) {
            let bytes = bytes.as_deref().map_err(Error::clone);
            match bytes.and_then(|bytes| Blob::parse(bytes, Trailing::Refuse)) {
                Ok(blob) => {
                    let aad = text.aad;
                    sealed.push(SealedRecord { aad, ..blob.into() });
                    errors.push(None);
                }
                Err(error) => errors.push(Some(error)),
            }
        }
        let mut opened = self.open_batch(&sealed, options).into_iter();
        (errors.into_iter())
            .map(|error| match error {
                Some(error) => Err(error),
                None => opened.next().expect("one answer per blob"),
            })
            .collect()
    }

    /// Opens many blobs of any versions. Returns one answer per blob, in order, each as from
    /// [`KeyRing::open`]. In versions 1 to 3 a wrong key costs as much as the right one, so a
    /// good [`SealedRecord::hint`] saves time if the ring has several keys.
    ///
    /// No threads are started. To use more cores, call this in several threads, each with a part
    /// of the blobs.
    pub fn open_batch(
        &self,
        blobs: &[SealedRecord<'_>],
        options: &OpenOptions<'_>,
    ) -> Vec<Result<Opened, Error>> {
        let mut answers: Vec<Option<Result<Opened, Error>>> = blobs.iter().map(|_| None).collect();
        let (mut v1_to_3, mut v4) = (Vec::new(), HashMap::<_, Vec<_>>::new());
        for (place, record) in blobs.iter().enumerate() {
            if let Err(error) = self.check_version(&record.blob) {
                answers[place] = Some(Err(error));
                continue;
            }
            match record.blob {
                Blob::V1to3(frame) => v1_to_3.push(UntriedBlob {
                    place,
                    frame,
                    keys: self.keys_to_try(record.hint),
                }),
                Blob::V4(frame) => {
                    let aad = record.aad.unwrap_or(options.aad);
                    v4.entry((frame.key_id(), frame.suite()))
                        .or_default()
                        .push((place, frame, aad));
                }
            }
        }
        self.open_v1_to_3(v1_to_3, &mut answers);
        // A group has one key and one suite, to which the key is bound once.
        for group in v4.into_values() {
            let frames: Vec<_> = group.iter().map(|(_, frame, aad)| (*frame, *aad)).collect();
            match self.bind_v4(&frames[0].0, options) {
                Ok((key, opener)) => {
                    for ((place, ..), opened) in group.iter().zip(opener.open_batch(&frames)) {
                        let opened = opened.map_err(Error::with_named_key);
                        answers[*place] = Some(opened.map(|plaintext| Opened { key, plaintext }));
                    }
                }
                Err(error) => {
                    for (place, ..) in group {
                        answers[place] = Some(Err(error.clone()));
                    }
                }
            }
        }
        answers
            .into_iter()
            .map(|answer| answer.expect("each blob is in one group"))
            .collect()
    }

    /// Returns the indices of the X25519 keys, beginning with the hint.
    fn keys_to_try(&self, hint: Option<usize>) -> impl Iterator<Item = usize> {
        let hint = hint.filter(|hint| self.x25519.contains(hint));
        let keys = self.x25519.iter().copied();
        let others = keys.filter(move |place| Some(*place) != hint);
        hint.into_iter().chain(others)
    }

    /// Opens these blobs in rounds: each round tries the next key of every remaining blob.
    fn open_v1_to_3(
        &self,
        mut pending: Vec<UntriedBlob<'_, impl Iterator<Item = usize>>>,
        answers: &mut [Option<Result<Opened, Error>>],
    ) {
        for blob in &pending {
            let error = if self.x25519.is_empty() {
                Error::NoX25519Key(blob.frame.version)
            } else {
                Error::NoKeyOpens
            };
            answers[blob.place] = Some(Err(error));
        }
        while !pending.is_empty() {
            let mut by_key = HashMap::<_, Vec<_>>::new();
            for mut blob in pending {
                if let Some(key) = blob.keys.next() {
                    by_key.entry(key).or_default().push(blob);
                }
            }
            pending = Vec::new();
            for (key, group) in by_key {
                let Some(opener) = self.entries[key].opener() else {
                    pending.extend(group);
                    continue;
                };
                let frames: Vec<_> = group.iter().map(|blob| blob.frame).collect();
                for (blob, opened) in group.into_iter().zip(opener.open_batch(&frames)) {
                    let is_left = opened.as_ref().is_err_and(Error::is_of_this_key);
                    answers[blob.place] = Some(opened.map(|plaintext| Opened { key, plaintext }));
                    if is_left {
                        pending.push(blob);
                    }
                }
            }
        }
    }
}

/// A blob of version 1 to 3, and the indices of the keys that remain to be tried.
struct UntriedBlob<'a, I> {
    place: usize,
    frame: Frame<'a>,
    keys: I,
}
