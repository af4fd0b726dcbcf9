use std::io::{self, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use compressor_api::Direction;

use super::Trouble;

/// How long one answer may take; a JVM on a busy host needs seconds to start.
const PATIENCE: Duration = Duration::from_secs(60);

/// The longest answer that is taken, in bytes: far above any content of the suite.
const MAX_ANSWER: u32 = 64 << 20;

/// How much of what a process says on its standard error is kept, in bytes.
const MAX_COMPLAINT: u64 = 4_096;

/// A process that answers requests over its standard input and output, for as long as it is needed.
///
/// The requests and answers are described where the process is: `jvm/src/main/java/Oracle.java`
/// and `outside/oracle.py`.
#[derive(Debug)]
pub(crate) struct Pipe {
    child: Child,
    requests: Sender<Vec<u8>>,
    answers: Receiver<io::Result<(u8, Vec<u8>)>>,
    complaint: Arc<Mutex<String>>,
    /// Why nothing more is asked.
    broken: Option<String>,
}

/// What is asked of one codec behind a [`Pipe`].
#[derive(Debug)]
pub(crate) struct Request<'a> {
    pub codec: &'a str,
    pub options: &'a [(&'static str, String)],
    pub direction: Direction,
    pub content_len: usize,
    pub payload: &'a [u8],
}

impl Pipe {
    /// Starts the process.
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("no pipes"));
        };
        let complaint = Arc::default();
        if let Some(stderr) = child.stderr.take() {
            let complaint = Arc::clone(&complaint);
            thread::spawn(move || listen(stderr, &complaint));
        }
        let (requests, to_send) = mpsc::channel();
        let (to_hear, answers) = mpsc::channel();
        thread::spawn(move || converse(stdin, stdout, &to_send, &to_hear));
        Ok(Self {
            child,
            requests,
            answers,
            complaint,
            broken: None,
        })
    }

    /// The codecs that the process has: name, version, and why it cannot be used if it cannot.
    pub(crate) fn list(&mut self) -> Result<Vec<[String; 3]>, Trouble> {
        let listing = self.ask(&Request {
            codec: "?",
            options: &[],
            direction: Direction::Compress,
            content_len: 0,
            payload: &[],
        })?;
        let listing = String::from_utf8_lossy(&listing);
        let line = |line: &str| {
            let mut fields = line.splitn(3, '\t').map(str::to_owned);
            [(); 3].map(|()| fields.next().unwrap_or_default())
        };
        Ok(listing.lines().map(line).collect())
    }

    /// One request and its answer.
    pub(crate) fn ask(&mut self, request: &Request<'_>) -> Result<Vec<u8>, Trouble> {
        if let Some(why) = &self.broken {
            return Err(Trouble::Broken(why.clone()));
        }
        let request = request
            .encode()
            .ok_or_else(|| Trouble::NotTried("longer than the pipe's integers".into()))?;
        // If nobody takes it, nobody answers either, and that is looked at.
        let _ = self.requests.send(request);
        let why = match self.answers.recv_timeout(PATIENCE) {
            Ok(Ok((0, result))) => return Ok(result),
            Ok(Ok((_, message))) => {
                return Err(Trouble::Refused(String::from_utf8_lossy(&message).into()));
            }
            Ok(Err(error)) => error.to_string(),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                format!("no answer within {} s", PATIENCE.as_secs())
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => "not running".into(),
        };
        self.end();
        let complaint = self
            .complaint
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let last = complaint.lines().rfind(|line| !line.trim().is_empty());
        let why = last.map_or_else(|| why.clone(), |last| format!("{why}: {last}"));
        drop(complaint);
        self.broken = Some(why.clone());
        Err(Trouble::Broken(why))
    }

    fn end(&mut self) {
        // It may be gone already, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        self.end();
    }
}

impl Request<'_> {
    /// The bytes of the request; `None` if a length does not fit.
    fn encode(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        text(&mut bytes, self.codec)?;
        length(&mut bytes, self.options.len())?;
        for (key, value) in self.options {
            text(&mut bytes, key)?;
            text(&mut bytes, value)?;
        }
        bytes.push(match self.direction {
            Direction::Compress => 0,
            Direction::Decompress => 1,
        });
        length(&mut bytes, self.content_len)?;
        length(&mut bytes, self.payload.len())?;
        bytes.extend_from_slice(self.payload);
        Some(bytes)
    }
}

