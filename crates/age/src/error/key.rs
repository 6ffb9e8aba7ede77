//! The reasons why a key, an SSH key among them, is refused.

use std::fmt;

/// A problem with the text of a key.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyError {
    /// The text is not Bech32, or has a wrong checksum: it was mistyped or truncated.
    Bech32,
    /// The text is Bech32 of another kind of key.
    Unknown,
    /// The bytes are not a key of this kind.
    Bytes,
    /// A recipient or identity of an age plugin was given where plugins cannot be run.
    Plugin,
    /// The SSH key cannot be used.
    Ssh(SshError),
    /// The KEM of the key is not supported.
    Kem,
    /// The KEM of the key is experimental and not allowed.
    Experimental,
    /// The recipient is not a public key, such as a passphrase, which an [`object`](crate::object)
    /// does not support.
    NotForObjects,
    /// A private key was given where a recipient is expected.
    Private,
    /// A recipient was given where an identity is expected.
    Public,
    /// The text contains no key.
    Empty,
    /// The text is in an encoding that is not read, such as UTF-16. This names it.
    Text(&'static str),
    /// The public half was computed three times, with three results ([`pqseal_hpke::twice`]).
    Miscomputed,
}

impl From<pqseal_hpke::Error> for KeyError {
    fn from(error: pqseal_hpke::Error) -> Self {
        match error {
            pqseal_hpke::Error::Miscomputed => Self::Miscomputed,
            _ => Self::Bytes,
        }
    }
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bech32 => "its checksum is wrong; it was mistyped or cut",
            Self::Unknown => "its kind of key is unknown",
            Self::Bytes => "its bytes are not a key of its kind",
            Self::Plugin => "it is for an age plugin, which cannot be run here",
            Self::Ssh(why) => return why.fmt(f),
            Self::Kem => "its KEM is not supported",
            Self::NotForObjects => {
                "a pqseal object is for HPKE keys only; passphrases, plugins and SSH keys need the age format"
            }
            Self::Experimental => "its KEM is experimental; add --allow-experimental to use it",
            Self::Private => {
                "it is a private key; give the recipient that `pqseal file keygen -y` prints for it"
            }
            Self::Public => "it is a recipient (public key); give the identity (private key)",
            Self::Miscomputed => "its public half was computed three times, with three results",
            Self::Empty => "it has no key",
            Self::Text(what) => what,
        })
    }
}

impl From<SshError> for KeyError {
    fn from(error: SshError) -> Self {
        Self::Ssh(error)
    }
}

/// A problem with an SSH key.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SshError {
    /// This build does not support SSH keys (feature `ssh`).
    Unsupported,
    /// The key cannot encrypt, such as `ecdsa-sha2-nistp256` or one in hardware (`sk-`).
    Kind,
    /// The key is not in the format, was truncated, or its numbers are not a valid key.
    Malformed,
    /// The modulus of an RSA key has fewer than 2,048 or more than 8,192 bits.
    RsaSize,
    /// This build does not support `ssh-rsa` (feature `aws-lc`).
    RsaUnsupported,
    /// The private key is encrypted, and no passphrase was given.
    Encrypted,
    /// The private key is encrypted with a cipher other than AES-256 in CTR or CBC mode.
    Cipher,
    /// The passphrase of the private key requires more rounds of bcrypt than are allowed.
    Rounds,
    /// The private key is in the format from before OpenSSH 7.8.
    OldFormat,
}

impl SshError {
    /// Reports whether this is a valid SSH key that cannot encrypt. `age` skips it in a file of
    /// recipients.
    pub fn cannot_encrypt(self) -> bool {
        matches!(self, Self::Kind | Self::RsaSize)
    }
}

impl fmt::Display for SshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unsupported => "SSH keys are not supported here; use `pqseal file`, `age` or `rage` with it",
            Self::Kind => "this kind of SSH key cannot encrypt; use an ssh-ed25519 or ssh-rsa key",
            Self::Malformed => "it is not a valid SSH key: it was altered or cut",
            Self::RsaSize => {
                "an ssh-rsa key must have 2,048 to 8,192 bits; use another one, or an ssh-ed25519 key"
            }
            Self::RsaUnsupported => {
                "ssh-rsa needs a build with the feature `aws-lc`; use such a build, or an ssh-ed25519 key"
            }
            Self::Encrypted => "the SSH key is under a passphrase; give the passphrase too",
            Self::Cipher => {
                "the SSH key is under a cipher that is not supported; change it with `ssh-keygen -p -Z aes256-ctr -f FILE`"
            }
            Self::Rounds => {
                "the SSH key asks for more than 4,096 rounds of bcrypt; change it with `ssh-keygen -p -a 100 -f FILE`"
            }
            Self::OldFormat => {
                "the SSH key is in an old format; convert it with `ssh-keygen -p -f FILE`"
            }
        })
    }
}
