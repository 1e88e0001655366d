//! Running a program whose output is shown as it comes, and read at the same time.

use std::io::{self, BufRead, BufReader, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;

/// Runs `command`, prints its lines, and hands each to `look`.
pub(crate) fn follow(mut command: Command, mut look: impl FnMut(&str)) -> io::Result<ExitStatus> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (lines, arriving) = mpsc::channel();
    let stdout = child.stdout.take().expect("piped above");
    let stderr = child.stderr.take().expect("piped above");
    std::thread::scope(|scope| {
        let errors = lines.clone();
        scope.spawn(move || forward(stdout, &lines));
        scope.spawn(move || forward(stderr, &errors));
        for line in arriving {
            println!("{line}");
            look(&line);
        }
    });
    child.wait()
}

fn forward(stream: impl Read, lines: &mpsc::Sender<String>) {
    let mut stream = BufReader::new(stream);
    let mut line = Vec::new();
    while stream.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
        let text = String::from_utf8_lossy(&line);
        if lines.send(text.trim_end_matches(['\n', '\r']).to_owned()).is_err() {
            return;
        }
        line.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_streams_are_read_to_their_ends() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo a; echo b >&2; printf c; exit 3"]);
        let mut lines = Vec::new();
        let status = follow(command, |line| lines.push(line.to_owned())).unwrap();
        lines.sort();
        assert_eq!((status.code(), lines.join(" ").as_str()), (Some(3), "a b c"));
    }
}
