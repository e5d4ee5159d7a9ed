//! The write mutex of an endpoint's folder.
//!
//! The truth is an advisory lock of the operating system on `graphs/.lock`: it ends with its holder, however
//! that ends. Its visible face, for people and for the original `mge`, is a marker file that is called
//! `mge_endpoint.free` or `mge_endpoint.locked`; the latter says who holds the lock since when.
//!
//! Writers call [`lock`] and keep the [`Lock`]; readers need nothing and may [`inspect`].
//! [`init_if_none`], [`free`] and [`force_free`] are the reference's other commands.

mod advisory;
mod error;
mod marker;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;

use advisory::Advisory;
pub use error::LockError;
pub use marker::Holder;
use marker::Marker;

/// The states and commands of the lock with the original's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[repr(i8)]
pub enum LockState {
    /// A command: free the lock whatever its state.
    ForceFree = -2,
    /// A command: create the marker if there is none.
    InitIfNone = -1,
    /// Nobody holds the lock.
    Free = 0,
    /// Somebody holds the lock.
    Lock = 1,
    /// The lock could not be taken.
    LockFailed = 2,
    /// The lock could not be freed.
    FreeFailed = 3,
}

impl LockState {
    /// Returns the original's number.
    #[must_use]
    pub fn code(self) -> i8 {
        self as i8
    }
}

/// Who asks for the lock, and for how long.
#[derive(Clone, Debug)]
pub struct Claim<'a> {
    command: &'a str,
    now: fn() -> String,
    wait: Duration,
    host: Option<String>,
}

impl<'a> Claim<'a> {
    /// Creates a claim that fails at once when somebody else holds the lock.
    ///
    /// `command` is shown to others, such as `mge crawl`; `now` gives the time as RFC 3339 in UTC with
    /// milliseconds.
    #[must_use]
    pub fn new(command: &'a str, now: fn() -> String) -> Self {
        Self { command, now, wait: Duration::ZERO, host: None }
    }

    /// Waits up to this long for the lock.
    #[must_use]
    pub fn waiting(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// Claims in the name of another host than this machine's own name.
    #[must_use]
    pub fn on_host(mut self, host: impl Into<String>) -> Self {
        self.host = Some(host.into());
        self
    }

    fn host(&self) -> String {
        self.host.clone().unwrap_or_else(marker::this_host)
    }
}

/// The held lock; dropping it frees it.
#[derive(Debug)]
#[must_use = "the lock is freed when this is dropped"]
pub struct Lock {
    folder: PathBuf,
    holder: Holder,
    notice: Option<String>,
    advisory: Option<Advisory>,
}

/// What a reader sees of the lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum LockView {
    /// Nobody holds it.
    Free,
    /// Somebody holds it, or may: another machine's holder cannot be seen.
    Locked {
        /// Who, if the marker says so.
        #[serde(skip_serializing_if = "Option::is_none")]
        holder: Option<Holder>,
    },
    /// Its holder ended without freeing it; the next writer takes it over.
    Stale {
        /// Who it was, if the marker says so.
        #[serde(skip_serializing_if = "Option::is_none")]
        holder: Option<Holder>,
    },
}

/// What freeing the lock did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Freed {
    /// Who held it before.
    pub was: Option<Holder>,
    /// What can go wrong now; only when a living holder was passed over.
    pub risk: Option<String>,
}

