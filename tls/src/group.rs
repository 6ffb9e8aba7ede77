//! A key exchange group of one or two halves, independent of any TLS library.

use std::fmt;

use hpke::{Component, Error, Policy, Secret, Status, Unsupported};

use crate::half::{Answer, Half, Started};

/// A key exchange group of TLS 1.3: a KEM, or a KEM and a Diffie-Hellman group. Its shares are
/// those of its halves, joined in the order of `halves`; so is its secret.
///
/// With rustls it is a `SupportedKxGroup`.
pub struct HybridGroup {
    pub(crate) id: u16,
    pub(crate) name: &'static str,
    pub(crate) status: Status,
    pub(crate) halves: &'static [&'static dyn Half],
}

/// A client's ephemeral key and its share.
pub(crate) struct Exchange {
    pub(crate) id: u16,
    pub(crate) share: Vec<u8>,
    halves: Vec<(&'static dyn Half, Box<dyn Started>)>,
}

impl HybridGroup {
    /// The code point in the registry of TLS Supported Groups.
    pub const fn id(&self) -> u16 {
        self.id
    }

    /// The name in that registry, such as `X25519MLKEM768`; OQS's for the BIKE groups.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// How far it is standardized.
    pub const fn status(&self) -> Status {
        self.status
    }

    /// The length of the share in a ClientHello, in bytes.
    pub fn client_share_len(&self) -> usize {
        self.halves.iter().map(|half| half.sizes().client).sum()
    }

    /// The length of the share in a ServerHello, in bytes.
    pub fn server_share_len(&self) -> usize {
        self.halves.iter().map(|half| half.sizes().server).sum()
    }

    /// The code point of its classical half, whose share is part of this group's share.
    pub fn classical_half(&self) -> Option<u16> {
        self.halves.iter().find_map(|half| half.alone())
    }

    /// Whether the policy allows it, as [`Component::Group`].
    ///
    /// # Errors
    /// The reason why not.
    pub fn check(&self, policy: &Policy) -> Result<(), Unsupported> {
        policy.check(Component::Group, self.id, self.status)
    }

    /// Client: an ephemeral key.
    pub(crate) fn start(&self) -> Result<Exchange, Error> {
        let start = |half: &&'static dyn Half| Ok((*half, half.start()?));
        let halves: Vec<(_, Box<dyn Started>)> = self
            .halves
            .iter()
            .map(start)
            .collect::<Result<_, Error>>()?;
        let shares: Vec<&[u8]> = halves.iter().map(|(_, started)| started.share()).collect();
        Ok(Exchange {
            id: self.id,
            share: shares.concat(),
            halves,
        })
    }

    /// Server: the answer to the client's share.
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

impl Exchange {
    /// Client: the secret, from the server's share.
    pub(crate) fn finish(&self, server: &[u8]) -> Result<Secret, Error> {
        let lengths = self.halves.iter().map(|(half, _)| half.sizes().server);
        let secrets: Vec<Secret> = split(server, lengths)?
            .iter()
            .zip(&self.halves)
            .map(|(share, (_, started))| started.finish(share))
            .collect::<Result<_, _>>()?;
        Ok(join(&secrets.iter().collect::<Vec<_>>()))
    }

    /// The classical half as a group of its own: its code point and share. `None` if the group has
    /// no other half, since rustls would then send one share twice.
    pub(crate) fn classical(&self) -> Option<(u16, &[u8])> {
        let (id, half) = self.classical_half().filter(|_| self.halves.len() > 1)?;
        Some((id, half.share()))
    }

    /// Client: the secret of the classical half, if the server chose that.
    pub(crate) fn finish_classical(&self, server: &[u8]) -> Result<Secret, Error> {
        let (_, half) = self.classical_half().ok_or(Error::Deserialize)?;
        half.finish(server)
    }

    fn classical_half(&self) -> Option<(u16, &dyn Started)> {
        let mut halves = self.halves.iter();
        halves.find_map(|(half, started)| Some((half.alone()?, &**started)))
    }
}

/// Cuts a share into parts of these lengths. Nothing may be left.
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

/// The secrets one after another. Allocated once, so that no unwiped copy stays behind.
fn join(secrets: &[&Secret]) -> Secret {
    let parts: Vec<&[u8]> = secrets.iter().map(|secret| secret.as_ref()).collect();
    Secret::new(parts.concat())
}

impl fmt::Debug for HybridGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
