//! Operations on whole files, on all cores.

use std::{
    io::{self, BufReader, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use pqseal_age::{
    AnyHeader, ArmorWriter, ContentKey, Error, Extent, Input, Payload, Room,
    cobblestone::Cobblestone,
    keys::{AnyIdentity, AnyRecipient},
    parallel::{self, Stream},
};
use pqseal_hpke::Policy;
use pyo3::{
    prelude::*,
    types::{PyDict, PyList},
};

use super::{
    IdentityLike, Making, RecipientLike, as_refs, file_object::FileObject, header, raise, room,
};
use crate::{argument, error::Error as PqsealError};

type Encrypted = Input<BufReader<FileObject>>;

/// Encrypts all of `source`, from its current position, to `target`.
#[pyfunction]
#[pyo3(signature = (source, target, recipients, *, armor = false, reserve = false, format = "age", threads = None, policy = "draft"))]
#[allow(clippy::too_many_arguments, reason = "Python's keyword arguments")]
pub(crate) fn file_encrypt(
    py: Python<'_>,
    source: Py<PyAny>,
    target: Py<PyAny>,
    recipients: Vec<RecipientLike>,
    armor: bool,
    reserve: bool,
    format: &str,
    threads: Option<usize>,
    policy: &str,
) -> PyResult<()> {
    let recipients = super::recipients(&recipients)?;
    let making = Making::new(format, armor, reserve, argument::policy(policy)?)?;
    let threads = count(threads)?;
    let files = (source, target);
    interruptible(py, |stop| {
        encrypt(files, &recipients, &making, threads, &stop)
    })?
    .map_err(raise)
}

/// Decrypts all of `source`, from its current position, to `target`. Only authenticated data is
/// written. On failure, the output is the beginning of the plaintext.
#[pyfunction]
#[pyo3(signature = (source, target, identities, *, threads = None, policy = "draft"))]
pub(crate) fn file_decrypt(
    py: Python<'_>,
    source: Py<PyAny>,
    target: Py<PyAny>,
    identities: Vec<IdentityLike>,
    threads: Option<usize>,
    policy: &str,
) -> PyResult<()> {
    let identities = super::identities(&identities)?;
    let (policy, threads) = (argument::policy(policy)?, count(threads)?);
    let files = (source, target);
    interruptible(py, |stop| {
        decrypt(files, &identities, &policy, threads, &stop)
    })?
    .map_err(raise)
}

/// Writes the encrypted file `source` to `target`, for other recipients. The payload is unchanged.
#[pyfunction]
#[pyo3(signature = (source, target, identities, recipients, *, reserve = false, policy = "draft"))]
pub(crate) fn file_rekey(
    py: Python<'_>,
    source: Py<PyAny>,
    target: Py<PyAny>,
    identities: Vec<IdentityLike>,
    recipients: Vec<RecipientLike>,
    reserve: bool,
    policy: &str,
) -> PyResult<()> {
    let keys = (
        super::identities(&identities)?,
        super::recipients(&recipients)?,
    );
    let policy = argument::policy(policy)?;
    let files = (source, target);
    interruptible(py, |stop| {
        rekey(files, &keys, room(reserve), &policy, &stop)
    })?
    .map_err(raise)
}

/// Returns the properties of an encrypted file that are visible without a key.
#[pyfunction]
pub(crate) fn file_inspect<'py>(
    py: Python<'py>,
    source: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let can_seek = FileObject::is_seekable(&source);
    let source = source.unbind();
    let found = py.detach(|| inspect(source, can_seek)).map_err(raise)?;
    let shown = PyDict::new(py);
    let (format, recipients) = match &found.header {
        AnyHeader::Age(header) => {
            let kinds = header.stanzas().iter().map(|stanza| stanza.kind.clone());
            ("age-encryption.org/v1", PyList::new(py, kinds)?)
        }
        AnyHeader::Object(header) => {
            let ids = header
                .entries()
                .iter()
                .map(|entry| entry.key_id.to_string());
            ("pqseal-object/v1", PyList::new(py, ids)?)
        }
    };
    shown.set_item("format", format)?;
    shown.set_item("armored", found.armored)?;
    shown.set_item("recipients", recipients)?;
    shown.set_item("post_quantum", found.header.post_quantum())?;
    shown.set_item("header_bytes", found.header.to_bytes().len())?;
    shown.set_item("plaintext_bytes", found.plaintext)?;
    Ok(shown)
}

fn count(threads: Option<usize>) -> Result<usize, PqsealError> {
    match threads {
        Some(0) => Err(PqsealError::argument("threads must be 1 or more")),
        given => Ok(given.unwrap_or_else(parallel::available)),
    }
}

fn input(source: Py<PyAny>, stop: &Arc<AtomicBool>) -> io::Result<Encrypted> {
    let source = FileObject::stopped_by(source, stop.clone());
    Input::new(BufReader::with_capacity(1 << 16, source))
}

fn encrypt(
    (source, target): (Py<PyAny>, Py<PyAny>),
    recipients: &[Arc<AnyRecipient>],
    making: &Making,
    threads: usize,
    stop: &Arc<AtomicBool>,
) -> Result<(), Error> {
    let source = Stream::new(FileObject::stopped_by(source, stop.clone()));
    let target = FileObject::stopped_by(target, stop.clone());
    let (header, key) = making.header(recipients)?;
    if !making.armor {
        return sealed(&header, &key, &source, target, threads).map(drop);
    }
    let armor = ArmorWriter::new(io::BufWriter::with_capacity(1 << 20, target))?;
    sealed(&header, &key, &source, armor, threads)?.finish()?;
    Ok(())
}

/// Writes header and chunks.
fn sealed<W: Write + Send>(
    header: &[u8],
    key: &ContentKey,
    source: &Stream<FileObject>,
    mut output: W,
    threads: usize,
) -> Result<W, Error> {
    output.write_all(header)?;
    match key {
        ContentKey::Age(key) => {
            let payload = Payload::generate(key)?;
            output.write_all(payload.nonce())?;
            parallel::seal(&payload, source, &mut output, threads)?;
        }
        ContentKey::Object { secret, cipher } => {
            parallel::seal(&secret.payload(*cipher)?, source, &mut output, threads)?;
        }
    }
    Ok(output)
}

fn decrypt(
    (source, target): (Py<PyAny>, Py<PyAny>),
    identities: &[Arc<AnyIdentity>],
    policy: &Policy,
    threads: usize,
    stop: &Arc<AtomicBool>,
) -> Result<(), Error> {
    let mut input = input(source, stop)?;
    let target = FileObject::stopped_by(target, stop.clone());
    match AnyHeader::read(&mut input)?.open(&as_refs(identities), policy)? {
        ContentKey::Age(key) => {
            let payload = Payload::read(&key, &mut input)?;
            parallel::open(&payload, &Stream::new(input), target, threads)
        }
        ContentKey::Object { secret, cipher } => {
            let key = secret.payload(cipher)?;
            parallel::open(&key, &Stream::new(input), target, threads)
        }
    }
}

fn rekey(
    (source, target): (Py<PyAny>, Py<PyAny>),
    (identities, recipients): &(Vec<Arc<AnyIdentity>>, Vec<Arc<AnyRecipient>>),
    room: Room,
    policy: &Policy,
    stop: &Arc<AtomicBool>,
) -> Result<(), Error> {
    let mut input = input(source, stop)?;
    let target = FileObject::stopped_by(target, stop.clone());
    let mut target = io::BufWriter::with_capacity(1 << 20, target);
    let key = AnyHeader::read(&mut input)?.open(&as_refs(identities), policy)?;
    let armored = matches!(input, Input::Armored(_));
    if armored && room == Room::Reserve {
        let why = "an armored file has no room in its header; leave out reserve";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why).into());
    }
    let header = header(&key, recipients, room, policy.clone())?;
    if !armored {
        target.write_all(&header)?;
        io::copy(&mut input, &mut target)?;
        return Ok(target.flush()?);
    }
    let mut armor = ArmorWriter::new(target)?;
    armor.write_all(&header)?;
    io::copy(&mut input, &mut armor)?;
    Ok(armor.finish()?.flush()?)
}

