//! `--health` of both servers: asks a running one for its health. An image of a container that has
//! no other program can check itself by it.

use std::{
    fmt,
    io::{self, Read, Write},
    net::{TcpStream, ToSocketAddrs},
    str::FromStr,
    time::Duration,
};

use hyper::{Uri, http::uri::Scheme};

use crate::Error;

/// The longest time to connect, and the longest wait for a part of the answer.
const WAIT: Duration = Duration::from_secs(5);

/// The address of `/healthz` or `/readyz`.
#[derive(Clone, Debug)]
pub struct HealthUrl(Uri);

impl FromStr for HealthUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let uri: Option<Uri> = text.parse().ok();
        let uri = uri.filter(|uri| uri.scheme() == Some(&Scheme::HTTP) && uri.host().is_some());
        uri.map(Self).ok_or(
            "must be http://HOST:PORT/healthz; https is not supported, so name the address for monitoring",
        )
    }
}

impl HealthUrl {
    /// Asks for the state.
    ///
    /// # Errors
    /// If there is no answer, or its status is not 200.
    pub fn check(&self) -> Result<(), Error> {
        match self.status() {
            Ok(status) if status == *b"200" => Ok(()),
            Ok(status) => Err(self.unhealthy(format_args!("status {}", status.escape_ascii()))),
            Err(error) => Err(self.unhealthy(format_args!("no answer: {error}"))),
        }
    }

    fn unhealthy(&self, found: fmt::Arguments<'_>) -> Error {
        Error::Unhealthy(format!("{}: {found}", self.0))
    }

    /// Returns the status code, which follows `HTTP/1.1 ` (RFC 9112, section 4). An HTTP client would
    /// need a runtime for these twelve bytes.
    fn status(&self) -> io::Result<[u8; 3]> {
        let mut stream = self.connect()?;
        stream.set_read_timeout(Some(WAIT))?;
        stream.set_write_timeout(Some(WAIT))?;
        let host = self
            .0
            .authority()
            .map_or("", |authority| authority.as_str());
        let request = format!(
            "GET {} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n",
            self.0.path()
        );
        stream.write_all(request.as_bytes())?;
        let mut line = [0; 12];
        stream.read_exact(&mut line)?;
        match line {
            [
                b'H',
                b'T',
                b'T',
                b'P',
                b'/',
                b'1',
                b'.',
                _,
                b' ',
                status @ ..,
            ] => Ok(status),
            _ => Err(io::Error::other("it is not HTTP/1")),
        }
    }

    fn connect(&self) -> io::Result<TcpStream> {
        // An IPv6 address is in brackets in a URL only.
        let host = self.0.host().unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let addresses = (host, self.0.port_u16().unwrap_or(80)).to_socket_addrs()?;
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        for address in addresses {
            match TcpStream::connect_timeout(&address, WAIT) {
                Ok(stream) => return Ok(stream),
                Err(error) => last = error,
            }
        }
        Err(last)
    }
}

#[cfg(test)]
mod tests {
    use std::{net::TcpListener, thread};

    use super::*;

    fn answered(answer: &'static [u8]) -> Result<(), Error> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/readyz", listener.local_addr().unwrap());
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 4096];
            let length = stream.read(&mut request).unwrap();
            stream.write_all(answer).unwrap();
            request[..length].to_vec()
        });
        let result = url.parse::<HealthUrl>().unwrap().check();
        assert!(
            server
                .join()
                .unwrap()
                .starts_with(b"GET /readyz HTTP/1.1\r\n")
        );
        result
    }

    #[test]
    fn only_status_200_is_health() {
        answered(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
        for (answer, part) in [
            (
                &b"HTTP/1.1 503 Service Unavailable\r\n\r\n"[..],
                "status 503",
            ),
            (b"HTTP/1.1 2", "no answer"),
            (b"SSH-2.0-OpenSSH_9.2\r\n", "not HTTP/1"),
        ] {
            let error = answered(answer).unwrap_err();
            assert!(matches!(error, Error::Unhealthy(_)), "{error:?}");
            assert!(error.to_string().contains(part), "{error}");
        }
    }

    #[test]
    fn only_a_url_in_plain_text_is_asked() {
        for text in [
            "https://a/healthz",
            "127.0.0.1:9090/healthz",
            "/healthz",
            "",
        ] {
            assert!(text.parse::<HealthUrl>().is_err(), "{text}");
        }
    }
}
