//! Back ends, and numbers to try them with.

use ml_kem_768::{Backend, MlKem768};
use shake::{ExtendableOutput, Shake128, Shake128Reader, Update, XofReader};

/// ML-KEM-768 on each back end of the machine, with its name.
pub(crate) fn each() -> impl Iterator<Item = (&'static str, MlKem768)> {
    let all = Backend::ALL.iter();
    all.filter_map(|backend| Some((backend.name(), MlKem768::new(*backend)?)))
}

/// Numbers that are the same in each run.
pub(crate) struct Numbers(Shake128Reader);

impl Numbers {
    pub(crate) fn new(name: &str) -> Self {
        Self(Shake128::default().chain(name.as_bytes()).finalize_xof())
    }

    pub(crate) fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.0.read(&mut bytes);
        bytes
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        let number = u32::from_le_bytes(self.bytes());
        usize::try_from(number).expect("32 bits") % end
    }
}
