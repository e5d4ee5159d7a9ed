//! The lock: transitions, crashes, and real processes beside each other.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use mge_config::lock::{
    Claim, Holder, Lock, LockError, LockState, LockView, force_free, free, init_if_none, inspect, lock,
};
use serde_json::Value;

const SINCE: &str = "2026-01-02T03:04:05.678Z";
const FOLDER: &str = "MGE_CONFIG_TEST_FOLDER";

fn now() -> String {
    SINCE.to_owned()
}

fn claim() -> Claim<'static> {
    Claim::new("mge crawl", now)
}

fn take(folder: &Path) -> Lock {
    lock(folder, &claim()).unwrap()
}

fn endpoint() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mge_endpoint.jsonc"), "{}").unwrap();
    fs::write(folder.path().join("mge_endpoint.free"), "").unwrap();
    folder
}

fn markers(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("mge_endpoint.") && name != "mge_endpoint.jsonc")
        .collect();
    names.sort();
    names
}

fn marker(folder: &Path) -> PathBuf {
    folder.join("mge_endpoint.locked")
}

fn left_behind(folder: &Path, host: Option<&str>) {
    let holder = take(folder).holder().clone();
    let host = host.map_or(holder.host, str::to_owned);
    let holder = Holder { pid: 4711, host, command: "mge crawl".into(), since: SINCE.into() };
    fs::write(marker(folder), serde_json::to_string(&holder).unwrap()).unwrap();
    fs::remove_file(folder.join("mge_endpoint.free")).unwrap();
}

#[test]
fn states_have_the_numbers_of_the_original() {
    use LockState::*;
    assert_eq!(
        [ForceFree, InitIfNone, Free, Lock, LockFailed, FreeFailed].map(LockState::code),
        [-2, -1, 0, 1, 2, 3]
    );
}

#[test]
fn the_marker_says_who_holds_the_lock() {
    let folder = endpoint();
    let held = take(folder.path());
    assert!(held.notice().is_none() && held.is_held());
    assert_eq!(markers(folder.path()), ["mge_endpoint.locked"]);
    let written: Value = serde_json::from_slice(&fs::read(marker(folder.path())).unwrap()).unwrap();
    let members: Vec<_> = written.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(members, ["pid", "host", "command", "since"]);
    assert_eq!((&written["command"], &written["since"]), (&"mge crawl".into(), &SINCE.into()));
    assert_eq!(written["pid"], std::process::id());
    assert_eq!(held.release().unwrap(), LockState::Free);
    assert_eq!(markers(folder.path()), ["mge_endpoint.free"]);
    assert_eq!(fs::read(folder.path().join("mge_endpoint.free")).unwrap(), b"");
}

#[test]
fn dropping_frees() {
    let folder = endpoint();
    drop(take(folder.path()));
    assert_eq!(markers(folder.path()), ["mge_endpoint.free"]);
    assert_eq!(inspect(folder.path()), LockView::Free);
}

#[test]
fn a_second_claim_fails_at_once_and_names_the_holder() {
    let folder = endpoint();
    let held = take(folder.path());
    let start = Instant::now();
    let error = lock(folder.path(), &claim()).unwrap_err();
    assert!(start.elapsed() < Duration::from_millis(100), "{:?}", start.elapsed());
    assert_eq!(error.holder(), Some(held.holder()));
    assert_eq!(error.state(), LockState::LockFailed);
    assert!(error.to_string().starts_with("the endpoint is locked by `mge crawl` (pid "), "{error}");
    let error = free(folder.path()).unwrap_err();
    assert_eq!(error.state(), LockState::FreeFailed);
    assert!(error.hint().unwrap().contains("--force"));
    assert_eq!(markers(folder.path()), ["mge_endpoint.locked"]);
}

