//! Encrypted files in the age format (age-encryption.org/v1), based on our HPKE.
//!
//! ```
//! use std::io::{Read, Write};
//! use pqseal_age::{Decryptor, Encryptor, HpkeIdentity, MLKEM768X25519};
//!
//! let identity = HpkeIdentity::generate(&MLKEM768X25519)?;
//! let recipient = identity.recipient();
//! let mut encryptor = Encryptor::new(&[&recipient], Vec::new())?;
//! encryptor.write_all(b"hello")?;
//! let file = encryptor.finish()?;
//!
//! let mut text = String::new();
//! Decryptor::new(&[&identity], &file[..])?.read_to_string(&mut text)?;
//! assert_eq!(text, "hello");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | I want to ... | use |
//! |---|---|
//! | encrypt a file for recipients | [`Encryptor`] |
//! | decrypt a file, or seek in it | [`Decryptor`] |
//! | decrypt a file that arrives in pieces | [`DecryptWriter`] |
//! | use all cores | `parallel` |
//! | read recipients and identities as text | [`keys`] |
//! | use a passphrase | [`PassphraseRecipient`], [`PassphraseIdentity`] |
//! | see recipients, or change them without rewriting the payload | [`Header`] |
//! | read and write armor | [`ArmorReader`], [`ArmorWriter`] |
//!
//! | stanza | recipient | identity | post-quantum |
//! |---|---|---|---|
//! | `X25519` | `age1...`, 32 bytes | `AGE-SECRET-KEY-1...` | no |
//! | `mlkem768x25519` | `age1pq1...`, 1,216 bytes | `AGE-SECRET-KEY-PQ-1...` | yes |
//! | `p256tag` | `age1tag1...`, 33 bytes | a P-256 key file | no |
//! | `mlkem768p256tag` | `age1tagpq1...`, 1,249 bytes | an MLKEM768-P256 key file | yes |
//! | `scrypt` | a passphrase | the passphrase | yes |
//! | `pqseal` | `age1pqseal1...`, of any other KEM | `AGE-PLUGIN-PQSEAL-1...` | by its KEM |
//! | `ssh-ed25519`, `ssh-rsa` | a public key of OpenSSH (feature `ssh`) | its private key | no |
//! | any | `age1NAME1...`, of an age plugin | `AGE-PLUGIN-NAME-1...` | as it says |
//!
//! [`cobblestone`] is another format of chunks, for programs that already have a key, and
//! [`object`] is a pqseal container with such chunks. [`AnyHeader`] reads both formats of files.
//!
//! The format is specified in C2SP `age.md`. Keys in pqseal's formats are recipients and
//! identities, too, if their KEM is in the table.
//!
//! `header` reads and writes stanzas, and `kinds` has a module for each family of recipients.
//! `chunks` has the common part of all formats of chunks, `payload` the format of age, and
//! `cobblestone` that of Cobblestone. `stream` reads and writes one chunk at a time and seeks. In
//! `parallel` each thread takes the next batch, seals or opens it, waits for its turn and writes
//! it.

#![forbid(unsafe_code)]

mod any_header;
mod armor;
mod chunks;
pub mod cobblestone;
mod crypto;
mod error;
mod header;
mod key_text;
pub mod keys;
mod kinds;
pub mod object;
#[cfg(not(target_arch = "wasm32"))]
pub mod parallel;
mod payload;
pub mod plugin;
mod stanza;
mod stream;

pub use any_header::{AnyHeader, ContentKey, Room};
pub use armor::{ArmorReader, ArmorWriter, Input, InputDecoder, Output};
pub use chunks::{Chunked, Extent};
pub use crypto::FileKey;
pub use error::{ArmorError, Error, HeaderError, KeyError, PayloadError, SshError};
pub use header::{Header, MAX_HEADER};
pub use kinds::{
    DEFAULT_MAX_WORK, DEFAULT_WORK, HPKE_KINDS, HpkeIdentity, HpkeKind, HpkeRecipient, Identity,
    MLKEM768P256TAG, MLKEM768X25519, P256TAG, PassphraseIdentity, PassphraseRecipient,
    PqsealIdentity, PqsealRecipient, Recipient, X25519Identity, X25519Recipient,
};
#[cfg(feature = "ssh")]
pub use kinds::{SshIdentity, SshRecipient};
pub use payload::Payload;
pub use stanza::Stanza;
pub use stream::{ChunkOpener, ChunkReader, ChunkWriter, DecryptWriter, Decryptor, Encryptor};

/// The examples of the README, which are tested too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
