//! The common inputs of both sides besides the key: `--info` and a pre-shared key.

use clap::Args;
use zeroize::Zeroizing;

use crate::{
    error::{Error, Exit},
    input::{Source, warn_if_others_read},
};

/// The options of both sides.
#[derive(Args)]
pub struct Shared {
    /// Application context (HPKE info); it is not sent, and the same value is required to open the
    /// message
    #[arg(long, value_name = "TEXT", conflicts_with = "info_file")]
    info: Option<String>,
    /// The same, from a file, byte for byte
    #[arg(long, value_name = "FILE")]
    info_file: Option<Source>,
    /// A file with a pre-shared key of at least 32 bytes, byte for byte, which authenticates the
    /// sender (mode_psk)
    #[arg(long, value_name = "FILE", requires = "psk_id")]
    psk_file: Option<Source>,
    /// The id of the pre-shared key, which the message names
    #[arg(long, value_name = "TEXT", requires = "psk_file")]
    psk_id: Option<String>,
}

/// The values of the options.
pub struct Known {
    /// `--info`; empty if it is not given.
    pub info: Vec<u8>,
    /// The id and the pre-shared key.
    pub psk: Option<(String, Zeroizing<Vec<u8>>)>,
}

/// The longest pre-shared key, in bytes.
const PSK_LIMIT: usize = 1024;
/// The shortest pre-shared key, in bytes (RFC 9180, section 9.5).
const PSK_LEN: usize = 32;

impl Shared {
    /// Lists the files to read.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        self.info_file.iter().chain(&self.psk_file)
    }

    /// Reads the files.
    ///
    /// # Errors
    /// If a file cannot be read, or holds no pre-shared key.
    pub fn read(&self) -> Result<Known, Error> {
        let psk = match (&self.psk_file, &self.psk_id) {
            (Some(file), Some(id)) => Some((id.clone(), read_psk(file)?)),
            _ => None,
        };
        Ok(Known {
            info: text_or_file(self.info.as_ref(), self.info_file.as_ref())?,
            psk,
        })
    }
}

impl Known {
    /// Returns the id and the pre-shared key.
    pub fn psk(&self) -> Option<(&[u8], &[u8])> {
        let psk = self.psk.as_ref();
        psk.map(|(id, psk)| (id.as_bytes(), psk.as_slice()))
    }
}

/// Returns the bytes of an option that is text or in a file; empty if neither is given.
///
/// # Errors
/// If the file cannot be read.
pub fn text_or_file(text: Option<&String>, file: Option<&Source>) -> Result<Vec<u8>, Error> {
    match (text, file) {
        (Some(text), _) => Ok(text.clone().into_bytes()),
        (None, Some(file)) => file.read(),
        (None, None) => Ok(Vec::new()),
    }
}

fn read_psk(file: &Source) -> Result<Zeroizing<Vec<u8>>, Error> {
    let psk = file.read_secret(PSK_LIMIT);
    let psk = psk.map_err(|error| file.unreadable(&error))?;
    warn_if_others_read(file, "pre-shared key");
    match psk.len() {
        PSK_LEN..=PSK_LIMIT => Ok(psk),
        len => Err(Error {
            exit: Exit::Stopped,
            code: "bad_psk",
            message: format!(
                "{file}: a pre-shared key has {PSK_LEN} to {PSK_LIMIT} bytes, not {len}; `head -c 32 /dev/urandom > FILE` makes one"
            ),
        }),
    }
}
