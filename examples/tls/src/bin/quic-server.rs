//! A QUIC server that echoes every stream.

use std::sync::Arc;

use quinn::{Endpoint, Incoming, ServerConfig, crypto::rustls::QuicServerConfig};
use tls_examples::{ECHO, Result, arguments, server};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let [chain, key, address] = arguments("quic-server CERTIFICATE KEY ADDRESS:PORT")?;
    let mut config = server(&chain, &key)?;
    config.alpn_protocols = vec![ECHO.to_vec()];
    let config = QuicServerConfig::try_from(config)?;
    let config = ServerConfig::with_crypto(Arc::new(config));
    let endpoint = Endpoint::server(config, address.parse()?)?;
    println!("{}", endpoint.local_addr()?);
    while let Some(incoming) = endpoint.accept().await {
        tokio::spawn(async {
            if let Err(error) = echo(incoming).await {
                eprintln!("quic-server: {error}");
            }
        });
    }
    Ok(())
}

async fn echo(incoming: Incoming) -> Result<()> {
    let connection = incoming.await?;
    while let Ok((mut send, mut receive)) = connection.accept_bi().await {
        send.write_all(&receive.read_to_end(1 << 16).await?).await?;
        send.finish()?;
    }
    Ok(())
}
