//! Messages and questions of age plugins, on standard error and on the terminal.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Write},
    sync::Arc,
};

use pqseal_age::{keys::Reader, plugin::Ui};
use zeroize::Zeroizing;

use crate::escape;

/// The longest answer that is read, in bytes.
const LIMIT: u64 = 4096;

/// The user interface of plugins. Their messages are escaped, since they may repeat the
/// contents of a file.
struct Terminal;

/// Returns a reader of recipients and identities, also of plugins.
pub(super) fn reader() -> Reader {
    Reader::default().with_plugins(Arc::new(Terminal))
}

impl Ui for Terminal {
    fn message(&self, plugin: &str, text: &str) -> Option<()> {
        writeln!(io::stderr(), "{}", words(plugin, text)).ok()
    }

    fn request(&self, plugin: &str, prompt: &str, secret: bool) -> Option<Zeroizing<String>> {
        let prompt = format!("{}: ", words(plugin, prompt));
        match secret {
            true => rpassword::prompt_password(prompt).ok().map(Zeroizing::new),
            false => line(&prompt),
        }
    }

    fn confirm(&self, plugin: &str, prompt: &str, yes: &str, no: Option<&str>) -> Option<bool> {
        let no = no.unwrap_or("cancel");
        let prompt = words(plugin, prompt);
        let choices = format!(
            "{prompt}\n  1: {}\n  2: {}\n1 or 2: ",
            shown(yes),
            shown(no)
        );
        loop {
            match line(&choices)?.trim() {
                "1" => return Some(true),
                "2" => return Some(false),
                "" => return None,
                _ => {}
            }
        }
    }
}

fn words(plugin: &str, text: &str) -> String {
    format!("age-plugin-{plugin}: {}", shown(text))
}

fn shown(text: &str) -> String {
    escape::bytes(text.as_bytes())
}

/// Reads a line from the terminal, since standard input may be the file.
fn line(prompt: &str) -> Option<Zeroizing<String>> {
    let (input, output) = match cfg!(windows) {
        true => ("CONIN$", "CONOUT$"),
        false => ("/dev/tty", "/dev/tty"),
    };
    let mut terminal = File::options().write(true).open(output).ok()?;
    write!(terminal, "{prompt}").ok()?;
    let mut line = Zeroizing::new(String::new());
    let mut input = BufReader::new(File::open(input).ok()?).take(LIMIT);
    input.read_line(&mut line).ok()?;
    let end = line.trim_end_matches(['\r', '\n']).len();
    line.truncate(end);
    Some(line)
}
