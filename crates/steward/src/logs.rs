//! Structured logs in `data/logs/YYYY-MM-DD.jsonl`, one object a line, the oldest files dropped.

use policy::Redactor;
use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;

/// How many days of logs are kept.
const KEPT_DAYS: usize = 30;

/// Sends this process's log to files in `folder`. `level` is a name such as `debug`.
pub(crate) fn start(folder: PathBuf, level: Option<&str>) -> anyhow::Result<()> {
    let level = match level {
        None => LevelFilter::INFO,
        Some(name) => name.parse().map_err(|_| {
            anyhow::anyhow!("STEWARD_LOG is `{name}`: use `error`, `warn`, `info`, `debug` or `trace`")
        })?,
    };
    let writer = DailyFile { folder, today: Mutex::default() };
    let subscriber = tracing_subscriber::fmt().json().with_max_level(level).with_writer(writer).finish();
    // A second start in one process changes nothing.
    tracing::subscriber::set_global_default(subscriber).ok();
    Ok(())
}

/// What takes secrets out of log lines, once the keys are known.
static REDACTOR: OnceLock<Arc<Redactor>> = OnceLock::new();

/// From now on no log line holds a secret this redactor knows. The first one stays.
pub(crate) fn redact_with(redactor: &Arc<Redactor>) {
    REDACTOR.get_or_init(|| redactor.clone());
}

/// Opens the day's file on the first line of the day.
struct DailyFile {
    folder: PathBuf,
    today: Mutex<Option<Today>>,
}

/// The day's date and file.
type Today = (jiff::civil::Date, Arc<File>);

impl<'a> MakeWriter<'a> for DailyFile {
    type Writer = Line;

    fn make_writer(&'a self) -> Line {
        let date = jiff::Zoned::now().date();
        let mut today = self.today.lock().unwrap_or_else(PoisonError::into_inner);
        if today.as_ref().is_none_or(|(open, _)| *open != date) {
            *today = open(&self.folder, date).ok().map(|file| (date, Arc::new(file)));
        }
        Line(today.as_ref().map(|(_, file)| file.clone()))
    }
}

/// One line on its way; nowhere to go is no reason to fail.
struct Line(Option<Arc<File>>);

impl io::Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(mut file) = self.0.as_deref() else { return Ok(bytes.len()) };
        let line = redacted(&String::from_utf8_lossy(bytes));
        file.write_all(line.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The line without secrets, still one JSON object.
fn redacted(line: &str) -> String {
    let Some(redactor) = REDACTOR.get() else { return line.to_owned() };
    match serde_json::from_str::<serde_json::Value>(line) {
        Ok(mut value) => {
            redactor.redact_value(&mut value);
            format!("{value}\n")
        }
        Err(_) => redactor.redact(line).into_owned(),
    }
}

fn open(folder: &Path, date: jiff::civil::Date) -> io::Result<File> {
    fs::create_dir_all(folder)?;
    let path = folder.join(format!("{date}.jsonl"));
    let is_new = !path.exists();
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    if is_new {
        drop_oldest(folder)?;
    }
    Ok(file)
}

fn drop_oldest(folder: &Path) -> io::Result<()> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    let surplus = files.len().saturating_sub(KEPT_DAYS);
    files.into_iter().take(surplus).try_for_each(fs::remove_file)
}