#[test]
fn a_dead_holder_is_taken_over_with_a_notice() {
    let folder = endpoint();
    left_behind(folder.path(), None);
    assert!(matches!(inspect(folder.path()), LockView::Stale { holder: Some(holder) } if holder.pid == 4711));
    let held = take(folder.path());
    assert_eq!(held.notice(), Some("the previous `mge crawl`, pid 4711, ended without releasing the lock"));
    assert_eq!(inspect(folder.path()), LockView::Locked { holder: Some(held.holder().clone()) });
}

#[test]
fn an_empty_or_damaged_marker_after_a_crash_is_taken_over() {
    for content in ["", "{\"pid\": 47", "\u{0}\u{0}", "[]"] {
        let folder = endpoint();
        drop(take(folder.path()));
        fs::rename(folder.path().join("mge_endpoint.free"), marker(folder.path())).unwrap();
        fs::write(marker(folder.path()), content).unwrap();
        fs::write(folder.path().join(".mge_endpoint.locked.Ab12.tmp"), "{").unwrap();
        assert_eq!(inspect(folder.path()), LockView::Stale { holder: None });
        let held = take(folder.path());
        assert!(held.notice().unwrap().contains("a previous writer"), "{content:?}");
        assert_eq!(markers(folder.path()), ["mge_endpoint.locked"], "the temporary file is swept");
        drop(held);
        assert_eq!(markers(folder.path()), ["mge_endpoint.free"]);
    }
}

#[test]
fn a_marker_of_another_host_is_refused_until_it_is_unlocked() {
    let folder = endpoint();
    left_behind(folder.path(), Some("elsewhere"));
    let error = lock(folder.path(), &claim()).unwrap_err();
    assert!(matches!(&error, LockError::OtherHost { holder } if holder.host == "elsewhere"));
    assert!(error.to_string().contains("(pid 4711 on elsewhere) since 2026-01-02T03:04:05.678Z"), "{error}");
    assert!(matches!(inspect(folder.path()), LockView::Locked { holder: Some(_) }));
    assert_eq!(init_if_none(folder.path()).unwrap(), LockState::Lock);
    let freed = free(folder.path()).unwrap();
    assert_eq!((freed.was.unwrap().pid, freed.risk), (4711, None));
    take(folder.path()).release().unwrap();
}

#[test]
fn a_marker_of_the_original_is_refused_again_and_again() {
    let folder = endpoint();
    fs::rename(folder.path().join("mge_endpoint.free"), marker(folder.path())).unwrap();
    for _ in 0..2 {
        let error = lock(folder.path(), &claim()).unwrap_err();
        assert!(
            matches!(&error, LockError::Foreign { since: Some(since) } if since.ends_with('Z')),
            "{error}"
        );
        assert!(!folder.path().join("graphs/.lock").exists(), "the refusal leaves no trace");
    }
    assert_eq!(inspect(folder.path()), LockView::Locked { holder: None });
    free(folder.path()).unwrap();
    take(folder.path()).release().unwrap();
}

#[test]
fn a_forced_unlock_states_the_risk_and_the_old_holder_notices() {
    let folder = endpoint();
    let old = take(folder.path());
    let freed = force_free(folder.path()).unwrap();
    assert_eq!(freed.was.as_ref(), Some(old.holder()));
    assert!(freed.risk.unwrap().contains("still running"));
    assert_eq!(markers(folder.path()), ["mge_endpoint.free"]);
    assert!(!old.is_held());
    let new = take(folder.path());
    let error = old.release().unwrap_err();
    assert!(matches!(error, LockError::Lost { .. }));
    assert_eq!(markers(folder.path()), ["mge_endpoint.locked"], "the new holder's marker stays");
    assert!(new.is_held());
    new.release().unwrap();
}

#[test]
fn a_folder_that_is_not_there_is_not_made() {
    let folder = endpoint().path().join("typo");
    assert!(matches!(lock(&folder, &claim()), Err(LockError::Io { action: "create", .. })));
    assert!(!folder.exists());
    assert_eq!(inspect(&folder), LockView::Free);
}

