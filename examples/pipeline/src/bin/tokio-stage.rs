//! Opens the matched data of NDJSON records as `pqseal logs open` does, in a stage between two
//! channels of tokio: `tokio-stage KEYFILE < events.ndjson > opened.ndjson`

use std::{env, error::Error, sync::Arc};

use pqseal_matched_data::{Error as OpenError, KeyRing, OpenOptions};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, BufWriter, stdin, stdout},
    sync::mpsc::{Receiver, Sender, channel},
    task::{JoinError, spawn_blocking},
};

/// The most records that are opened together, and that wait in a channel.
const BATCH: usize = 1024;

/// Opens what has arrived as one batch, and sends it on in order.
async fn open_stage(
    ring: Arc<KeyRing>,
    mut from: Receiver<Value>,
    to: Sender<Value>,
) -> Result<(), JoinError> {
    let mut batch = Vec::new();
    while from.recv_many(&mut batch, BATCH).await > 0 {
        let (ring, records) = (ring.clone(), std::mem::take(&mut batch));
        // On a thread for computation, so that tokio's are free for the network.
        for record in spawn_blocking(move || open_all(&ring, records)).await? {
            if to.send(record).await.is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn open_all(ring: &KeyRing, mut records: Vec<Value>) -> Vec<Value> {
    let sealed = records.iter_mut().filter_map(|record| {
        let object = record.get_mut("Metadata")?.as_object_mut()?;
        let text = object.get("encrypted_matched_data")?.as_str()?.to_owned();
        Some((text, object))
    });
    let (texts, objects): (Vec<_>, Vec<_>) = sealed.unzip();
    let opened = ring.open_texts(&texts, &OpenOptions::default());
    for (object, opened) in objects.into_iter().zip(opened) {
        let (name, value) = match opened {
            Ok(opened) => {
                let text = String::from_utf8_lossy(&opened.plaintext);
                ("decrypted_matched_data", text.into_owned())
            }
            Err(OpenError::Empty) => continue,
            Err(error) => ("decrypt_status", error.code().to_owned()),
        };
        object.insert(name.to_owned(), value.into());
    }
    records
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args().nth(1).ok_or("usage: tokio-stage KEYFILE")?;
    let ring = Arc::new(pipeline_examples::ring(&path)?);
    let (to_stage, from_reader) = channel(BATCH);
    let (to_writer, mut from_stage) = channel(BATCH);
    let stage = tokio::spawn(open_stage(ring, from_reader, to_writer));
    let writer = tokio::spawn(async move {
        let mut out = BufWriter::new(stdout());
        while let Some(record) = from_stage.recv().await {
            out.write_all(format!("{record}\n").as_bytes()).await?;
        }
        out.flush().await
    });
    let mut lines = BufReader::new(stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        to_stage.send(serde_json::from_str(&line)?).await?;
    }
    drop(to_stage);
    stage.await??;
    Ok(writer.await??)
}
