//! Rung 6: the pipes enlarged to 1 MiB and a buffer of the same size. Sixteen times fewer system
//! calls and far fewer wake-ups than with the 64 KiB pipes the kernel hands out.

use std::io::{self, Read, Write};

fn main() -> io::Result<()> {
    let (mut input, mut output) = ladder::stdio()?;
    ladder::enlarge(&input);
    ladder::enlarge(&output);
    let mut buffer = vec![0; ladder::PIPE_BYTES];
    loop {
        match input.read(&mut buffer)? {
            0 => return Ok(()),
            count => output.write_all(&buffer[..count])?,
        }
    }
}
