//! Operations on many messages at once, on all cores.

use getrandom::SysRng;
use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, Message, Mode, Recipient, Sealed, Sender, Suite};
use rayon::prelude::*;

use crate::{
    buffer::Buffer,
    error::Error,
    process::{CHUNK, MANY, on_all_cores},
};

/// The encapsulated key, the aad and the ciphertext.
pub(super) type SealedMessage = (Buffer, Buffer, Buffer);

/// The encapsulated key and the ciphertext.
pub(super) type SealedPair = (Vec<u8>, Vec<u8>);

pub(super) fn seal(
    suite: Suite,
    key: AnyPublicKey,
    info: &[u8],
    mode: Mode<'_, AnyPrivateKey>,
    messages: &[(Buffer, Buffer)],
) -> Result<Vec<SealedPair>, Error> {
    let sender = Sender::new(suite, key, info, mode)?;
    let sender = match messages.len() {
        ..MANY => sender,
        _ => sender.precompute(),
    };
    let seal = |chunk: &[(Buffer, Buffer)]| {
        let messages: Vec<_> = chunk.iter().map(|(aad, pt)| Message { aad, pt }).collect();
        sender.seal_batch(&messages, &mut SysRng)
    };
    let sealed: Result<Vec<_>, _> =
        on_all_cores(|| messages.par_chunks(CHUNK).map(seal).collect())?;
    Ok(sealed?.into_iter().flatten().collect())
}

pub(super) fn open(
    suite: Suite,
    key: AnyPrivateKey,
    info: &[u8],
    mode: Mode<'_, AnyPublicKey>,
    messages: &[SealedMessage],
) -> Result<Vec<Result<Vec<u8>, pqseal_hpke::Error>>, Error> {
    let recipient = Recipient::new(suite, key, info, mode)?;
    let open = |chunk: &[SealedMessage]| {
        let sealed: Vec<_> = chunk
            .iter()
            .map(|(enc, aad, ct)| Sealed { enc, aad, ct })
            .collect();
        recipient.open_batch(&sealed)
    };
    on_all_cores(|| messages.par_chunks(CHUNK).flat_map_iter(open).collect())
}
