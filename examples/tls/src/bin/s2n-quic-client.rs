//! `quic-client` on s2n-quic.

use std::net::SocketAddr;

use s2n_quic::{Client, client::Connect, provider::tls::rustls};
use tls_examples::{ECHO, Result, arguments, client};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let [roots, name, address, text] = arguments("s2n-quic-client ROOTS NAME ADDRESS:PORT TEXT")?;
    let mut config = client(&roots)?;
    config.alpn_protocols = vec![ECHO.to_vec()];
    let endpoint = Client::builder().with_tls(rustls::Client::from(config))?;
    let endpoint = endpoint.with_io("0.0.0.0:0")?.start()?;
    let address: SocketAddr = address.parse()?;
    let connect = Connect::new(address).with_server_name(name.as_str());
    let mut connection = endpoint.connect(connect).await?;
    let mut stream = connection.open_bidirectional_stream().await?;
    stream.send(text.into()).await?;
    stream.finish()?;
    let mut echo = Vec::new();
    while let Some(data) = stream.receive().await? {
        echo.extend_from_slice(&data);
    }
    println!("{}", String::from_utf8_lossy(&echo));
    connection.close(0_u32.into());
    Ok(())
}
