//! Rung 5: 16 KiB at a time, read and written at once. This is what a plain cat does: one read and
//! one write a block, nothing kept back.

use std::io::{self, Read, Write};

fn main() -> io::Result<()> {
    let (mut input, mut output) = ladder::stdio()?;
    let mut buffer = vec![0; 16 * 1024];
    loop {
        match input.read(&mut buffer)? {
            0 => return Ok(()),
            count => output.write_all(&buffer[..count])?,
        }
    }
}
