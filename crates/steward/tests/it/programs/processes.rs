//! The processes of programs, as the kernel lists them.

use std::time::Duration;

/// A process, told from a later one of the same number by when it began.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Process {
    pub pid: u32,
    began: String,
    parent: u32,
}

impl Process {
    fn read(pid: u32) -> Option<Self> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
        // What has ended and is only waited for does nothing any more.
        let (state, parent, began) = (fields.first()?, fields.get(1)?, fields.get(19)?);
        (*state != "Z").then_some(Self { pid, began: (*began).to_owned(), parent: parent.parse().ok()? })
    }

    pub fn lives(&self) -> bool {
        Self::read(self.pid).is_some_and(|now| now.began == self.began)
    }

    /// Ends it as the kernel would that has no memory left.
    pub async fn kill(&self) {
        tokio::process::Command::new("kill")
            .args(["-s", "KILL", &self.pid.to_string()])
            .status()
            .await
            .unwrap();
    }
}

/// The processes below this one in which programs run.
pub fn hosts_below(ancestor: u32) -> Vec<Process> {
    let numbers = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let all: Vec<Process> = numbers.filter_map(Process::read).collect();
    let mut below = vec![ancestor];
    let mut next = 0;
    while let Some(parent) = below.get(next).copied() {
        below.extend(all.iter().filter(|process| process.parent == parent).map(|process| process.pid));
        next += 1;
    }
    let is_host = |pid: u32| {
        std::fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim() == "code-host")
    };
    all.into_iter().filter(|process| below.contains(&process.pid) && is_host(process.pid)).collect()
}

/// Looks again and again until something is there.
pub async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let looking = async {
        loop {
            match look().await {
                Some(found) => return found,
                None => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        }
    };
    let found = tokio::time::timeout(Duration::from_secs(60), looking).await;
    found.unwrap_or_else(|_| panic!("waited too long for {what}"))
}
