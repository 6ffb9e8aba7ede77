//! The reasons why an SSH key is not a recipient or an identity.

use std::fmt;

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
