//! Rung 3: 16 KiB at a time, waiting until the buffer is full, and a buffered writer. The loop
//! turns once a block; a pipe that gives little at a time still costs several reads for each.

use std::io::{self, BufWriter, Read, Write};

fn main() -> io::Result<()> {
    let (mut input, output) = ladder::stdio()?;
    let mut writer = BufWriter::new(output);
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let mut filled = 0;
        while filled < buffer.len() {
            match input.read(&mut buffer[filled..])? {
                0 => {
                    writer.write_all(&buffer[..filled])?;
                    return writer.flush();
                }
                count => filled += count,
            }
        }
        writer.write_all(&buffer)?;
    }
}