/// How long a failure may be due to a reader's glance at the lock or to a holder between two steps. A loser
/// must still know within 100 ms.
const GRACE: Duration = Duration::from_millis(30);
const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// Takes the lock for writing.
///
/// A lock whose holder died on this machine is taken over; [`Lock::notice`] says so.
///
/// # Errors
///
/// When somebody else holds it beyond the claim's time, and when the folder cannot be written.
pub fn lock(folder: &Path, claim: &Claim<'_>) -> Result<Lock, LockError> {
    let start = Instant::now();
    let host = claim.host();
    let mut pause = FIRST_PAUSE;
    loop {
        let error = match attempt(folder, claim, &host) {
            Ok(lock) => return Ok(lock),
            Err(error) => error,
        };
        let patience = if error.is_held() { claim.wait.max(GRACE) } else { claim.wait };
        let left = patience.saturating_sub(start.elapsed());
        if left.is_zero() || !error.is_transient() {
            return Err(error);
        }
        std::thread::sleep(pause.min(left));
        if start.elapsed() > GRACE {
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

fn attempt(folder: &Path, claim: &Claim<'_>, host: &str) -> Result<Lock, LockError> {
    // The marker first: ours is only ever locked after `graphs/.lock` was there.
    let seen = Marker::read(folder)?;
    if let Some(error) = seen.refusal(host, Advisory::exists(folder)) {
        return Err(error);
    }
    let Some(advisory) = Advisory::acquire(folder)? else {
        return Err(LockError::Held { holder: Marker::read(folder)?.holder().cloned() });
    };
    // From here on no other of our writers changes the marker.
    let seen = Marker::read(folder)?;
    if let Some(error) = seen.refusal(host, true) {
        return Err(error);
    }
    marker::sweep(folder);
    let notice = match &seen {
        Marker::Locked { holder: Some(holder), .. } => Some(format!(
            "the previous `{}`, pid {}, ended without releasing the lock",
            holder.command, holder.pid
        )),
        Marker::Locked { holder: None, .. } => {
            Some("a previous writer ended while it took or released the lock".to_owned())
        }
        Marker::Free | Marker::None | Marker::Both { .. } => None,
    };
    let holder = Holder {
        pid: std::process::id(),
        host: host.to_owned(),
        command: claim.command.to_owned(),
        since: (claim.now)(),
    };
    marker::set_locked(folder, &seen, &holder)?;
    Ok(Lock { folder: folder.to_owned(), holder, notice, advisory: Some(advisory) })
}

impl Lock {
    /// Returns what to tell the user about a lock that was taken over.
    #[must_use]
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// Returns what others read about this holder.
    #[must_use]
    pub fn holder(&self) -> &Holder {
        &self.holder
    }

    /// Tells whether the lock is still this holder's, which only a forced unlock ends.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.advisory.as_ref().is_some_and(|advisory| advisory.is_current(&self.folder))
    }

    /// Frees the lock and says when that failed.
    ///
    /// # Errors
    ///
    /// When somebody forced the lock meanwhile, or the marker cannot be changed. The advisory lock is free
    /// in any case, so the next writer can take over.
    pub fn release(mut self) -> Result<LockState, LockError> {
        self.end().map(|()| LockState::Free)
    }

    fn end(&mut self) -> Result<(), LockError> {
        // Dropped last, so that nobody comes between the steps.
        let Some(advisory) = self.advisory.take() else { return Ok(()) };
        if !advisory.is_current(&self.folder) {
            return Err(LockError::Lost { holder: Marker::read(&self.folder)?.holder().cloned() });
        }
        marker::set_free(&self.folder, &Marker::read(&self.folder)?)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Nobody is left to tell; the advisory lock ends anyway and the next writer takes over.
        let _ = self.end();
    }
}

/// Creates the marker if there is none and returns whether the lock is free or taken.
///
/// Two markers at once, which the original can leave behind, are reduced to one.
///
/// # Errors
///
/// When the marker is missing and cannot be created.
pub fn init_if_none(folder: &Path) -> Result<LockState, LockError> {
    match Marker::read(folder)? {
        Marker::Locked { .. } => Ok(LockState::Lock),
        Marker::Free => Ok(LockState::Free),
        seen @ (Marker::None | Marker::Both { .. }) => {
            let is_both = matches!(seen, Marker::Both { .. });
            let is_refused = seen.refusal(&marker::this_host(), Advisory::exists(folder)).is_some();
            if is_refused || Advisory::probe(folder) == Some(true) {
                return Ok(LockState::Lock);
            }
            match marker::set_free(folder, &seen) {
                // Two markers are untidy, but no reason to fail in a folder that cannot be written.
                Err(_) if is_both => Ok(LockState::Free),
                done => done.map(|()| LockState::Free),
            }
        }
    }
}

/// Frees a lock that nobody alive holds: what `mge unlock` does.
///
/// # Errors
///
/// When the holder is alive, and when the marker cannot be changed.
pub fn free(folder: &Path) -> Result<Freed, LockError> {
    let seen = Marker::read(folder)?;
    // Without `graphs/.lock` nobody of ours can be alive, and freeing needs no lock of its own.
    let _advisory = if Advisory::exists(folder) {
        let start = Instant::now();
        loop {
            if let Some(advisory) = Advisory::acquire(folder)? {
                break Some(advisory);
            }
            if start.elapsed() >= GRACE {
                return Err(LockError::Alive { holder: seen.holder().cloned() });
            }
            std::thread::sleep(FIRST_PAUSE);
        }
    } else {
        None
    };
    let seen = Marker::read(folder)?;
    marker::set_free(folder, &seen)?;
    Ok(Freed { was: seen.holder().cloned(), risk: None })
}

/// Frees the lock even of a living holder: what `mge unlock --force` does.
///
/// # Errors
///
/// When the files cannot be changed.
pub fn force_free(folder: &Path) -> Result<Freed, LockError> {
    match free(folder) {
        Err(LockError::Alive { .. }) => {}
        done => return done,
    }
    let seen = Marker::read(folder)?;
    // The holder keeps its lock on the old file; a new one is the only way around it.
    Advisory::replace(folder)?;
    marker::set_free(folder, &seen)?;
    let who = seen.holder().map_or_else(|| "the holder".to_owned(), Holder::to_string);
    let risk = format!(
        "{who} is still running and may go on writing; a second writer can now damage what it writes. \
         End it before you start another"
    );
    Ok(Freed { was: seen.holder().cloned(), risk: Some(risk) })
}

/// Tells a reader who holds the lock. Writes nothing and never waits.
#[must_use]
pub fn inspect(folder: &Path) -> LockView {
    let Ok(seen) = Marker::read(folder) else { return LockView::Locked { holder: None } };
    let held = Advisory::probe(folder);
    match (seen, held) {
        // Between two steps of a writer, or under a marker that somebody changed by hand.
        (seen, Some(true)) => LockView::Locked { holder: seen.holder().cloned() },
        (Marker::Free | Marker::None, _) => LockView::Free,
        (seen, _) if seen.refusal(&marker::this_host(), Advisory::exists(folder)).is_some() => {
            LockView::Locked { holder: seen.holder().cloned() }
        }
        (Marker::Both { .. }, Some(false)) => LockView::Free,
        (Marker::Locked { holder, .. }, Some(false)) => LockView::Stale { holder },
        // Whether it is held cannot be seen here.
        (seen, None) => LockView::Locked { holder: seen.holder().cloned() },
    }
}
