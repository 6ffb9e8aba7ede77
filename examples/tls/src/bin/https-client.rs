//! An HTTPS client: prints the key exchange group, then the page.

use std::sync::Arc;

use http_body_util::BodyExt;
use hyper::{Request, client::conn::http1};
use hyper_util::rt::TokioIo;
use tls_examples::{Result, arguments, client, group};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let [roots, name, address] = arguments("https-client ROOTS NAME ADDRESS:PORT")?;
    let connector = TlsConnector::from(Arc::new(client(&roots)?));
    let socket = TcpStream::connect(address).await?;
    let stream = connector.connect(name.clone().try_into()?, socket).await?;
    println!(
        "{}",
        group(stream.get_ref().1.negotiated_key_exchange_group())
    );
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let request = Request::get("/").header("Host", name).body(String::new())?;
    let body = sender.send_request(request).await?.collect().await?;
    print!("{}", String::from_utf8_lossy(&body.to_bytes()));
    Ok(())
}
