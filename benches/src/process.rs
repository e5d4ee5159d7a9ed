//! A process, and what it took.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Failure;

/// What a process took.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Figures {
    /// CPU seconds, user and system.
    pub(crate) cpu: f64,
    /// Seconds on the clock.
    pub(crate) wall: f64,
    /// The most memory that was resident, in MiB.
    pub(crate) peak_mib: f64,
}

impl Figures {
    /// Adds times, and keeps the larger peak.
    pub(crate) fn add(self, other: Self) -> Self {
        Self {
            cpu: self.cpu + other.cpu,
            wall: self.wall + other.wall,
            peak_mib: self.peak_mib.max(other.peak_mib),
        }
    }

    /// Divides the times.
    pub(crate) fn divided(self, by: f64) -> Self {
        Self { cpu: self.cpu / by, wall: self.wall / by, ..self }
    }
}

/// Runs a command that must succeed.
pub(crate) fn run(command: &mut Command) -> Result<Figures, Failure> {
    let (figures, success) = measure(command)?;
    if success { Ok(figures) } else { Err(format!("{command:?} failed").into()) }
}

/// Runs a command, whatever its exit code.
pub(crate) fn run_any(command: &mut Command) -> Result<Figures, Failure> {
    Ok(measure(command)?.0)
}

fn measure(command: &mut Command) -> Result<(Figures, bool), Failure> {
    let (before, start) = (children_cpu()?, Instant::now());
    let child = command.stdout(Stdio::null()).stderr(Stdio::inherit()).spawn()?;
    let (peak_mib, success) = watch(child)?;
    let figures = Figures { cpu: children_cpu()? - before, wall: start.elapsed().as_secs_f64(), peak_mib };
    Ok((figures, success))
}

/// Runs a command that prints JSON Lines and returns the last of them too.
pub(crate) fn last_line(command: &mut Command) -> Result<(Figures, Value), Failure> {
    let (figures, line) = last_text(command)?;
    Ok((figures, serde_json::from_str(&line)?))
}

/// Runs a command that prints lines and returns the last of them too.
pub(crate) fn last_text(command: &mut Command) -> Result<(Figures, String), Failure> {
    let (before, start) = (children_cpu()?, Instant::now());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let output = child.stdout.take().ok_or("no output")?;
    let reader = std::thread::spawn(move || BufReader::new(output).lines().map_while(Result::ok).last());
    let (peak_mib, success) = watch(child)?;
    let line = reader.join().map_err(|_| "the reader panicked")?.unwrap_or_default();
    if !success {
        return Err(format!("{command:?} failed: {line}").into());
    }
    let figures = Figures { cpu: children_cpu()? - before, wall: start.elapsed().as_secs_f64(), peak_mib };
    Ok((figures, line))
}

/// Waits for a process, looking at its peak of memory meanwhile.
fn watch(mut child: Child) -> Result<(f64, bool), Failure> {
    let status_file = format!("/proc/{}/status", child.id());
    let mut peak = 0.0_f64;
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(now) = fs::read_to_string(&status_file).ok().and_then(|text| high_water(&text)) {
            peak = peak.max(now);
        }
        if let Some(status) = child.try_wait()? {
            return Ok((peak, status.success()));
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

fn high_water(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib / 1024.0)
}

/// Returns the CPU seconds of all children that were waited for.
fn children_cpu() -> Result<f64, Failure> {
    const TICKS: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat")?;
    // The name, in brackets, may hold spaces; fields count from the state on.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks =
        |position: usize| fields.get(position).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    Ok((ticks(13) + ticks(14)) / TICKS)
}
