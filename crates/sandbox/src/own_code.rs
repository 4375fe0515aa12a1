//! The program's own code in memory. Starting touches much of it once; a process that then rests for days need not
//! hold on to that.

use crate::sys;

/// Lets go of this program's code pages: they are clean copies of its file, and those that are needed again come
/// back from the page cache by themselves.
pub fn forget_code() {
    let Ok(maps) = std::fs::read_to_string("/proc/self/maps") else { return };
    let Ok(program) = std::fs::read_link("/proc/self/exe") else { return };
    for line in maps.lines().filter(|line| line.ends_with(&*program.to_string_lossy())) {
        if let Some((start, length)) = code(line)
            && let Err(error) = sys::forget(start, length)
        {
            tracing::debug!(%error, "code pages stay");
        }
    }
}

/// Where a mapping is, if it is code: readable, executable, and never written to.
fn code(line: &str) -> Option<(usize, usize)> {
    let (range, rest) = line.split_once(' ')?;
    if !rest.starts_with("r-xp ") {
        return None;
    }
    let (start, end) = range.split_once('-')?;
    let start = usize::from_str_radix(start, 16).ok()?;
    Some((start, usize::from_str_radix(end, 16).ok()?.checked_sub(start)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_is_forgotten_and_it_comes_back() {
        assert_eq!(code("1000-3000 r-xp 00000000 fe:00 1 /x"), Some((0x1000, 0x2000)));
        assert_eq!(code("1000-3000 r--p 00000000 fe:00 1 /x"), None);
        assert_eq!(code("1000-3000 rwxp 00000000 fe:00 1 /x"), None);
        let resident = || {
            let status = std::fs::read_to_string("/proc/self/status").unwrap();
            let line = status.lines().find(|line| line.starts_with("RssFile:")).unwrap().to_owned();
            line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
        };
        let before = resident();
        forget_code();
        assert!(resident() < before, "{} kB, before {before} kB", resident());
    }
}
