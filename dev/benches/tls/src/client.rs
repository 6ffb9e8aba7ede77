//! The client's process, which takes the measurements.

use std::{
    env,
    io::{self, BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use crate::{
    Result, bytes,
    candidates::{self, Candidate},
    http,
    measure::{microseconds, processor, stay_on_one_core, turn},
    quic, relay,
};

/// The connections of each candidate: with 1, 2, 10 and 25 requests; with one request, for the
/// percentiles; over QUIC, in blocks.
const REQUESTS: [usize; 4] = [1, 2, 10, 25];
const ROUNDS: usize = 100;
const HANDSHAKES: usize = 2000;
const QUIC_BLOCKS: usize = 100;
const QUIC_BLOCK: usize = 100;

/// The times of one connection.
pub(crate) struct Sample {
    handshake: Duration,
    total: Duration,
    /// The processor time of the handshake: the client's, and the server's in microseconds.
    client: Duration,
    server: f64,
}

/// Measures everything, with 1/`part` of the connections, at each of the delays.
pub(crate) fn run(folder: &Path, part: usize, delays: &[&str]) -> Result<()> {
    // The server's process and the relays inherit it.
    stay_on_one_core()?;
    let all = candidates::all(folder)?;
    let server = Server::start(folder)?;
    let (tcp, quic_addresses) = server.addresses.split_at(all.len());
    bytes::print(&all)?;
    for delay in delays {
        let milliseconds: f64 = delay.parse()?;
        let delay = Duration::try_from_secs_f64(milliseconds / 1e3)?;
        let addresses = tcp.iter().map(|server| relay::start(*server, delay));
        let addresses = addresses.collect::<io::Result<Vec<_>>>()?;
        for (table, rounds, requests) in [
            ("requests", ROUNDS / part, &REQUESTS[..]),
            ("handshakes", HANDSHAKES / part, &REQUESTS[..1]),
        ] {
            eprintln!("{table}, delay {milliseconds} ms");
            // The first round warms the caches.
            for round in 0..=rounds {
                for requests in requests {
                    for at in turn(round, all.len()) {
                        let sample = connect(&all[at], addresses[at], *requests)?;
                        if round > 0 {
                            sample.print(table, milliseconds, &all[at], *requests, round);
                        }
                    }
                }
            }
        }
    }
    eprintln!("QUIC");
    quic::print(&all, quic_addresses, QUIC_BLOCKS / part, QUIC_BLOCK)
}

pub(crate) fn connect(
    candidate: &Candidate,
    address: SocketAddr,
    requests: usize,
) -> io::Result<Sample> {
    let request = http::request();
    let mut response = [0; http::RESPONSE];
    let (clock, start) = (Instant::now(), processor());
    let mut stream = candidate.connect(TcpStream::connect(address)?)?;
    let (handshake, client) = (clock.elapsed(), processor() - start);
    for _ in 0..requests {
        stream.write_all(&request)?;
        stream.flush()?;
        stream.read_exact(&mut response)?;
    }
    Ok(Sample {
        handshake,
        total: clock.elapsed(),
        client,
        server: http::timing(&response)?,
    })
}

impl Sample {
    fn print(&self, table: &str, delay: f64, of: &Candidate, requests: usize, round: usize) {
        println!(
            "{table}\t{delay}\t{}\t{requests}\t{round}\t{:.1}\t{:.1}\t{:.1}\t{:.1}",
            of.name,
            microseconds(self.handshake),
            microseconds(self.total),
            microseconds(self.client),
            self.server,
        );
    }
}

/// The server's process. It ends when its standard input does.
pub(crate) struct Server {
    child: Child,
    /// The addresses: those of TCP in the order of the candidates, then those of QUIC.
    pub(crate) addresses: Vec<SocketAddr>,
}

impl Server {
    pub(crate) fn start(folder: &Path) -> Result<Self> {
        let mut child = Command::new(env::current_exe()?)
            .arg("server")
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().ok_or("the server has no output")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let addresses = line.split('\t').filter_map(|item| item.split_once(' '));
        let addresses = addresses.map(|(address, _)| address.parse());
        let addresses = addresses.collect::<std::result::Result<Vec<SocketAddr>, _>>()?;
        if addresses.is_empty() {
            return Err("the server did not start".into());
        }
        Ok(Self { child, addresses })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // Its error is on standard error already.
        let _ = self.child.wait();
    }
}
