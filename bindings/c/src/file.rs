//! Files of any size in the age format, read and written by functions of the caller.

use std::io::{BufReader, Read, Write};

use pqseal_age::{
    Decryptor, Encryptor, Error, Identity, Input, Recipient,
    keys::{identity_text, read_identities, read_recipients, recipient_text},
};
use pqseal_hpke::Secret;

use crate::{
    pqseal_private_key, pqseal_public_key, pqseal_status, pqseal_stream,
    raw::{Output, guard, reference, slice},
};

/// The number of bytes that are read and written at once: a chunk of the format.
const CHUNK: usize = 1 << 16;

/// Encrypts a file in the age format. `recipients` is a text with one recipient per line:
/// `age1...`, `age1pq1...`, or a public key as pqseal writes it. `#` begins a comment. Either all
/// recipients are post-quantum, or none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_file_encrypt(
    recipients: *const u8,
    recipients_len: usize,
    stream: *const pqseal_stream,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (recipients, (input, output)) = unsafe {
            (
                slice(recipients, recipients_len)?,
                pqseal_stream::ends(stream)?,
            )
        };
        let recipients = read_recipients(recipients).map_err(|wrong| wrong.error)?;
        let recipients: Vec<&dyn Recipient> = recipients.iter().map(|one| &**one).collect();
        let mut encryptor = Encryptor::new(&recipients, output)?;
        copy(input, &mut encryptor)?;
        encryptor.finish().map_err(Error::from)?;
        Ok(())
    })
}

/// Decrypts a file in the age format, armored or not. `identities` is a text with one or more
/// private keys: `AGE-SECRET-KEY-...`, as `age-keygen` writes them, or keys of pqseal. Only
/// authenticated data is written. If the call fails, the output is the beginning of a file that
/// was altered or truncated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_file_decrypt(
    identities: *const u8,
    identities_len: usize,
    stream: *const pqseal_stream,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let (identities, (input, output)) = unsafe {
            (
                slice(identities, identities_len)?,
                pqseal_stream::ends(stream)?,
            )
        };
        let identities = read_identities(identities).map_err(|wrong| wrong.error)?;
        let identities: Vec<&dyn Identity> = identities.iter().map(|one| &**one).collect();
        let input = Input::new(BufReader::with_capacity(CHUNK, input)).map_err(Error::from)?;
        copy(Decryptor::new(&identities, input)?, output)?;
        Ok(())
    })
}

/// Writes the recipient of a public key, as a text for files without a terminating zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_file_recipient(
    public_key: *const pqseal_public_key,
    out: *mut u8,
    capacity: usize,
    out_len: *mut usize,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let key = unsafe { reference(public_key) }?;
        // SAFETY: by the header's rules.
        let out = unsafe { Output::new(out, capacity, out_len) }?;
        out.write(recipient_text(&key.0).map_err(Error::from)?.as_bytes())
    })
}

/// Writes the identity of a private key, as a text for files without a terminating zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pqseal_file_identity(
    private_key: *const pqseal_private_key,
    out: *mut u8,
    capacity: usize,
    out_len: *mut usize,
) -> pqseal_status {
    guard(|| {
        // SAFETY: by the header's rules.
        let key = unsafe { reference(private_key) }?;
        // SAFETY: by the header's rules.
        let out = unsafe { Output::new(out, capacity, out_len) }?;
        out.write(identity_text(&key.0).map_err(Error::from)?.as_bytes())
    })
}

/// Copies like `std::io::copy`, through a buffer that is wiped.
fn copy(mut input: impl Read, mut output: impl Write) -> Result<(), Error> {
    let mut buffer = Secret::new(vec![0; CHUNK]);
    loop {
        match input.read(buffer.as_mut())? {
            0 => return Ok(()),
            len => output.write_all(&buffer.as_ref()[..len])?,
        }
    }
}
