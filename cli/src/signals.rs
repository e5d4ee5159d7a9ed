//! Ctrl-C and SIGTERM: the first asks the work to end at its next safe point, the second ends the program at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use mge_core::Cancel;
use tokio::runtime::Runtime;

use crate::exit::Exit;
use crate::printer::print_error_line;

/// Which signal came, if any.
#[derive(Clone, Default)]
pub(crate) struct Signals {
    seen: Arc<AtomicU8>,
}

impl Signals {
    /// Returns how the program ends because of a signal.
    pub(crate) fn exit(&self) -> Option<Exit> {
        match self.seen.load(Ordering::SeqCst) {
            0 => None,
            code if code == Exit::Terminated as u8 => Some(Exit::Terminated),
            _ => Some(Exit::Interrupted),
        }
    }

    /// Listens from now on; until then, and for commands that hold nothing, a signal ends the program as usual.
    pub(crate) fn listen(&self, runtime: &Runtime, cancel: &Cancel) {
        let (signals, cancel) = (self.clone(), cancel.clone());
        runtime.spawn(async move {
            let Ok(mut incoming) = Incoming::new() else { return };
            loop {
                let exit = incoming.next().await;
                if signals.seen.swap(exit as u8, Ordering::SeqCst) != 0 {
                    end_at_once(exit);
                }
                cancel.cancel();
                print_error_line("stopping at the next safe point; once more stops at once");
            }
        });
    }
}

#[expect(clippy::exit, reason = "a person asked twice; the work in hand may never come to its safe point")]
fn end_at_once(exit: Exit) -> ! {
    std::process::exit(exit as i32)
}

#[cfg(unix)]
struct Incoming {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Incoming {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) -> Exit {
        let (interrupt, terminate) = (self.interrupt.recv(), self.terminate.recv());
        let (mut interrupt, mut terminate) = (std::pin::pin!(interrupt), std::pin::pin!(terminate));
        std::future::poll_fn(|context| {
            use std::task::Poll;
            if terminate.as_mut().poll(context).is_ready() {
                return Poll::Ready(Exit::Terminated);
            }
            interrupt.as_mut().poll(context).map(|_| Exit::Interrupted)
        })
        .await
    }
}

#[cfg(not(unix))]
struct Incoming;

#[cfg(not(unix))]
impl Incoming {
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> Exit {
        // Without a console there is nothing to wait for.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Exit::Interrupted
    }
}
