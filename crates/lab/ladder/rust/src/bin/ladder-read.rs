//! Rung 4: 16 KiB at a time, taking what is there, and a buffered writer. Nothing waits for a full
//! buffer any more, but output still waits for the end or for a full writer.

use std::io::{self, BufWriter, Read, Write};

fn main() -> io::Result<()> {
    let (mut input, output) = ladder::stdio()?;
    let mut writer = BufWriter::new(output);
    let mut buffer = vec![0; 16 * 1024];
    loop {
        match input.read(&mut buffer)? {
            0 => return writer.flush(),
            count => writer.write_all(&buffer[..count])?,
        }
    }
}
