//! An input that may pause. A read does not wait for data after the pause.

use std::{
    io::{self, Read},
    sync::mpsc::{Receiver, RecvTimeoutError, sync_channel},
    thread,
    time::Duration,
};

/// The time without input after which the available records are written.
const PAUSE: Duration = Duration::from_millis(50);
/// The interval at which reads end in a longer pause, so that threads can notice that they
/// must stop.
const LONG_PAUSE: Duration = Duration::from_secs(1);
/// The number of bytes that the thread reads at once, and the number of such pieces that are
/// queued.
const PIECE: usize = 64 * 1024;
const PIECES: usize = 4;

/// A reader whose reads end with [`io::ErrorKind::WouldBlock`] in a pause.
pub(super) struct PausingReader {
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: io::Cursor<Vec<u8>>,
    pauses: bool,
}

impl PausingReader {
    /// Reads from `reader` in a thread. The thread ends with the reader, or at the next read
    /// after the reader was dropped.
    pub(super) fn start(mut reader: impl Read + Send + 'static) -> io::Result<Self> {
        let (sender, pieces) = sync_channel(PIECES);
        thread::Builder::new()
            .name("input".to_owned())
            .spawn(move || {
                loop {
                    let mut piece = vec![0; PIECE];
                    let next = match reader.read(&mut piece) {
                        Ok(0) => return,
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                        read => read.map(|read| {
                            piece.truncate(read);
                            piece
                        }),
                    };
                    let is_last = next.is_err();
                    if sender.send(next).is_err() || is_last {
                        return;
                    }
                }
            })?;
        Ok(Self {
            pieces,
            piece: io::Cursor::default(),
            pauses: false,
        })
    }
}

impl Read for PausingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.piece.read(buffer)?;
        if read > 0 || buffer.is_empty() {
            return Ok(read);
        }
        let wait = if self.pauses { LONG_PAUSE } else { PAUSE };
        let next = self.pieces.recv_timeout(wait);
        self.pauses = matches!(next, Err(RecvTimeoutError::Timeout));
        match next {
            Ok(piece) => self.piece = io::Cursor::new(piece?),
            Err(RecvTimeoutError::Timeout) => return Err(io::ErrorKind::WouldBlock.into()),
            Err(RecvTimeoutError::Disconnected) => return Ok(0),
        }
        self.piece.read(buffer)
    }
}
