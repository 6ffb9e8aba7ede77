//! Cobblestone-128 from file to file, on all cores: `cobblestone seal|open KEY INPUT OUTPUT`, where
//! KEY is a file of 16 random bytes.
//!
//! Memory holds only 1 MiB per thread. `dev/benches/files` measures it.

use std::{
    env,
    error::Error,
    fs::{self, File},
    io::Write,
};

use pqseal_age::{
    cobblestone::{Cipher, Cobblestone, SALT},
    parallel::{self, FileAt},
};

const CONTEXT: &[u8] = b"pqseal example";
const USAGE: &str = "usage: cobblestone seal|open KEY INPUT OUTPUT";

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [verb, key, input, output] = &args[..] else {
        return Err(USAGE.into());
    };
    let (key, mut input) = (fs::read(key)?, File::open(input)?);
    let mut output = File::create_new(output)?;
    let threads = parallel::available();
    match verb.as_str() {
        "seal" => {
            let mut salt = [0; SALT];
            getrandom::fill(&mut salt)?;
            let (message, commitment) =
                Cobblestone::derive(Cipher::Aes128Gcm, &key, &salt, CONTEXT)?;
            output.write_all(&salt)?;
            output.write_all(&commitment)?;
            parallel::seal(&message, &FileAt::new(&input, 0)?, output, threads)?;
        }
        "open" => {
            let message = Cobblestone::read(Cipher::Aes128Gcm, &key, CONTEXT, &mut input)?;
            let chunks = FileAt::new(&input, Cobblestone::HEADER as u64)?;
            parallel::open(&message, &chunks, output, threads)?;
        }
        _ => return Err(USAGE.into()),
    }
    Ok(())
}
