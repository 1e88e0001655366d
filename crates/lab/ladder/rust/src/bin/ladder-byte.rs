//! Rung 1: one byte at a time. Both sides are buffered, so there are few system calls; what costs
//! is two calls, two bounds checks and two error checks for every single byte.

use std::io::{self, BufReader, BufWriter, Read, Write};

fn main() -> io::Result<()> {
    let (input, output) = ladder::stdio()?;
    let mut writer = BufWriter::new(output);
    for byte in BufReader::new(input).bytes() {
        writer.write_all(&[byte?])?;
    }
    writer.flush()
}
