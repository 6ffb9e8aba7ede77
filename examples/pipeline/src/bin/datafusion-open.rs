//! Opens matched data in SQL, by DataFusion: `datafusion-open KEYFILE SQL FILE...` writes the
//! answer as NDJSON. Each file, NDJSON or Parquet, is a table with its name without the extension:
//! `SELECT open_sealed("Metadata".encrypted_matched_data) AS text FROM events`

use std::{
    env,
    error::Error,
    io::stdout,
    path::Path,
    sync::{Arc, atomic},
};

use datafusion::{
    arrow::{array::AsArray, array::StringArray, datatypes::DataType, json::LineDelimitedWriter},
    logical_expr::{ColumnarValue, ScalarUDF, Volatility, create_udf},
    prelude::{JsonReadOptions, ParquetReadOptions, SessionContext},
};
use pqseal_matched_data::{Error as OpenError, KeyRing, OpenOptions};

/// The number of texts that did not open.
static FAILED: atomic::AtomicUsize = atomic::AtomicUsize::new(0);

/// Makes the function `open_sealed(text)`, which opens a column as one batch. It is NULL for a text
/// that is empty or does not open.
fn open_sealed(ring: KeyRing) -> ScalarUDF {
    let open = move |arguments: &[ColumnarValue]| {
        let columns = ColumnarValue::values_to_arrays(arguments)?;
        let texts = columns[0].as_string::<i32>();
        let opened = ring.open_texts(texts.iter().flatten(), &OpenOptions::default());
        let mut opened = opened.into_iter();
        let plain = texts
            .iter()
            .map(|text| match text.and_then(|_| opened.next())? {
                Ok(opened) => Some(String::from_utf8_lossy(&opened.plaintext).into_owned()),
                Err(OpenError::Empty) => None,
                Err(_) => {
                    FAILED.fetch_add(1, atomic::Ordering::Relaxed);
                    None
                }
            });
        let plain: StringArray = plain.collect();
        Ok(ColumnarValue::Array(Arc::new(plain)))
    };
    let (from, to) = (vec![DataType::Utf8], DataType::Utf8);
    let (open, same) = (Arc::new(open), Volatility::Immutable);
    create_udf("open_sealed", from, to, same, open)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let usage = "usage: datafusion-open KEYFILE SQL FILE...";
    let mut arguments = env::args().skip(1);
    let (key, sql) = arguments.next().zip(arguments.next()).ok_or(usage)?;
    let context = SessionContext::new();
    context.register_udf(open_sealed(pipeline_examples::ring(&key)?));
    for file in arguments {
        let (stem, extension) = file.rsplit_once('.').ok_or(usage)?;
        let table = Path::new(stem).file_name().ok_or(usage)?.to_string_lossy();
        if extension == "parquet" {
            let options = ParquetReadOptions::default();
            context.register_parquet(&*table, &file, options).await?;
        } else {
            let options = JsonReadOptions::default().file_extension(extension);
            context.register_json(&*table, &file, options).await?;
        }
    }
    let answer = context.sql(&sql).await?.collect().await?;
    let mut out = LineDelimitedWriter::new(stdout().lock());
    out.write_batches(&answer.iter().collect::<Vec<_>>())?;
    out.finish()?;
    let failed = FAILED.load(atomic::Ordering::Relaxed);
    if failed > 0 {
        eprintln!("open_sealed was NULL for {failed} texts that do not open");
    }
    Ok(())
}
