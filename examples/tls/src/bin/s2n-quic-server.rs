//! `quic-server` on s2n-quic.

use s2n_quic::{Connection, Server, provider::tls::rustls};
use tls_examples::{ECHO, Result, arguments, server};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let [chain, key, address] = arguments("s2n-quic-server CERTIFICATE KEY ADDRESS:PORT")?;
    let mut config = server(&chain, &key)?;
    config.alpn_protocols = vec![ECHO.to_vec()];
    let endpoint = Server::builder().with_tls(rustls::Server::from(config))?;
    let mut endpoint = endpoint.with_io(address.as_str())?.start()?;
    println!("{}", endpoint.local_addr()?);
    while let Some(connection) = endpoint.accept().await {
        tokio::spawn(async {
            if let Err(error) = echo(connection).await {
                eprintln!("s2n-quic-server: {error}");
            }
        });
    }
    Ok(())
}

async fn echo(mut connection: Connection) -> Result<()> {
    while let Ok(Some(mut stream)) = connection.accept_bidirectional_stream().await {
        while let Some(data) = stream.receive().await? {
            stream.send(data).await?;
        }
        stream.finish()?;
    }
    Ok(())
}
