//! An HTTPS server whose page names the key exchange group of the connection.

use std::sync::Arc;

use hyper::{Request, Response, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tls_examples::{Result, arguments, group, server};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let [chain, key, address] = arguments("https-server CERTIFICATE KEY ADDRESS:PORT")?;
    let acceptor = TlsAcceptor::from(Arc::new(server(&chain, &key)?));
    let listener = TcpListener::bind(address).await?;
    println!("{}", listener.local_addr()?);
    loop {
        let (socket, _) = listener.accept().await?;
        let acceptor = acceptor.clone();
        tokio::spawn(async move {
            if let Err(error) = serve(acceptor, socket).await {
                eprintln!("https-server: {error}");
            }
        });
    }
}

async fn serve(acceptor: TlsAcceptor, socket: TcpStream) -> Result<()> {
    let stream = acceptor.accept(socket).await?;
    let group = group(stream.get_ref().1.negotiated_key_exchange_group());
    let answer = service_fn(move |_: Request<Incoming>| async move {
        let page = format!("<!doctype html>\n<title>TLS</title>\n<p>key exchange: {group}</p>\n");
        let answer = Response::builder().header("Content-Type", "text/html");
        answer.body(page)
    });
    let stream = TokioIo::new(stream);
    http1::Builder::new()
        .serve_connection(stream, answer)
        .await?;
    Ok(())
}