/// Java's `writeUTF`, which is UTF-8 for all that is sent here.
fn text(bytes: &mut Vec<u8>, text: &str) -> Option<()> {
    bytes.extend_from_slice(&u16::try_from(text.len()).ok()?.to_be_bytes());
    bytes.extend_from_slice(text.as_bytes());
    Some(())
}

/// Within Java's `int`.
fn length(bytes: &mut Vec<u8>, length: usize) -> Option<()> {
    bytes.extend_from_slice(&i32::try_from(length).ok()?.to_be_bytes());
    Some(())
}

/// Passes on requests and answers, on a thread of its own so that a process which does not take
/// them can be given up.
fn converse(
    mut stdin: ChildStdin,
    stdout: ChildStdout,
    requests: &Receiver<Vec<u8>>,
    answers: &Sender<io::Result<(u8, Vec<u8>)>>,
) {
    let mut stdout = BufReader::new(stdout);
    for request in requests {
        let sent = stdin.write_all(&request).and_then(|()| stdin.flush());
        let answer = sent.and_then(|()| answer(&mut stdout));
        let last = answer.is_err();
        if answers.send(answer).is_err() || last {
            return;
        }
    }
}

fn answer(stdout: &mut impl Read) -> io::Result<(u8, Vec<u8>)> {
    let mut header = [0; 5];
    stdout.read_exact(&mut header)?;
    let [status, length @ ..] = header;
    let length = u32::from_be_bytes(length);
    if length > MAX_ANSWER {
        return Err(io::Error::other("an answer longer than any content"));
    }
    let mut result = Vec::new();
    let got = stdout.take(length.into()).read_to_end(&mut result)?;
    if got as u64 == u64::from(length) {
        Ok((status, result))
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

/// Keeps the end of what a process says on its standard error.
fn listen(mut stderr: impl Read, complaint: &Mutex<String>) {
    let mut part = [0; MAX_COMPLAINT as usize];
    while let Ok(n @ 1..) = stderr.read(&mut part) {
        let said = String::from_utf8_lossy(part.get(..n).unwrap_or_default());
        *complaint.lock().unwrap_or_else(PoisonError::into_inner) = said.into_owned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(codec: &str) -> Request<'_> {
        Request {
            codec,
            options: &[],
            direction: Direction::Decompress,
            content_len: 258,
            payload: &[7],
        }
    }

    #[test]
    fn requests_are_laid_out_as_described() {
        let options = [("k", "v".to_owned())];
        let request = Request {
            options: &options,
            ..request("c")
        };
        let expected = [
            &[0, 1, b'c', 0, 0, 0, 1, 0, 1, b'k', 0, 1, b'v'][..],
            &[1, 0, 0, 1, 2, 0, 0, 0, 1, 7],
        ];
        assert_eq!(request.encode(), Some(expected.concat()));
    }

    #[test]
    fn answers_that_end_early_or_are_huge_are_errors() {
        let read = |mut bytes: &[u8]| answer(&mut bytes).ok();
        assert_eq!(read(&[1, 0, 0, 0, 1, b'x', 9]), Some((1, vec![b'x'])));
        assert_eq!(read(&[0, 0, 0, 0, 2, b'x']), None);
        assert_eq!(read(&[0, 0xFF, 0xFF, 0xFF, 0xFF]), None);
        assert_eq!(read(&[0, 0]), None);
    }

    #[test]
    #[cfg(unix)]
    fn a_process_that_ends_is_broken_for_good_and_says_why() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo 'no such class' >&2; sleep 0.2"]);
        let mut pipe = Pipe::start(&mut command).unwrap();
        for _ in 0..2 {
            let Err(Trouble::Broken(why)) = pipe.ask(&request("c")) else {
                panic!("it answered");
            };
            assert!(why.contains("no such class"), "{why}");
        }
    }
}
