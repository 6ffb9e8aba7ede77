//! The description of a blob without any key: the source of every `inspect`.

use pqseal_hpke::{Policy, Status, SuiteId};
use pqseal_keys::{KeyId, caution, kem_by_id, suite_status};

use crate::{Blob, Error, FrameV4, HeaderV4, Trailing};

/// The properties of a blob that are readable without a key.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description<'a> {
    /// The version of its format, 1 to 4.
    pub version: u8,
    /// The document that defines its HPKE.
    pub specification: &'static str,
    /// The status of its suite; `None` if a part of the suite is unknown.
    pub status: Option<Status>,
    /// The suite that sealed it.
    pub suite: SuiteId,
    /// A warning about its KEM if that is experimental.
    pub caution: Option<&'static str>,
    /// The key that it was sealed to (version 4).
    pub key_id: Option<KeyId>,
    /// The encapsulated key; `None` if its KEM is unknown, and so its size.
    pub enc: Option<&'a [u8]>,
    /// The size of the blob, in bytes.
    pub blob_len: usize,
    /// The size of the plaintext, in bytes; `None` if the KEM is unknown.
    pub plaintext_len: Option<usize>,
    /// The number of bytes after the end of the blob.
    pub trailing_len: usize,
    /// The reason why no key opens it here, such as an unknown KEM.
    pub problem: Option<Error>,
}

impl Blob<'_> {
    /// Describes a blob without any key. Bytes that follow a blob of versions 1 to 3 are counted,
    /// not refused. A version 4 blob of an unknown suite is described by its header.
    ///
    /// ```
    /// use pqseal_matched_data::Blob;
    /// # let text = include_str!("../../../examples/matched-data/blob.txt");
    ///
    /// let bytes = Blob::decode(text.as_bytes())?;
    /// let description = Blob::describe(&bytes)?;
    /// assert_eq!((description.version, description.specification), (3, "RFC 9180"));
    /// assert_eq!(description.plaintext_len, Some(bytes.len() - 57));
    /// # Ok::<(), pqseal_matched_data::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Blob::parse`], unless the header of version 4 can be read.
    pub fn describe(blob: &[u8]) -> Result<Description<'_>, Error> {
        match Blob::parse(blob, Trailing::Ignore) {
            Ok(Blob::V1to3(frame)) => Ok(Description {
                version: frame.version as u8,
                specification: frame.version.specification(),
                status: Some(frame.version.status()),
                suite: frame.suite(),
                caution: None,
                key_id: None,
                enc: Some(frame.enc),
                blob_len: blob.len(),
                plaintext_len: Some(frame.plaintext_len()),
                trailing_len: blob.len() - frame.blob_len(),
                problem: None,
            }),
            Ok(Blob::V4(frame)) => {
                let header = HeaderV4 {
                    suite: frame.suite(),
                    key_id: frame.key_id(),
                };
                Ok(with_header(&header, Some(&frame), blob.len()))
            }
            // The sizes of an unknown KEM are unknown, but the header can be read.
            Err(error) => {
                match HeaderV4::parse(blob).map(|header| with_header(&header, None, blob.len())) {
                    Ok(description) if description.problem.is_some() => Ok(Description {
                        problem: Some(error),
                        ..description
                    }),
                    _ => Err(error),
                }
            }
        }
    }
}

fn with_header<'a>(
    header: &HeaderV4,
    frame: Option<&FrameV4<'a>>,
    blob_len: usize,
) -> Description<'a> {
    let kem = kem_by_id(header.suite.kem);
    Description {
        version: 4,
        specification: "RFC 9180",
        status: suite_status(header.suite),
        suite: header.suite,
        caution: kem.and_then(|kem| caution(kem.info())),
        key_id: Some(header.key_id),
        enc: frame.map(|frame| frame.enc),
        blob_len,
        plaintext_len: frame.map(FrameV4::plaintext_len),
        trailing_len: 0,
        problem: header.check(&Policy::draft().with_experimental()).err(),
    }
}
