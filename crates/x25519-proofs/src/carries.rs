//! The carries of one case, and the order of cases.

/// The carries of a case, in the order in which they were met.
#[derive(Default)]
pub(crate) struct Carries {
    all: Vec<Carry>,
    met: usize,
}

/// A carry: its offset from the least possible value in this case, and the largest
/// offset.
struct Carry {
    taken: i128,
    most: i128,
}

impl Carries {
    /// Returns the next carry of this case, of those from 0 to `most`.
    pub(crate) fn take(&mut self, most: i128) -> i128 {
        if self.met == self.all.len() {
            self.all.push(Carry { taken: 0, most });
        }
        let carry = &self.all[self.met];
        assert_eq!(carry.most, most, "not the same run");
        self.met += 1;
        carry.taken
    }

    /// Returns the case after this one, which has met all its carries; `None` after the
    /// last.
    pub(crate) fn next_case(self) -> Option<Self> {
        assert_eq!(self.met, self.all.len(), "not the same run");
        let mut all = self.all;
        while all.pop_if(|carry| carry.taken == carry.most).is_some() {}
        all.last_mut()?.taken += 1;
        Some(Self { all, met: 0 })
    }
}
