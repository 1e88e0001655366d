//! Rung 2: one line at a time. The loop turns once a line instead of once a byte, but a line is
//! given without what ends it, so every newline is lost: the output is wrong, as the document's is.

use std::io::{self, BufRead, BufReader, BufWriter, Write};

fn main() -> io::Result<()> {
    let (input, output) = ladder::stdio()?;
    let mut writer = BufWriter::new(output);
    for line in BufReader::new(input).split(b'\n') {
        writer.write_all(&line?)?;
    }
    writer.flush()
}
