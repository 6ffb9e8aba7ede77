//! Many blobs at once: grouped by the key to try, so that each group is one call of
//! [`pqseal_hpke::Recipient::open_batch`].

use std::collections::HashMap;

use super::{KeyRing, OpenOptions, Opened};
use crate::{Blob, Error, Frame, FrameV4, OpenerV4, Trailing};

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

type Answer = Result<Opened, Error>;

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
    ) -> Vec<Answer> {
        let texts: Vec<SealedText<'a>> = texts.into_iter().map(Into::into).collect();
        let decoded = texts
            .iter()
            .map(|sealed| Blob::decode_text_or_bytes(sealed.text));
        let decoded: Vec<_> = decoded.collect();
        let parse = |bytes| Blob::parse(bytes, Trailing::Refuse);
        let parsed = texts.iter().zip(&decoded).map(|(sealed, bytes)| {
            let blob = bytes.as_deref().map_err(Error::clone).and_then(parse)?;
            let aad = sealed.aad;
            Ok::<_, Error>(SealedRecord { aad, ..blob.into() })
        });
        let parsed: Vec<_> = parsed.collect();
        let sealed: Vec<_> = parsed.iter().flatten().copied().collect();
        let mut opened = self.open_batch(&sealed, options).into_iter();
        let answer =
            |parsed: Result<_, _>| parsed.and_then(|_| opened.next().expect("one answer per blob"));
        parsed.into_iter().map(answer).collect()
    }

    /// Opens many blobs of any versions. Returns one answer per blob, in order, each as from
    /// [`KeyRing::open`]. In versions 1 to 3 a wrong key costs as much as the right one, so a
    /// good [`SealedRecord::hint`] saves time if the ring has several keys.
    ///
    /// No threads are started. To use more cores, call this in several threads, each with a part
    /// of the blobs.
    pub fn open_batch(&self, blobs: &[SealedRecord<'_>], options: &OpenOptions<'_>) -> Vec<Answer> {
        let mut answers: Vec<Option<Answer>> = blobs.iter().map(|_| None).collect();
        let (mut fixed, mut v4) = (Vec::new(), HashMap::<_, Vec<_>>::new());
        for (place, record) in blobs.iter().enumerate() {
            if let Err(error) = self.check_version(&record.blob) {
                answers[place] = Some(Err(error));
                continue;
            }
            match record.blob {
                Blob::V1to3(frame) => fixed.push(Pending {
                    place,
                    frame,
                    order: self.order(record.hint),
                }),
                Blob::V4(frame) => {
                    let aad = record.aad.unwrap_or(options.aad);
                    v4.entry((frame.key_id(), frame.suite()))
                        .or_default()
                        .push((place, frame, aad));
                }
            }
        }
        self.open_all_fixed(fixed, &mut answers);
        v4.into_values()
            .for_each(|group| self.open_all_v4(&group, options, &mut answers));
        answers
            .into_iter()
            .map(|answer| answer.expect("each blob is in one group"))
            .collect()
    }

    /// Returns the indices of the X25519 keys, beginning with the hint.
    fn order(&self, hint: Option<usize>) -> impl Iterator<Item = usize> {
        let hint = hint.filter(|hint| self.fixed.contains(hint));
        let fixed = self.fixed.iter().copied();
        let others = fixed.filter(move |place| Some(*place) != hint);
        hint.into_iter().chain(others)
    }

    /// Opens blobs in rounds: each round tries the next key of every remaining blob.
    fn open_all_fixed(
        &self,
        mut pending: Vec<Pending<'_, impl Iterator<Item = usize>>>,
        answers: &mut [Option<Answer>],
    ) {
        for blob in &pending {
            let error = if self.fixed.is_empty() {
                Error::NoX25519Key(blob.frame.version)
            } else {
                Error::NoKeyOpens
            };
            answers[blob.place] = Some(Err(error));
        }
        while !pending.is_empty() {
            let mut by_key = HashMap::<_, Vec<_>>::new();
            for mut blob in pending {
                if let Some(key) = blob.order.next() {
                    by_key.entry(key).or_default().push(blob);
                }
            }
            pending = by_key
                .into_iter()
                .flat_map(|(key, group)| self.try_key(key, group, answers))
                .collect();
        }
    }

    /// Tries one key and returns the blobs that it does not open.
    fn try_key<'a, I>(
        &self,
        key: usize,
        group: Vec<Pending<'a, I>>,
        answers: &mut [Option<Answer>],
    ) -> Vec<Pending<'a, I>> {
        let Some(opener) = self.entries[key].held.opener() else {
            return group;
        };
        let frames: Vec<_> = group.iter().map(|blob| blob.frame).collect();
        let mut left = Vec::new();
        for (blob, opened) in group.into_iter().zip(opener.open_batch(&frames)) {
            match opened {
                Err(error) if error.is_of_this_key() => {
                    answers[blob.place] = Some(Err(error));
                    left.push(blob);
                }
                other => {
                    answers[blob.place] = Some(other.map(|plaintext| Opened { key, plaintext }))
                }
            }
        }
        left
    }

    /// Opens all blobs of one suite and key, which is bound once.
    fn open_all_v4(
        &self,
        group: &[(usize, FrameV4<'_>, &[u8])],
        options: &OpenOptions<'_>,
        answers: &mut [Option<Answer>],
    ) {
        let frames: Vec<_> = group.iter().map(|(_, frame, aad)| (*frame, *aad)).collect();
        let opened = self
            .bind_v4(&frames[0].0, options)
            .map(|(key, opener)| (key, opener.open_batch(&frames)));
        match opened {
            Err(error) => group
                .iter()
                .for_each(|(place, ..)| answers[*place] = Some(Err(error.clone()))),
            Ok((key, opened)) => {
                for ((place, ..), opened) in group.iter().zip(opened) {
                    let opened = opened.map_err(Error::with_named_key);
                    answers[*place] = Some(opened.map(|plaintext| Opened { key, plaintext }));
                }
            }
        }
    }

    /// Binds the key that a blob names to the blob's suite.
    pub(super) fn bind_v4(
        &self,
        frame: &FrameV4<'_>,
        options: &OpenOptions<'_>,
    ) -> Result<(usize, OpenerV4), Error> {
        let wanted = frame.key_id();
        let place = self.position(wanted);
        let place = place.ok_or_else(|| self.no_key(wanted))?;
        let key = self.load(place)?;
        let opener = OpenerV4::of_known(&key, wanted, frame.suite(), options.info, &options.policy);
        Ok((place, opener.map_err(Error::with_named_key)?))
    }
}

/// A blob of version 1 to 3, and the keys that remain to be tried.
struct Pending<'a, I> {
    place: usize,
    frame: Frame<'a>,
    order: I,
}
