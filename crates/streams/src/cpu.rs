//! Which kernels this processor can run, and which one runs.
//!
//! The choice is made once, before any byte moves: the widest the processor *and* the operating
//! system support, or the one named by `LISSOM_KERNEL`, which is there for tests and benchmarks.
#![allow(unsafe_code, reason = "CPUID and XGETBV: core has no safe detection without std")]

use core::sync::atomic::{AtomicU8, Ordering};

/// A family of kernels, narrowest first. On other processors than x86-64 there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kernel {
    /// Plain Rust, a byte at a time: the oracle of all others.
    Scalar,
    /// 16 bytes at a time; every x86-64 has it.
    Sse2,
    /// 32 bytes at a time; AVX2, BMI1, BMI2, POPCNT, LZCNT.
    Avx2,
    /// 64 bytes at a time with byte permutes and compression: AVX-512 F, BW, VL, VBMI and VBMI2,
    /// with all that [`Kernel::Avx2`] needs.
    Avx512,
}

/// The environment variable that forces a kernel.
pub const OVERRIDE: &str = "LISSOM_KERNEL";

impl Kernel {
    /// All kernels, narrowest first.
    pub const ALL: [Self; 4] = [Self::Scalar, Self::Sse2, Self::Avx2, Self::Avx512];

    /// The name that [`OVERRIDE`] takes.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Sse2 => "sse2",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Whether this machine can run it.
    #[must_use]
    pub fn is_available(self) -> bool {
        self <= best()
    }

    /// The kernel to run, given the value of [`OVERRIDE`] if it is set and not empty.
    ///
    /// # Errors
    /// [`Unavailable`] if the name is unknown, or the machine cannot run that kernel.
    pub fn choose(wanted: Option<&[u8]>) -> Result<Self, Unavailable> {
        match wanted {
            None | Some(b"") => Ok(best()),
            Some(name) => Self::ALL
                .into_iter()
                .find(|kernel| kernel.name().as_bytes() == name && kernel.is_available())
                .ok_or(Unavailable),
        }
    }
}

/// [`OVERRIDE`] names no kernel that runs here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unavailable;

/// The widest kernel that this machine can run. Asked once: under a hypervisor, each CPUID costs
/// tens of microseconds.
#[must_use]
pub fn best() -> Kernel {
    static BEST: AtomicU8 = AtomicU8::new(0);

    // One more than the place in `ALL`.
    match BEST.load(Ordering::Relaxed) {
        0 => {
            let found = detect();
            BEST.store(found as u8 + 1, Ordering::Relaxed);
            found
        }
        known => Kernel::ALL[usize::from(known - 1)],
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> Kernel {
    Kernel::Scalar
}

#[cfg(target_arch = "x86_64")]
fn detect() -> Kernel {
    use core::arch::x86_64::{__cpuid, __cpuid_count};

    const fn all(register: u32, bits: &[u32]) -> bool {
        let mut index = 0;
        while index < bits.len() {
            if register >> bits[index] & 1 == 0 {
                return false;
            }
            index += 1;
        }
        true
    }

    // POPCNT, OSXSAVE, AVX. What has AVX has leaf 13, which describes its registers, and so 7; and
    // the extended leaves, which 64-bit mode has brought.
    if !all(__cpuid(1).ecx, &[23, 27, 28]) {
        return Kernel::Sse2;
    }
    let leaf7 = __cpuid_count(7, 0);
    // BMI1, AVX2, BMI2; LZCNT.
    if !(all(leaf7.ebx, &[3, 5, 8]) && all(__cpuid(0x8000_0001).ecx, &[5])) {
        return Kernel::Sse2;
    }
    let saved = saved_state();
    // The operating system saves the XMM and YMM registers.
    if saved & 0b110 != 0b110 {
        return Kernel::Sse2;
    }
    // AVX512 F, BW, VL; VBMI, VBMI2; and mask registers, both halves of the ZMM file.
    if all(leaf7.ebx, &[16, 30, 31]) && all(leaf7.ecx, &[1, 6]) && saved & 0xe0 == 0xe0 {
        Kernel::Avx512
    } else {
        Kernel::Avx2
    }
}

/// XCR0: the register sets that the operating system saves at a context switch.
#[cfg(target_arch = "x86_64")]
fn saved_state() -> u64 {
    let (low, high): (u32, u32);
    // SAFETY: the caller saw OSXSAVE, without which XGETBV does not exist.
    unsafe {
        core::arch::asm!(
            "xgetbv",
            in("ecx") 0,
            out("eax") low,
            out("edx") high,
            options(nomem, nostack, preserves_flags)
        );
    }
    u64::from(high) << 32 | u64::from(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn agrees_with_the_standard_library() {
        let avx2 = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("lzcnt");
        let avx512 = avx2
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vbmi2");
        assert_eq!(Kernel::Avx2.is_available(), avx2);
        assert_eq!(Kernel::Avx512.is_available(), avx512);
        assert!(Kernel::Sse2.is_available());
    }

    #[test]
    fn names_force_a_kernel() {
        assert_eq!(Kernel::choose(None), Ok(best()));
        assert_eq!(Kernel::choose(Some(b"")), Ok(best()));
        assert_eq!(Kernel::choose(Some(b"scalar")), Ok(Kernel::Scalar));
        assert_eq!(Kernel::choose(Some(b"AVX2")), Err(Unavailable));
        for kernel in Kernel::ALL {
            let expected = if kernel.is_available() { Ok(kernel) } else { Err(Unavailable) };
            assert_eq!(Kernel::choose(Some(kernel.name().as_bytes())), expected);
        }
    }
}
