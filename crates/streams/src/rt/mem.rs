//! The memory routines that compiled code calls by name when no C library is linked.
//!
//! `rep movsb` and `rep stosb`: two bytes of code each, and on every processor of the last ten
//! years (ERMS) as fast as a loop of vector stores from a few hundred bytes on. Nothing hot calls
//! them: the kernels move their bytes themselves.
#![allow(
    unsafe_code,
    reason = "memcpy and its kin are unsafe by definition, and a safe loop would be compiled into a call of itself"
)]

/// `memcpy`: copies `count` bytes, lowest first; returns `to`.
///
/// # Safety
/// `from` is readable and `to` writable for `count` bytes, and `to` does not point into
/// `from + 1 .. from + count`.
#[inline]
pub unsafe fn copy(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: touches just what the caller vouches for. The direction flag is clear by the ABI.
    unsafe {
        core::arch::asm!(
            "rep movsb",
            inout("rcx") count => _,
            inout("rdi") to => _,
            inout("rsi") from => _,
            options(nostack, preserves_flags)
        );
    }
    #[cfg(not(target_arch = "x86_64"))]
    for index in 0..count {
        // SAFETY: `index` is below `count`. Volatile, lest the loop become a call of memcpy.
        unsafe {
            to.add(index).write_volatile(from.add(index).read_volatile());
        }
    }
    to
}

/// `memmove`: as [`copy()`], whatever the overlap.
///
/// # Safety
/// `from` is readable and `to` writable for `count` bytes.
#[inline]
pub unsafe fn shift(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    // Below `from`, or beyond its end: lowest first is right.
    if (to as usize).wrapping_sub(from as usize) >= count {
        // SAFETY: as the caller's, and the overlap is of the harmless kind.
        return unsafe { copy(to, from, count) };
    }
    for index in (0..count).rev() {
        // SAFETY: `index` is below `count`. Volatile, lest the loop become a call of memmove.
        unsafe {
            to.add(index).write_volatile(from.add(index).read_volatile());
        }
    }
    to
}

/// `memset`: `count` times `value`; returns `to`.
///
/// # Safety
/// `to` is writable for `count` bytes.
#[inline]
pub unsafe fn fill(to: *mut u8, value: u8, count: usize) -> *mut u8 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: touches just what the caller vouches for. The direction flag is clear by the ABI.
    unsafe {
        core::arch::asm!(
            "rep stosb",
            inout("rcx") count => _,
            inout("rdi") to => _,
            in("al") value,
            options(nostack, preserves_flags)
        );
    }
    #[cfg(not(target_arch = "x86_64"))]
    for index in 0..count {
        // SAFETY: `index` is below `count`. Volatile, lest the loop become a call of memset.
        unsafe { to.add(index).write_volatile(value) };
    }
    to
}

/// `memcmp`: the sign of the first difference.
///
/// # Safety
/// `a` and `b` are readable for `count` bytes.
#[inline]
pub unsafe fn compare(a: *const u8, b: *const u8, count: usize) -> i32 {
    for index in 0..count {
        // SAFETY: `index` is below `count`. Volatile, lest the loop become a call of memcmp.
        let (left, right) = unsafe { (a.add(index).read_volatile(), b.add(index).read_volatile()) };
        if left != right {
            return i32::from(left) - i32::from(right);
        }
    }
    0
}

/// `strlen`: the bytes before the first zero byte.
///
/// # Safety
/// `text` is readable up to and including its first zero byte.
#[inline]
pub unsafe fn length(text: *const u8) -> usize {
    let mut count = 0;
    // SAFETY: no byte beyond the first zero is read. Volatile, lest the loop become a call of
    // strlen.
    while unsafe { text.add(count).read_volatile() } != 0 {
        count += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern() -> Vec<u8> {
        (0..=255).cycle().take(700).collect()
    }

    #[test]
    fn copies_and_fills_exactly_the_range() {
        for count in 0..300 {
            for offset in 0..9 {
                let from = pattern();
                let mut to = vec![7; 700];
                // SAFETY: offset + count is below 700.
                let end = unsafe { copy(to.as_mut_ptr().add(offset), from.as_ptr(), count) };
                assert_eq!(end as usize, to.as_ptr() as usize + offset);
                assert_eq!(to[offset..offset + count], from[..count]);
                assert!(to[..offset].iter().all(|&byte| byte == 7));
                assert!(to[offset + count..].iter().all(|&byte| byte == 7));
                // SAFETY: offset + count is below 700.
                unsafe { fill(to.as_mut_ptr().add(offset), 9, count) };
                assert!(to[offset..offset + count].iter().all(|&byte| byte == 9));
                assert!(to[..offset].iter().all(|&byte| byte == 7));
                assert!(to[offset + count..].iter().all(|&byte| byte == 7));
            }
        }
    }

    #[test]
    fn shifts_over_any_overlap() {
        for from in 0..40 {
            for to in 0..40 {
                for count in [0, 1, 2, 15, 16, 17, 100] {
                    let mut got = pattern();
                    let mut expected = pattern();
                    expected.copy_within(from..from + count, to);
                    let base = got.as_mut_ptr();
                    // SAFETY: both ends stay below 700.
                    unsafe { shift(base.add(to), base.add(from), count) };
                    assert_eq!(got, expected, "{from} to {to}, {count} bytes");
                }
            }
        }
    }

    #[test]
    fn compares_as_unsigned_bytes() {
        let check = |a: &[u8], b: &[u8]| {
            // SAFETY: both slices have the shorter length.
            let got = unsafe { compare(a.as_ptr(), b.as_ptr(), a.len().min(b.len())) };
            let expected = a[..a.len().min(b.len())].cmp(&b[..a.len().min(b.len())]);
            assert_eq!(got.cmp(&0), expected, "{a:?} {b:?}");
        };
        check(b"", b"");
        check(b"abc", b"abc");
        check(b"abc", b"abd");
        check(b"ab\xff", b"ab\x01");
        check(b"\x80", b"\x7f");
    }

    #[test]
    fn measures_strings() {
        // SAFETY: the literals end in a zero byte.
        unsafe {
            assert_eq!(length(c"".as_ptr().cast()), 0);
            assert_eq!(length(c"four".as_ptr().cast()), 4);
        }
    }
}
