//! Writes the seeds of every target to files: `seeds FOLDER` makes `FOLDER/TARGET/NUMBER`.

use std::{env, fs, io, path::PathBuf};

use fuzz_targets::TARGETS;

fn main() -> io::Result<()> {
    let Some(folder) = env::args_os().nth(1).map(PathBuf::from) else {
        return Err(io::Error::other("name the folder to write to"));
    };
    for target in TARGETS {
        let folder = folder.join(target.name);
        fs::create_dir_all(&folder)?;
        for (number, seed) in (target.seeds)().iter().enumerate() {
            fs::write(folder.join(format!("{number:04}")), seed)?;
        }
    }
    Ok(())
}