#[test]
fn both_markers_and_none_are_repaired() {
    let folder = endpoint();
    fs::write(marker(folder.path()), "").unwrap();
    assert_eq!(init_if_none(folder.path()).unwrap(), LockState::Free);
    assert_eq!(markers(folder.path()), ["mge_endpoint.free"]);
    fs::write(marker(folder.path()), "").unwrap();
    let held = take(folder.path());
    assert_eq!(markers(folder.path()), ["mge_endpoint.locked"]);
    fs::write(folder.path().join("mge_endpoint.free"), "").unwrap();
    assert_eq!(init_if_none(folder.path()).unwrap(), LockState::Lock, "somebody holds it");
    held.release().unwrap();
    assert_eq!(markers(folder.path()), ["mge_endpoint.free"]);

    fs::remove_file(folder.path().join("mge_endpoint.free")).unwrap();
    assert_eq!(inspect(folder.path()), LockView::Free);
    assert_eq!(markers(folder.path()), [""; 0], "a reader writes nothing");
    let held = take(folder.path());
    assert_eq!(markers(folder.path()), ["mge_endpoint.locked"]);
    held.release().unwrap();
    fs::remove_file(folder.path().join("mge_endpoint.free")).unwrap();
    assert_eq!(init_if_none(folder.path()).unwrap(), LockState::Free);
    assert_eq!(markers(folder.path()), ["mge_endpoint.free"]);
}

#[test]
fn a_marker_cannot_play_with_the_terminal() {
    let folder = endpoint();
    left_behind(folder.path(), Some("evil\u{1b}[2J"));
    let text = lock(folder.path(), &claim()).unwrap_err().to_string();
    assert!(!text.contains('\u{1b}'), "{text}");
}

#[cfg(unix)]
#[test]
fn readers_work_on_a_read_only_folder() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = endpoint();
    drop(take(folder.path()));
    let held = take(folder.path());
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
    assert!(matches!(inspect(folder.path()), LockView::Locked { holder: Some(_) }));
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    drop(held);
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
    assert_eq!(inspect(folder.path()), LockView::Free);
    assert_eq!(init_if_none(folder.path()).unwrap(), LockState::Free);
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn views_have_the_shape_of_status_json() {
    let folder = endpoint();
    let view = |folder: &Path| serde_json::to_value(inspect(folder)).unwrap();
    assert_eq!(view(folder.path()), serde_json::json!({"state": "free"}));
    let held = take(folder.path());
    assert_eq!(view(folder.path())["state"], "locked");
    assert_eq!(view(folder.path())["holder"]["command"], "mge crawl");
    drop(held);
}

// Real processes: the test binary starts itself again with a folder in the environment.

struct Process {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Process {
    fn start(role: &str, folder: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", role, "--nocapture", "--ignored"])
            .env(FOLDER, folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines }
    }

    /// Returns what the process reports next, past what the test harness prints.
    fn report(&mut self) -> String {
        let mut line = String::new();
        while self.lines.read_line(&mut line).unwrap() > 0 {
            if let Some((_, report)) = line.trim_end().split_once("report: ") {
                return report.to_owned();
            }
            line.clear();
        }
        panic!("the process ended");
    }

