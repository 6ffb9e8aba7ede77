//! A QUIC client: sends a text, and prints the answer.

use std::sync::Arc;

use quinn::{ClientConfig, Endpoint, crypto::rustls::QuicClientConfig};
use tls_examples::{ECHO, Result, arguments, client};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let [roots, name, address, text] = arguments("quic-client ROOTS NAME ADDRESS:PORT TEXT")?;
    let mut config = client(&roots)?;
    config.alpn_protocols = vec![ECHO.to_vec()];
    let config = QuicClientConfig::try_from(config)?;
    let mut endpoint = Endpoint::client(([0, 0, 0, 0], 0).into())?;
    endpoint.set_default_client_config(ClientConfig::new(Arc::new(config)));
    let connection = endpoint.connect(address.parse()?, &name)?.await?;
    let (mut send, mut receive) = connection.open_bi().await?;
    send.write_all(text.as_bytes()).await?;
    send.finish()?;
    let echo = receive.read_to_end(text.len()).await?;
    println!("{}", String::from_utf8_lossy(&echo));
    connection.close(0_u32.into(), b"");
    endpoint.wait_idle().await;
    Ok(())
}
