//! Consecutive QUIC connections, with one byte each way.

use std::{net::SocketAddr, sync::Arc, thread, time::Instant};

use quinn::{
    ClientConfig, Endpoint, Incoming, ServerConfig,
    crypto::rustls::{QuicClientConfig, QuicServerConfig},
};
use tokio::runtime::{Builder, Runtime};

use crate::{NAME, Result, candidates::Candidate, measure::turn};

/// Opens a port for each of the configurations, all served by one thread.
pub(crate) fn serve(configs: Vec<Arc<rustls::ServerConfig>>) -> Result<Vec<SocketAddr>> {
    let runtime = runtime()?;
    let mut addresses = Vec::new();
    for config in configs {
        let config = Arc::new(QuicServerConfig::try_from(config)?);
        let _entered = runtime.enter();
        let endpoint = Endpoint::server(ServerConfig::with_crypto(config), local())?;
        addresses.push(endpoint.local_addr()?);
        runtime.spawn(answer(endpoint));
    }
    thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
    Ok(addresses)
}

/// Measures blocks of connections in turn. Prints the seconds of each block, and the datagrams
/// of its last connection.
pub(crate) fn print(
    all: &[Candidate],
    addresses: &[SocketAddr],
    blocks: usize,
    block: usize,
) -> Result<()> {
    let mut clients = Vec::new();
    for (candidate, address) in all
        .iter()
        .filter(|one| one.rustls().is_some())
        .zip(addresses)
    {
        let rustls = candidate.rustls().ok_or("no QUIC")?;
        let config = Arc::new(QuicClientConfig::try_from(rustls.client.clone())?);
        clients.push((candidate.name, ClientConfig::new(config), *address));
    }
    runtime()?.block_on(async {
        let endpoint = Endpoint::client(local())?;
        for round in 0..=blocks {
            for (name, config, address) in turn(round, clients.len()).map(|at| &clients[at]) {
                let start = Instant::now();
                let mut datagrams = (0, 0);
                for _ in 0..block {
                    datagrams = connect(&endpoint, config, *address).await?;
                }
                let seconds = start.elapsed().as_secs_f64();
                // The first round warms the caches.
                if round > 0 {
                    let (sent, received) = datagrams;
                    println!("quic\t{name}\t{round}\t{block}\t{seconds:.6}\t{sent}\t{received}");
                }
            }
        }
        endpoint.wait_idle().await;
        Ok(())
    })
}

/// Makes one connection. Returns the datagrams that the client sent and received before it
/// closed.
async fn connect(
    endpoint: &Endpoint,
    config: &ClientConfig,
    address: SocketAddr,
) -> Result<(u64, u64)> {
    let connecting = endpoint.connect_with(config.clone(), address, NAME)?;
    let connection = connecting.await?;
    let (mut send, mut receive) = connection.open_bi().await?;
    send.write_all(b"!").await?;
    send.finish()?;
    let mut byte = [0];
    receive.read_exact(&mut byte).await?;
    let stats = connection.stats();
    connection.close(0_u32.into(), b"");
    Ok((stats.udp_tx.datagrams, stats.udp_rx.datagrams))
}

async fn answer(endpoint: Endpoint) {
    while let Some(incoming) = endpoint.accept().await {
        tokio::spawn(async {
            if let Err(error) = echo(incoming).await {
                eprintln!("tls-bench: QUIC server: {error}");
            }
        });
    }
}

async fn echo(incoming: Incoming) -> Result<()> {
    let connection = incoming.await?;
    let (mut send, mut receive) = connection.accept_bi().await?;
    let mut byte = [0];
    receive.read_exact(&mut byte).await?;
    send.write_all(&byte).await?;
    send.finish()?;
    connection.closed().await;
    Ok(())
}

fn runtime() -> Result<Runtime> {
    Ok(Builder::new_current_thread().enable_all().build()?)
}

fn local() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}
