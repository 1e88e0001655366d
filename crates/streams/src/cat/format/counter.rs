//! Line numbers, as text from the start.
//!
//! A number is written far more often than it grows by a digit. Its last seven digits and the tab
//! live in one integer: counting is an addition, writing is one store. Nine times in ten nothing
//! else happens.

/// Digits before the last seven: more than a 64-bit count can have.
const HEAD: usize = 16;

/// The longest number, with its tab.
pub const WIDTH_MAX: usize = HEAD + 8;

/// The number of the next line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The last seven digits, first digit lowest, then a tab. Spaces before the first digit.
    tail: u64,
    /// The digits before those, at the end of the array.
    head: [u8; HEAD],
    /// Digits and leading spaces to write: at least six.
    width: usize,
}

impl Counter {
    /// The first line's.
    #[must_use]
    pub const fn new() -> Self {
        Self { tail: u64::from_le_bytes(*b"      1\t"), head: [b' '; HEAD], width: 6 }
    }

    /// The number and a tab, in the first bytes of an array, and how many they are; then counts.
    #[inline(always)]
    pub fn take(&mut self) -> ([u8; WIDTH_MAX], usize) {
        let mut text = [0; WIDTH_MAX];
        let length = self.width + 1;
        if let Some(short) = self.take_short() {
            text[..8].copy_from_slice(&short.to_le_bytes());
        } else {
            let head = self.width - 7;
            text[..head].copy_from_slice(&self.head[HEAD - head..]);
            text[head..head + 8].copy_from_slice(&self.tail.to_le_bytes());
            self.count(true);
        }
        (text, length)
    }

    /// As [`Counter::take`], for numbers of up to seven digits; `None`, without counting, for
    /// others. The length is [`Counter::length`], before the call.
    #[inline(always)]
    pub fn take_short(&mut self) -> Option<u64> {
        let text = self.short()?;
        self.count(true);
        Some(text)
    }

    /// As [`Counter::take_short`], without counting.
    #[inline(always)]
    #[must_use]
    pub fn short(&self) -> Option<u64> {
        (self.width <= 7).then(|| self.tail >> (8 * (7 - self.width)))
    }

    /// The length of the next number, with its tab.
    #[inline(always)]
    #[must_use]
    pub fn length(&self) -> usize {
        self.width + 1
    }

    /// Counts, or does not.
    #[inline(always)]
    pub fn count(&mut self, one: bool) {
        self.tail += u64::from(one) << 48;
        if self.tail >> 48 & 0xff > u64::from(b'9') {
            self.carry();
        }
    }

    /// The last digit went beyond nine.
    #[inline(never)]
    fn carry(&mut self) {
        let mut shift = 48;
        loop {
            // The digit is one beyond nine.
            self.tail -= 10 << shift;
            if shift == 0 {
                return self.carry_to_head();
            }
            shift -= 8;
            let before = self.tail >> shift & 0xff;
            if before == u64::from(b' ') {
                self.tail += u64::from(b'1' - b' ') << shift;
                self.width = self.width.max(7 - shift / 8);
                return;
            }
            self.tail += 1 << shift;
            if before < u64::from(b'9') {
                return;
            }
        }
    }

    /// The last seven digits went back to zero.
    #[cold]
    fn carry_to_head(&mut self) {
        for (digits, place) in (8..).zip(self.head.iter_mut().rev()) {
            match *place {
                b'9' => *place = b'0',
                b' ' => {
                    *place = b'1';
                    self.width = digits;
                    return;
                }
                _ => {
                    *place += 1;
                    return;
                }
            }
        }
    }
}

impl Default for Counter {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(counter: &mut Counter) -> String {
        let length = counter.length();
        let (text, taken) = counter.take();
        assert_eq!(length, taken);
        String::from_utf8(text[..taken].to_vec()).unwrap()
    }

    #[test]
    fn counts_as_the_standard_library_formats() {
        let mut counter = Counter::new();
        for number in 1..=1_200_000 {
            assert_eq!(next(&mut counter), format!("{number:6}\t"));
        }
    }

    #[test]
    fn grows_beyond_every_part() {
        for digits in 6..HEAD + 7 {
            let mut counter = Counter::new();
            let nines = "9".repeat(digits);
            let all = format!("{nines:>23}");
            counter.head.copy_from_slice(&all.as_bytes()[..HEAD]);
            let tail = [&all.as_bytes()[HEAD..], b"\t"].concat();
            counter.tail = u64::from_le_bytes(tail.try_into().unwrap());
            counter.width = digits;
            assert_eq!(next(&mut counter), format!("{nines}\t"));
            assert_eq!(next(&mut counter), format!("1{}\t", "0".repeat(digits)), "{digits}");
            assert_eq!(next(&mut counter), format!("1{}1\t", "0".repeat(digits - 1)));
        }
    }
}