struct Inspected {
    header: AnyHeader,
    armored: bool,
    /// The length of the plaintext, if the source can seek and has the length of a complete file.
    plaintext: Option<u64>,
}

fn inspect(source: Py<PyAny>, can_seek: bool) -> Result<Inspected, Error> {
    let mut input = input(source, &Arc::default())?;
    let header = AnyHeader::read(&mut input)?;
    let (armored, mut plaintext) = (matches!(input, Input::Armored(_)), None);
    if let Input::Binary(mut input) = input
        && can_seek
    {
        let start = io::Seek::stream_position(&mut input)?;
        let end = io::Seek::seek(&mut input, io::SeekFrom::End(0))?;
        io::Seek::seek(&mut input, io::SeekFrom::Start(start))?;
        plaintext = extent(&header, end.saturating_sub(start)).map(|extent| extent.plaintext);
    }
    Ok(Inspected {
        header,
        armored,
        plaintext,
    })
}

fn extent(header: &AnyHeader, rest: u64) -> Option<Extent> {
    match header {
        AnyHeader::Age(_) => Extent::of::<Payload>(rest.checked_sub(Payload::NONCE as u64)?).ok(),
        AnyHeader::Object(_) => Extent::of::<Cobblestone>(rest).ok(),
    }
}

/// The interval at which signals are checked.
const PERIOD: Duration = Duration::from_millis(100);

/// Runs `work` in a thread without the interpreter's lock. If a signal handler raises an exception
/// meanwhile, the flag is set, which makes file objects end the work, and the exception is raised.
fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(Arc<AtomicBool>) -> T + Send,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    py.detach(|| {
        thread::scope(|scope| {
            let (done, wait) = mpsc::channel();
            let flag = stop.clone();
            scope.spawn(move || done.send(work(flag)));
            loop {
                match wait.recv_timeout(PERIOD) {
                    Ok(result) => return Ok(result),
                    Err(RecvTimeoutError::Timeout) => {
                        Python::attach(|py| py.check_signals())
                            .inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        panic!("the thread that works on the file panicked")
                    }
                }
            }
        })
    })
}
