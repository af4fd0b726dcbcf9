use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use compressor::{CompressSession, Compressor, Error as CodecError};

use super::WriterOptions;
use super::compress::{Compress, Task};

/// Compresses tasks on a bounded number of threads, and gives them back in order.
///
/// Tasks go round the threads one by one and are taken back in the same turn, so that their order
/// needs no bookkeeping. No more are under way than were asked for, and only so many exist.
pub(super) struct Pipeline {
    lanes: Vec<Lane>,
    /// Threads that have ended or will, once their lanes are gone.
    threads: Vec<JoinHandle<()>>,
    depth: usize,
    chunk_len: usize,
    bound: usize,
    /// Turns so far: submitted, and taken back.
    submitted: usize,
    taken: usize,
    content_len: u64,
    idle: Vec<Task>,
}

enum Lane {
    /// The caller's own thread.
    Own {
        session: Box<dyn CompressSession>,
        compress: Compress,
        done: VecDeque<Task>,
    },
    Thread {
        todo: SyncSender<Task>,
        done: Receiver<Task>,
    },
}

impl Pipeline {
    pub(super) fn new(
        compressor: &Arc<dyn Compressor>,
        options: WriterOptions,
        compress: Compress,
        chunk_len: usize,
        bound: usize,
    ) -> Result<Self, NotStarted> {
        let WriterOptions { threads, depth } = options.in_bounds();
        let (count, depth) = (threads, if threads == 1 { 1 } else { depth });
        let mut lanes = Vec::with_capacity(count);
        let mut threads = Vec::new();
        for _ in 0..count {
            let session = compressor.compress_session().map_err(NotStarted::Session)?;
            lanes.push(if count == 1 {
                let done = VecDeque::new();
                Lane::Own {
                    session,
                    compress,
                    done,
                }
            } else {
                let (lane, thread) = start(session, compress, depth).map_err(NotStarted::Thread)?;
                threads.push(thread);
                lane
            });
        }
        Ok(Self {
            lanes,
            threads,
            depth,
            chunk_len,
            bound,
            submitted: 0,
            taken: 0,
            content_len: 0,
            idle: Vec::new(),
        })
    }

    /// A task to fill.
    ///
    /// # Errors
    ///
    /// There is no memory for another one.
    pub(super) fn spare(&mut self) -> Result<Task, NoMemory> {
        let bytes = self.chunk_len as u64 + self.bound as u64;
        let new = || Task::new(self.chunk_len, self.bound).map_err(|_| NoMemory { bytes });
        self.idle.pop().map_or_else(new, Ok)
    }

    /// Takes a task back that was dealt with.
    pub(super) fn take_back(&mut self, mut task: Task) {
        task.clear();
        self.idle.push(task);
    }

    /// Bytes of content that are under way.
    pub(super) const fn content_len(&self) -> u64 {
        self.content_len
    }

    /// Whether a task has to be taken back before the next can be submitted.
    pub(super) fn is_full(&self) -> bool {
        self.submitted - self.taken == self.lanes.len() * self.depth
    }

    pub(super) fn submit(&mut self, mut task: Task) -> Result<(), Died> {
        self.content_len += task.content.len() as u64;
        let turn = self.submitted % self.lanes.len().max(1);
        let submitted = match self.lanes.get_mut(turn) {
            Some(Lane::Own {
                session,
                compress,
                done,
            }) => {
                task.run(session.as_mut(), compress);
                done.push_back(task);
                true
            }
            // There is room, for no more are under way than the channels hold.
            Some(Lane::Thread { todo, .. }) => todo.send(task).is_ok(),
            None => false,
        };
        self.submitted += 1;
        submitted.then_some(()).ok_or(Died)
    }

    /// The next task in order, compressed; waits for it. `None` if none is under way.
    pub(super) fn finished(&mut self) -> Result<Option<Task>, Died> {
        if self.taken == self.submitted {
            return Ok(None);
        }
        let turn = self.taken % self.lanes.len().max(1);
        let task = match self.lanes.get_mut(turn) {
            Some(Lane::Own { done, .. }) => done.pop_front(),
            Some(Lane::Thread { done, .. }) => done.recv().ok(),
            None => None,
        };
        let task = task.ok_or(Died)?;
        self.taken += 1;
        self.content_len -= task.content_len as u64;
        Ok(Some(task))
    }
}

fn start(
    mut session: Box<dyn CompressSession>,
    compress: Compress,
    depth: usize,
) -> io::Result<(Lane, JoinHandle<()>)> {
    let (todo, tasks) = sync_channel::<Task>(depth);
    let (results, done) = sync_channel(depth);
    let thread = thread::Builder::new().name("chunk-file".into());
    let thread = thread.spawn(move || {
        for mut task in tasks {
            task.run(session.as_mut(), &compress);
            if results.send(task).is_err() {
                return;
            }
        }
    })?;
    Ok((Lane::Thread { todo, done }, thread))
}

/// Why a pipeline cannot be set up.
pub(super) enum NotStarted {
    Session(CodecError),
    Thread(io::Error),
}

/// The memory of a task could not be had.
pub(super) struct NoMemory {
    pub(super) bytes: u64,
}

/// A thread ended early. It does so only if it panicked, which no compressor may.
pub(super) struct Died;

impl std::fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pipeline")
            .field("threads", &self.lanes.len())
            .field("depth", &self.depth)
            .field("under_way", &(self.submitted - self.taken))
            .finish_non_exhaustive()
    }
}

impl Drop for Pipeline {
    /// No thread outlives the writer.
    fn drop(&mut self) {
        self.lanes.clear();
        for thread in self.threads.drain(..) {
            // A panic was reported where it showed; what it carries may panic when dropped.
            if let Err(payload) = thread.join() {
                std::mem::forget(payload);
            }
        }
    }
}
