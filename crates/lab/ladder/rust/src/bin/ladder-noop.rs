//! The floor: a process that does nothing. No C library, no start-up code, one system call.

#![no_std]
#![no_main]
#![allow(unsafe_code, reason = "there is no start-up code to call a safe main")]

use core::arch::naked_asm;

/// Where the kernel enters the program.
#[unsafe(no_mangle)]
#[unsafe(naked)]
extern "C" fn _start() -> ! {
    #[cfg(target_arch = "x86_64")]
    naked_asm!("mov edi, 0", "mov eax, 60", "syscall");
    #[cfg(target_arch = "aarch64")]
    naked_asm!("mov x0, #0", "mov x8, #93", "svc #0");
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
