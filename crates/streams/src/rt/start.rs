//! From the kernel's first instruction to `fn(&mut Process) -> u8`, and out again.
#![allow(unsafe_code, reason = "the initial stack is raw memory that only the ABI describes")]

use core::ffi::{CStr, c_char};

/// One argument or environment string, as the kernel laid it on the initial stack.
///
/// Same layout as the kernel's pointer, so that the argument vector needs no copy and can be
/// permuted in place.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Arg(*const c_char);

impl Arg {
    /// Wraps a string of the program's own; tests build argument vectors with it.
    #[must_use]
    pub const fn new(text: &'static CStr) -> Self {
        Self(text.as_ptr())
    }

    /// The string, as system calls want it.
    #[must_use]
    pub fn as_c_str(self) -> &'static CStr {
        // SAFETY: every constructor got a terminated string that lives as long as the process:
        // `new` by its type, `start` by the ABI's promise about the initial stack.
        unsafe { CStr::from_ptr(self.0) }
    }

    /// The string's bytes, without the terminator.
    #[must_use]
    pub fn bytes(self) -> &'static [u8] {
        self.as_c_str().to_bytes()
    }
}

/// What the kernel hands a new process.
pub struct Process {
    /// The arguments, the program's own name first. Never empty. Option parsing permutes it.
    pub arguments: &'static mut [Arg],
    /// The environment: `NAME=value` strings.
    pub environment: &'static [Arg],
}

impl Process {
    /// The value of the environment variable `name`, if it is set.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&'static [u8]> {
        find_variable(self.environment, name)
    }
}

/// The value of the variable `name` in `environment`, if it is set.
#[must_use]
pub fn find_variable(environment: &[Arg], name: &str) -> Option<&'static [u8]> {
    environment.iter().find_map(|variable| {
        let rest = variable.bytes().strip_prefix(name.as_bytes())?;
        rest.strip_prefix(b"=")
    })
}

/// The body of `_start`: reads the initial stack, runs `main`, exits with its status.
///
/// # Safety
/// `stack` is the stack pointer at process entry, as the kernel set it; called once.
pub unsafe fn start(stack: *mut usize, main: fn(&mut Process) -> u8) -> ! {
    // SAFETY: the ABI puts argc at the stack pointer, argc pointers and a null after it, then
    // the environment's pointers and a null. The block is writable, and nobody else uses it: this
    // function is called once (caller's promise). `Arg` has a pointer's layout.
    let mut process = unsafe {
        let count = *stack;
        let arguments = stack.add(1).cast::<Arg>();
        let environment = arguments.add(count + 1);
        let mut variables = 0;
        while !(*environment.add(variables)).0.is_null() {
            variables += 1;
        }
        Process {
            arguments: core::slice::from_raw_parts_mut(arguments, count),
            environment: core::slice::from_raw_parts(environment, variables),
        }
    };
    // Linux 5.18 and later give an empty vector one empty string; older kernels do not.
    let status = if process.arguments.is_empty() { 127 } else { main(&mut process) };
    super::sys::exit(status)
}

/// Makes the binary of `$main`, a `fn(&mut Process) -> u8`: entry point, panic handler, and the memory
/// routines the compiler calls by name.
///
/// They are defined in the binary and not in the library so that tests and benchmarks, which have
/// std and libc, link neither twice.
#[macro_export]
macro_rules! program {
    ($main:path) => {
        #[allow(
            unsafe_code,
            reason = "the entry point and the symbols that a C runtime would define"
        )]
        mod entry {
            /// First instruction of the process.
            #[cfg(target_arch = "x86_64")]
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            extern "C" fn _start() -> ! {
                core::arch::naked_asm!(
                    "xor ebp, ebp",    // the outermost frame, says the ABI
                    "mov rdi, rsp",    // argc, argv, environment
                    "and rsp, -16",
                    "call {}",
                    "ud2",
                    sym begin
                )
            }

            /// First instruction of the process.
            #[cfg(target_arch = "aarch64")]
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            extern "C" fn _start() -> ! {
                core::arch::naked_asm!(
                    "mov x29, #0",
                    "mov x30, #0",
                    "mov x0, sp",
                    "and sp, x0, #-16",
                    "bl {}",
                    "brk #1",
                    sym begin
                )
            }

            extern "C" fn begin(stack: *mut usize) -> ! {
                // SAFETY: `_start` passes the initial stack pointer, and runs once.
                unsafe { $crate::rt::start(stack, $main) }
            }

            /// A panic is a bug: one line, and the status of a failure.
            #[panic_handler]
            fn panic(information: &core::panic::PanicInfo<'_>) -> ! {
                $crate::text::panicked(information);
                $crate::rt::sys::exit(134)
            }

            /// Named by the unwinding tables of the precompiled core library; never called,
            /// because panics abort. Builds without link-time optimisation keep those tables.
            #[unsafe(no_mangle)]
            extern "C" fn rust_eh_personality() {}

            /// The C library's `memcpy`.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
                // SAFETY: the caller keeps the contract of C's memcpy.
                unsafe { $crate::rt::mem::copy(to, from, count) }
            }

            /// The C library's `memmove`.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
                // SAFETY: the caller keeps the contract of C's memmove.
                unsafe { $crate::rt::mem::shift(to, from, count) }
            }

            /// The C library's `memset`.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn memset(to: *mut u8, value: i32, count: usize) -> *mut u8 {
                // SAFETY: the caller keeps the contract of C's memset.
                unsafe { $crate::rt::mem::fill(to, value as u8, count) }
            }

            /// The C library's `memcmp`.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, count: usize) -> i32 {
                // SAFETY: the caller keeps the contract of C's memcmp.
                unsafe { $crate::rt::mem::compare(a, b, count) }
            }

            /// BSD's `bcmp`, which the compiler prefers where only equality matters.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn bcmp(a: *const u8, b: *const u8, count: usize) -> i32 {
                // SAFETY: the caller keeps the contract of C's memcmp.
                unsafe { $crate::rt::mem::compare(a, b, count) }
            }

            /// The C library's `strlen`.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn strlen(text: *const u8) -> usize {
                // SAFETY: the caller keeps the contract of C's strlen.
                unsafe { $crate::rt::mem::length(text) }
            }
        }
    };
}
