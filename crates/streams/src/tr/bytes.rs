//! A set of byte values.

/// A subset of the 256 byte values: bit `b % 64` of word `b / 64` says whether `b` is in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    /// The set without members.
    pub const EMPTY: Self = Self([0; 4]);

    /// Adds `first` to `last`, both included; nothing if they are in reverse order.
    pub fn insert_range(&mut self, first: u8, last: u8) {
        for byte in first..=last {
            self.0[usize::from(byte / 64)] |= 1 << (byte % 64);
        }
    }

    /// Whether `byte` is a member.
    #[must_use]
    pub const fn contains(&self, byte: u8) -> bool {
        self.0[(byte / 64) as usize] >> (byte % 64) & 1 == 1
    }

    /// The bytes that are not members.
    #[must_use]
    pub const fn complement(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([!a, !b, !c, !d])
    }

    /// The number of members, 0 to 256.
    #[must_use]
    pub const fn count(&self) -> u32 {
        let [a, b, c, d] = self.0;
        a.count_ones() + b.count_ones() + c.count_ones() + d.count_ones()
    }

    /// The member, if there is just one.
    #[must_use]
    pub fn only(&self) -> Option<u8> {
        if self.count() != 1 {
            return None;
        }
        (0..=255).find(|&byte| self.contains(byte))
    }

    /// One byte for each value: 0xFF for members, 0 for the rest.
    #[must_use]
    pub fn table(&self) -> [u8; 256] {
        let mut table = [0; 256];
        for (byte, entry) in (0..=255).zip(table.iter_mut()) {
            if self.contains(byte) {
                *entry = 0xFF;
            }
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_complement_and_count() {
        let mut set = ByteSet::EMPTY;
        assert_eq!((set.count(), set.only()), (0, None));
        set.insert_range(63, 64);
        set.insert_range(200, 100);
        set.insert_range(255, 255);
        let members = |set: &ByteSet| (0..=255).filter(|&b| set.contains(b)).collect::<Vec<u8>>();
        assert_eq!(members(&set), [63, 64, 255]);
        assert_eq!((set.count(), set.only()), (3, None));
        assert_eq!(set.complement().count(), 253);
        assert!((0..=255).all(|b| set.contains(b) != set.complement().contains(b)));
        assert!((0..=255).all(|b| set.table()[usize::from(b)] == 255 * u8::from(set.contains(b))));
        let mut one = ByteSet::EMPTY;
        one.insert_range(7, 7);
        assert_eq!(one.only(), Some(7));
        let mut all = ByteSet::EMPTY;
        all.insert_range(0, 255);
        assert_eq!(all.complement(), ByteSet::EMPTY);
    }
}