    fn go_on(&mut self) {
        self.child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn report(text: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "report: {text}").unwrap();
    out.flush().unwrap();
}

fn wait_for_line() {
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

/// Takes the lock, says so, and holds it until told to go on.
#[test]
#[ignore = "a role for other tests"]
fn role_holder() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let held = lock(Path::new(&folder), &claim()).unwrap();
    report("locked");
    wait_for_line();
    held.release().unwrap();
    report("released");
}

/// Gets ready, then tries once when told, and says how it went and how long it took.
#[test]
#[ignore = "a role for other tests"]
fn role_racer() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    report("ready");
    wait_for_line();
    let start = Instant::now();
    let outcome = lock(Path::new(&folder), &claim());
    let took = start.elapsed().as_millis();
    report(&match &outcome {
        Ok(_) => "won".to_owned(),
        Err(LockError::Held { holder }) => format!("lost {took} {}", holder.is_some()),
        Err(error) => format!("failed: {error}"),
    });
    wait_for_line();
}

#[test]
fn of_processes_at_the_same_instant_exactly_one_wins() {
    for with_marker in [true, false] {
        let folder = endpoint();
        if !with_marker {
            fs::remove_file(folder.path().join("mge_endpoint.free")).unwrap();
        }
        let mut racers: Vec<_> = (0..6).map(|_| Process::start("role_racer", folder.path())).collect();
        racers.iter_mut().for_each(|racer| assert_eq!(racer.report(), "ready"));
        racers.iter_mut().for_each(Process::go_on);
        let reports: Vec<_> = racers.iter_mut().map(Process::report).collect();
        assert_eq!(reports.iter().filter(|report| *report == "won").count(), 1, "{reports:?}");
        for report in reports.iter().filter(|report| *report != "won") {
            let words: Vec<_> = report.split(' ').collect();
            assert_eq!((words[0], words[2]), ("lost", "true"), "the loser knows the holder: {report}");
            // 100 ms is the promise; the six processes share whatever cores there are.
            assert!(words[1].parse::<u64>().unwrap() < 400, "{reports:?}");
        }
        racers.into_iter().for_each(|mut racer| {
            racer.go_on();
            racer.child.wait().unwrap();
        });
        assert_eq!(inspect(folder.path()), LockView::Free);
        assert_eq!(markers(folder.path()), ["mge_endpoint.free"]);
    }
}

#[test]
fn a_killed_holder_is_taken_over() {
    let folder = endpoint();
    let mut holder = Process::start("role_holder", folder.path());
    assert_eq!(holder.report(), "locked");
    let pid = holder.child.id();
    assert!(matches!(inspect(folder.path()), LockView::Locked { holder: Some(holder) } if holder.pid == pid));
    let error = lock(folder.path(), &claim()).unwrap_err();
    assert_eq!(error.holder().unwrap().pid, pid);
    holder.kill();
    assert!(matches!(inspect(folder.path()), LockView::Stale { holder: Some(holder) } if holder.pid == pid));
    let held = take(folder.path());
    assert!(held.notice().unwrap().contains(&format!("pid {pid}")));
    held.release().unwrap();
}

#[test]
fn a_stale_lock_can_be_unlocked_and_a_living_one_only_by_force() {
    let folder = endpoint();
    let mut holder = Process::start("role_holder", folder.path());
    assert_eq!(holder.report(), "locked");
    assert!(matches!(free(folder.path()).unwrap_err(), LockError::Alive { holder: Some(_) }));
    holder.kill();
    let freed = free(folder.path()).unwrap();
    assert!(freed.was.is_some() && freed.risk.is_none());
    assert_eq!(markers(folder.path()), ["mge_endpoint.free"]);
}

#[test]
fn waiting_gets_the_lock_when_it_is_released_and_gives_up_at_the_deadline() {
    let folder = endpoint();
    let mut holder = Process::start("role_holder", folder.path());
    assert_eq!(holder.report(), "locked");
    let start = Instant::now();
    let deadline = Duration::from_millis(150);
    assert!(lock(folder.path(), &claim().waiting(deadline)).unwrap_err().is_held());
    assert!(start.elapsed() >= deadline && start.elapsed() < Duration::from_secs(5));

    let path = folder.path().to_owned();
    let waiter = std::thread::spawn(move || lock(&path, &claim().waiting(Duration::from_secs(30))));
    holder.go_on();
    let held = waiter.join().unwrap().unwrap();
    assert!(held.notice().is_none());
    holder.child.wait().unwrap();
    held.release().unwrap();
}

#[test]
fn readers_do_not_make_a_writer_fail() {
    let folder = endpoint();
    drop(take(folder.path()));
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    let _ = inspect(folder.path());
                    std::thread::sleep(Duration::from_millis(1));
                }
            });
        }
        let outcomes: Vec<_> = (0..30).map(|_| lock(folder.path(), &claim()).map(drop)).collect();
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
    });
}
