//! s2n-tls on a blocking socket.

use std::{
    ffi::{c_int, c_void},
    io::{self, Read, Write},
    net::TcpStream,
    slice,
    sync::Arc,
    task::Poll,
};

use s2n_tls::{
    config,
    connection::Connection,
    enums::{Blinding, Mode},
    error::Error,
    security::Policy,
};

use crate::{NAME, Result};

/// One security policy, for both sides.
pub(crate) struct Config {
    config: config::Config,
    group: &'static str,
}

/// A connection and its socket, which s2n-tls calls by a pointer.
pub(crate) struct Connected {
    connection: Connection,
    _socket: Arc<TcpStream>,
}

impl Config {
    /// Creates the configuration of a policy that negotiates this group.
    pub(crate) fn new(
        policy: &str,
        group: &'static str,
        certificate: &[u8],
        key: &[u8],
    ) -> Result<Self> {
        let mut builder = config::Builder::new();
        builder
            .with_system_certs(false)?
            .set_security_policy(&Policy::from_version(policy)?)?
            .load_pem(certificate, key)?
            .trust_pem(certificate)?;
        Ok(Self {
            config: builder.build()?,
            group,
        })
    }

    pub(crate) fn connect(&self, socket: TcpStream) -> io::Result<Connected> {
        self.check(self.negotiate(Mode::Client, socket)?)
    }

    pub(crate) fn accept(&self, socket: TcpStream) -> io::Result<Connected> {
        self.check(self.negotiate(Mode::Server, socket)?)
    }

    /// Checks that the connection has the group.
    fn check(&self, connected: Connected) -> io::Result<Connected> {
        let group = connected.connection.selected_key_exchange_group();
        let group = group.unwrap_or_default();
        if group != self.group {
            let message = format!("s2n-tls negotiated {group} in place of {}", self.group);
            return Err(io::Error::other(message));
        }
        Ok(connected)
    }

    fn negotiate(&self, mode: Mode, socket: TcpStream) -> io::Result<Connected> {
        let socket = Arc::new(socket);
        let client = matches!(mode, Mode::Client);
        let mut connection = Connection::new(mode);
        let context = Arc::as_ptr(&socket).cast_mut().cast::<c_void>();
        connection
            .set_config(self.config.clone())
            // Otherwise an error makes this thread sleep for 10 to 30 seconds.
            .and_then(|connection| connection.set_blinding(Blinding::SelfService))
            .and_then(|connection| connection.set_receive_buffering(true))
            .and_then(|connection| connection.set_receive_callback(Some(receive)))
            .and_then(|connection| connection.set_send_callback(Some(send)))
            // SAFETY: `Connected` keeps the socket, and drops it after the connection.
            .and_then(|connection| unsafe { connection.set_receive_context(context) })
            // SAFETY: as above.
            .and_then(|connection| unsafe { connection.set_send_context(context) })
            .map_err(io::Error::other)?;
        if client {
            connection.set_server_name(NAME).map_err(io::Error::other)?;
        }
        let mut connected = Connected {
            connection,
            _socket: socket,
        };
        ready(connected.connection.poll_negotiate())?;
        Ok(connected)
    }
}

impl Read for Connected {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        ready(self.connection.poll_recv(buffer))
    }
}

impl Write for Connected {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        ready(self.connection.poll_send(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        ready(self.connection.poll_flush()).map(|_| ())
    }
}

/// Returns the result of a call, which is never pending, since the socket blocks.
fn ready<T>(poll: Poll<std::result::Result<T, Error>>) -> io::Result<T> {
    match poll {
        Poll::Ready(result) => result.map_err(io::Error::other),
        Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
    }
}

unsafe extern "C" fn receive(context: *mut c_void, buffer: *mut u8, length: u32) -> c_int {
    // SAFETY: `context` is the socket of a `Connected`, and `buffer` has `length` bytes.
    let (mut socket, buffer) = unsafe {
        let buffer = slice::from_raw_parts_mut(buffer, length as usize);
        (&*context.cast::<TcpStream>(), buffer)
    };
    count(socket.read(buffer))
}

unsafe extern "C" fn send(context: *mut c_void, bytes: *const u8, length: u32) -> c_int {
    // SAFETY: `context` is the socket of a `Connected`, and `bytes` has `length` bytes.
    let (mut socket, bytes) = unsafe {
        let bytes = slice::from_raw_parts(bytes, length as usize);
        (&*context.cast::<TcpStream>(), bytes)
    };
    count(socket.write(bytes))
}

fn count(result: io::Result<usize>) -> c_int {
    result.map_or(-1, |count| c_int::try_from(count).unwrap_or(-1))
}
