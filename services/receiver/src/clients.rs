//! The clients that may send, each with a secret in a header. Only hashes of secrets are kept, and
//! all of them are compared with each request, so that timing reveals nothing about a near match.

use std::{
    fmt,
    fs::File,
    io::{self, Read},
    path::Path,
};

use hyper::{HeaderMap, header::HeaderName};
use pqseal_server::Error;
use pqseal_text::escape;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::{config, refusal::Refusal};

/// The shortest secret, in bytes. 16 random bytes in hexadecimal have 32.
const SHORTEST: usize = 16;
/// The longest secret, in bytes.
const LONGEST: usize = 4096;
/// The schemes before a secret in the header `Authorization`.
const SCHEMES: [&str; 2] = ["splunk ", "bearer "];

/// The clients that may send.
#[derive(Default)]
pub(crate) struct Clients(Vec<Client>);

struct Client {
    name: String,
    header: HeaderName,
    secret: Hash,
}

type Hash = [u8; 32];

impl Clients {
    /// Reads the secrets.
    ///
    /// # Errors
    /// If one cannot be read, or is too short.
    pub(crate) fn read(clients: &[config::Client]) -> Result<Self, Error> {
        clients
            .iter()
            .map(Client::read)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Returns the name of the client that sent a request; `None` if only certificates are
    /// required.
    ///
    /// # Errors
    /// If its secret is missing or wrong.
    pub(crate) fn admit(&self, headers: &HeaderMap) -> Result<Option<&str>, Refusal> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let mut found = None;
        let mut is_given = false;
        for client in &self.0 {
            if let Some(value) = headers.get(&client.header) {
                is_given = true;
                if client.is_sent_in(value.as_bytes()) {
                    found = Some(client.name.as_str());
                }
            }
        }
        match found {
            Some(name) => Ok(Some(name)),
            None if is_given => Err(Refusal::WrongSecret),
            None => Err(Refusal::NoSecret),
        }
    }
}

impl Client {
    fn read(client: &config::Client) -> Result<Self, Error> {
        let header = HeaderName::from_bytes(client.header.as_bytes()).map_err(|_| {
            Error::Settings(format!(
                "client {}: header is not a valid header name",
                client.name
            ))
        })?;
        let secret = line(&client.secret_file, SHORTEST)?;
        Ok(Self {
            name: client.name.clone(),
            header,
            secret: hash(secret.as_bytes()),
        })
    }

    fn is_sent_in(&self, value: &[u8]) -> bool {
        let secret = match self.header == hyper::header::AUTHORIZATION {
            true => without_scheme(value),
            false => value,
        };
        bool::from(self.secret.ct_eq(&hash(secret)))
    }
}

/// Reads the only line of a file with a secret.
///
/// # Errors
/// If it cannot be read, has several lines, or is shorter than `shortest`.
pub(crate) fn line(file: &Path, shortest: usize) -> Result<Zeroizing<String>, Error> {
    let name = escape::path(file);
    let bytes = read(file).map_err(|error| Error::system(format_args!("read {name}"), error))?;
    let text = std::str::from_utf8(&bytes).ok().map(str::trim);
    let text = text.filter(|text| {
        (shortest..=LONGEST).contains(&text.len())
            && text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
    });
    match text {
        Some(text) => Ok(Zeroizing::new(text.to_owned())),
        None => Err(Error::Settings(format!(
            "{name} does not hold one line of {shortest} to {LONGEST} ASCII characters; `openssl rand -hex 32` makes a secret"
        ))),
    }
}

/// Reads a secret, or one byte more than the longest one, into a buffer that does not grow, and is
/// wiped on drop.
///
/// # Errors
/// If it cannot be read, or grows meanwhile.
fn read(file: &Path) -> io::Result<Zeroizing<Vec<u8>>> {
    let file = File::open(file)?;
    let found = file.metadata()?;
    let mut bytes = Zeroizing::new(Vec::with_capacity(LONGEST + 64));
    file.take(LONGEST as u64 + 1).read_to_end(&mut bytes)?;
    // A pipe has no size.
    if (1..LONGEST as u64).contains(&found.len()) && bytes.len() as u64 > found.len() {
        return Err(io::Error::other("it grew while it was read"));
    }
    Ok(bytes)
}

fn without_scheme(value: &[u8]) -> &[u8] {
    let scheme = SCHEMES.iter().find(|scheme| {
        value
            .get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
    });
    scheme
        .map_or(value, |scheme| &value[scheme.len()..])
        .trim_ascii()
}

fn hash(secret: &[u8]) -> Hash {
    Sha256::digest(secret).into()
}

/// Shows only the names.
impl fmt::Debug for Clients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(|client| &client.name))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::{AUTHORIZATION, HeaderValue};

    use super::*;

    fn client(name: &str, header: &'static str, secret: &str) -> Client {
        Client {
            name: name.to_owned(),
            header: HeaderName::from_static(header),
            secret: hash(secret.as_bytes()),
        }
    }

    #[test]
    fn a_secret_is_looked_for_in_its_header_only() {
        let clients = Clients(vec![
            client("push", "x-secret", "0123456789abcdef"),
            client("splunk", "authorization", "fedcba9876543210"),
        ]);
        let admit = |name: HeaderName, value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_str(value).unwrap());
            clients.admit(&headers).map(|name| name.map(str::to_owned))
        };
        let push = HeaderName::from_static("x-secret");
        let is = |name: &str| Ok(Some(name.to_owned()));
        assert_eq!(admit(push.clone(), "0123456789abcdef"), is("push"));
        assert_eq!(
            admit(AUTHORIZATION, "Splunk fedcba9876543210"),
            is("splunk")
        );
        assert_eq!(
            admit(AUTHORIZATION, "bearer  fedcba9876543210"),
            is("splunk")
        );
        assert_eq!(admit(AUTHORIZATION, "fedcba9876543210"), is("splunk"));
        for (name, value) in [
            (push.clone(), "fedcba9876543210"),
            (push.clone(), "0123456789abcde"),
            (push.clone(), "Splunk 0123456789abcdef"),
            (AUTHORIZATION, "Splunk 0123456789abcdef"),
            (AUTHORIZATION, ""),
        ] {
            assert_eq!(admit(name, value), Err(Refusal::WrongSecret), "{value}");
        }
        let other = HeaderName::from_static("x-other");
        assert_eq!(admit(other, "0123456789abcdef"), Err(Refusal::NoSecret));
    }

    #[test]
    fn without_secrets_certificates_are_all_that_is_asked_for() {
        assert_eq!(Clients::default().admit(&HeaderMap::new()), Ok(None));
    }
}
