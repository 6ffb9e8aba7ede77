//! A key exchange group of one or two halves, independent of any TLS library.

use std::fmt;

use pqseal_hpke::{Component, Error, Policy, Secret, Status, Unsupported};

use crate::half::{Answer, EphemeralKey, Half};

/// A key exchange group of TLS 1.3, which is a KEM, or a KEM with a Diffie-Hellman group. Its
/// shares and its secret are those of its halves, concatenated in the order of `halves`.
///
/// It implements rustls' `SupportedKxGroup`.
pub struct HybridGroup {
    pub(crate) id: u16,
    pub(crate) name: &'static str,
    pub(crate) status: Status,
    pub(crate) halves: &'static [&'static dyn Half],
}

impl HybridGroup {
    /// Returns the code point in the registry of TLS Supported Groups.
    pub const fn id(&self) -> u16 {
        self.id
    }

    /// Returns the name in that registry, such as `X25519MLKEM768`. The names of the BIKE groups
    /// are those of OQS.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the status of its standardization.
    pub const fn status(&self) -> Status {
        self.status
    }

    /// Returns the length of the share in a ClientHello, in bytes.
    pub fn client_share_len(&self) -> usize {
        self.halves.iter().map(|half| half.sizes().client).sum()
    }

    /// Returns the length of the share in a ServerHello, in bytes.
    pub fn server_share_len(&self) -> usize {
        self.halves.iter().map(|half| half.sizes().server).sum()
    }

    /// Returns the code point of the classical half, whose share is part of this group's share.
    pub fn classical_half(&self) -> Option<u16> {
        self.halves.iter().find_map(|half| half.alone())
    }

    /// Checks that the policy allows the group, as [`Component::Group`].
    ///
    /// # Errors
    /// The reason why it does not.
    pub fn check(&self, policy: &Policy) -> Result<(), Unsupported> {
        policy.check(Component::Group, self.id, self.status)
    }

    /// Generates a client's ephemeral key.
    pub(crate) fn start(&self) -> Result<ClientExchange, Error> {
        let (mut halves, mut share) = (Vec::new(), Vec::new());
        for half in self.halves {
            let key = half.start()?;
            share.extend_from_slice(key.share());
            halves.push((*half, key));
        }
        Ok(ClientExchange {
            id: self.id,
            share,
            halves,
        })
    }

    /// Returns a server's answer to the client's share.
    pub(crate) fn answer(&self, client: &[u8]) -> Result<Answer, Error> {
        let lengths = self.halves.iter().map(|half| half.sizes().client);
        let answers: Vec<Answer> = split(client, lengths)?
            .iter()
            .zip(self.halves)
            .map(|(share, half)| half.answer(share))
            .collect::<Result<_, _>>()?;
        let shares: Vec<&[u8]> = answers.iter().map(|answer| &answer.share[..]).collect();
        let secrets: Vec<&Secret> = answers.iter().map(|answer| &answer.secret).collect();
        Ok(Answer {
            share: shares.concat(),
            secret: join(&secrets),
        })
    }
}

/// A client's ephemeral key and its share.
pub(crate) struct ClientExchange {
    pub(crate) id: u16,
    pub(crate) share: Vec<u8>,
    halves: Vec<(&'static dyn Half, Box<dyn EphemeralKey>)>,
}

impl ClientExchange {
    /// Returns the client's secret, from the server's share.
    pub(crate) fn finish(&self, server: &[u8]) -> Result<Secret, Error> {
        let lengths = self.halves.iter().map(|(half, _)| half.sizes().server);
        let secrets: Vec<Secret> = split(server, lengths)?
            .iter()
            .zip(&self.halves)
            .map(|(share, (_, key))| key.finish(share))
            .collect::<Result<_, _>>()?;
        Ok(join(&secrets.iter().collect::<Vec<_>>()))
    }

    /// Returns the code point and share of the classical half as a separate group. `None` if the
    /// group has no other half, since rustls would then send one share twice.
    pub(crate) fn classical(&self) -> Option<(u16, &[u8])> {
        let (id, half) = self.classical_half().filter(|_| self.halves.len() > 1)?;
        Some((id, half.share()))
    }

    /// Returns the client's secret of the classical half, if the server chose that.
    pub(crate) fn finish_classical(&self, server: &[u8]) -> Result<Secret, Error> {
        let (_, half) = self.classical_half().ok_or(Error::Deserialize)?;
        half.finish(server)
    }

    fn classical_half(&self) -> Option<(u16, &dyn EphemeralKey)> {
        let mut halves = self.halves.iter();
        halves.find_map(|(half, key)| Some((half.alone()?, &**key)))
    }
}

/// Splits a share into parts of these lengths. It must have no other bytes.
fn split(mut share: &[u8], lengths: impl Iterator<Item = usize>) -> Result<Vec<&[u8]>, Error> {
    let mut parts = Vec::with_capacity(2);
    for length in lengths {
        let (part, rest) = share.split_at_checked(length).ok_or(Error::Deserialize)?;
        parts.push(part);
        share = rest;
    }
    if share.is_empty() {
        Ok(parts)
    } else {
        Err(Error::Deserialize)
    }
}

/// Concatenates the secrets. Allocates once, so that no unwiped copy remains.
fn join(secrets: &[&Secret]) -> Secret {
    let parts: Vec<&[u8]> = secrets.iter().map(|secret| secret.as_ref()).collect();
    Secret::new(parts.concat())
}

impl fmt::Debug for HybridGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
