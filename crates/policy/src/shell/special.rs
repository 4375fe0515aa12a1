//! Commands with a grammar of their own: `find`, `tar`, `git`, `cd`, `test`, shells and interpreters, and the
//! checks on small languages such as `sed`. The tables they use are in `commands`.

use super::{
    Effect,
    commands::{AWK_REACHES, FIND_RUNS, FIND_TESTS, TEST_OPERATORS},
    options::{Line, Order, sort},
    reading::{Inner, Reading, leads_away, profile},
    word::{Form, Word},
};
use crate::call::Access;

/// `find`: starting points, then tests; what it runs is read too, and always asks.
pub(super) fn find(reading: &mut Reading, words: &[Word]) {
    reading.known = true;
    let is_test = |word: &&Word| word.text.starts_with('-') || matches!(word.text.as_str(), "(" | ")" | "!");
    let start = words.iter().position(|word| is_test(&word)).unwrap_or(words.len());
    let (points, mut rest) = words.split_at(start);
    points.iter().for_each(|word| reading.path(word, Access::Read));
    if points.is_empty() {
        reading.here(Access::Read);
    }
    while let Some((test, after)) = rest.split_first() {
        let name = test.text.as_str();
        if FIND_RUNS.contains(&name) {
            let end =
                after.iter().position(|word| matches!(word.text.as_str(), ";" | "+")).unwrap_or(after.len());
            let (command, tail) = after.split_at(end);
            reading.unclear(format!("`find {name}` runs a command for every file it finds"));
            reading.inner.push(Inner::Words(command.to_vec()));
            rest = tail.get(1..).unwrap_or_default();
            continue;
        }
        match FIND_TESTS.iter().find(|(known, _)| *known == name) {
            Some((_, values)) => rest = after.get(*values..).unwrap_or_default(),
            None => {
                reading.unclear(format!("`{name}` of `find` is not understood"));
                rest = after;
            }
        }
    }
}

/// `tar`: creating, listing or extracting, with the few options that neither run programs nor leave the folder.
pub(super) fn tar(reading: &mut Reading, words: &[Word]) {
    reading.known = true;
    let mut words = words.to_vec();
    // The old spelling without a dash, as in `tar xzf`: each letter's value follows in turn, so one is enough.
    if let Some(first) = words.first_mut().filter(|first| !first.text.starts_with('-')) {
        let values = first.text.chars().filter(|letter| matches!(letter, 'f' | 'C')).count();
        if values > 1 || (values == 1 && !first.text.ends_with('f')) {
            reading.unclear("the order of the options of `tar` is not plain".into());
        }
        first.text.insert(0, '-');
    }
    let long = "create extract get list file< directory> gzip bzip2 xz verbose exclude= strip-components= auto-compress";
    let line = sort("tar", &words, "cxtvzjJaf<C>", long, Order::Anywhere);
    for reason in &line.unclear {
        reading.unclear(reason.clone());
    }
    let creates = line.has(&["c", "create"]);
    let extracts = line.has(&["x", "extract", "get"]);
    for value in &line.uses {
        let is_archive = value.access == Access::Read;
        if is_archive && value.text.contains(':') {
            reading.unclear(format!("`tar` may take `{}` as another machine", value.text));
        }
        if !is_archive && !extracts {
            reading.unclear("`tar -C` changes what later words mean".into());
        }
        let access = if creates || !is_archive { Access::Write } else { Access::Read };
        if value.text != "-" {
            reading.uses.push(super::PathUse { access, ..value.clone() });
        }
    }
    if extracts {
        reading.makes_links = true;
        reading.effect = Effect::Writes;
        if !line.has(&["C", "directory"]) {
            reading.here(Access::Write);
        }
    } else if creates {
        reading.effect = Effect::Writes;
        line.operands.iter().for_each(|word| reading.path(word, Access::Read));
    }
    if creates == extracts && !line.has(&["t", "list"]) {
        reading.unclear("what `tar` is to do is not plain".into());
    }
}

/// `git`: the subcommand decides; an unknown one may be an alias and asks.
pub(super) fn git(reading: &mut Reading, words: &[Word]) {
    let line = sort("git", words, "C<", "no-pager version", Order::First);
    for reason in &line.unclear {
        reading.unclear(reason.clone());
    }
    let elsewhere = line.uses.clone();
    reading.uses.extend(line.uses.iter().cloned());
    let Some((subcommand, rest)) = line.operands.split_first() else {
        reading.known = line.has(&["version"]);
        return match reading.known {
            true => {}
            false => reading.unclear("`git` is given no subcommand".into()),
        };
    };
    let name = format!("git {}", subcommand.text);
    let Some(profile) = profile(&name) else {
        reading.effect = Effect::Outside;
        return reading.unclear(format!("`{name}` is not understood, or is an alias"));
    };
    let rest: Vec<Word> = rest.iter().map(|word| (*word).clone()).collect();
    reading.with_profile(&name, profile, &rest);
    if !elsewhere.is_empty() && rest.iter().any(|word| !word.text.starts_with('-') && word.text.contains('/'))
    {
        reading.unclear("`git -C` and a path do not go together".into());
    }
    if reading.effect >= Effect::Writes {
        let folders =
            elsewhere.iter().map(|folder| super::PathUse { access: Access::Write, ..folder.clone() });
        reading.uses.extend(folders.collect::<Vec<_>>());
    }
}

/// `cd`: one plain folder, so that later paths can be looked up from both places.
pub(super) fn cd(reading: &mut Reading, words: &[Word]) {
    reading.known = true;
    match words {
        [target]
            if !target.text.starts_with('-') && !target.text.is_empty() && !target.text.contains("..") =>
        {
            reading.path(target, Access::Read);
            reading.cd = Some(target.clone());
        }
        _ => reading.unclear("where `cd` goes is not plain".into()),
    }
}

/// `test`: only operators that look at files, texts and numbers; `-v` can run code hidden in a name.
pub(super) fn test(reading: &mut Reading, words: &[Word]) {
    reading.known = true;
    for word in words {
        if word.text.starts_with('-')
            && !TEST_OPERATORS.contains(&word.text.as_str())
            && word.text.parse::<i64>().is_err()
        {
            reading.unclear(format!("`{}` of `test` is not understood", word.text));
        }
        if leads_away(word) {
            reading.path(word, Access::Read);
        }
    }
}

/// A shell: `-c` with a plain text is read like the script itself, a script file like an interpreter's.
pub(super) fn shell(reading: &mut Reading, name: &str, words: &[Word]) {
    let is_bourne = !matches!(name, "fish" | "csh" | "tcsh");
    match words {
        [flag, script, ..]
            if is_bourne && matches!(flag.text.as_str(), "-c" | "-ec" | "-ce" | "-euc" | "-uec" | "-xc") =>
        {
            reading.wraps = true;
            reading.known = true;
            match script.form {
                Form::Literal => reading.inner.push(Inner::Script(script.text.clone())),
                _ => reading.unclear(format!("what `{name} -c` runs is only known when it runs")),
            }
        }
        _ => interpreter(reading, name, words),
    }
}

/// An interpreter: a script file may be named, code on the line or from standard input is not understood.
pub(super) fn interpreter(reading: &mut Reading, name: &str, words: &[Word]) {
    reading.known = true;
    match words {
        [only] if only.text == "--version" => {}
        // A device or `/proc` is standard input under another name.
        [script, rest @ ..]
            if !script.text.starts_with('-')
                && !script.text.starts_with("/dev/")
                && !script.text.starts_with("/proc/") =>
        {
            reading.effect = Effect::Writes;
            reading.path(script, Access::Read);
            reading.plain_operands(rest);
        }
        _ => {
            reading.effect = Effect::Outside;
            reading.unclear(format!("the code `{name}` would run is not understood"));
            // Code handed to a shell in an unusual way is still looked through for what may never run.
            let scripts = words.iter().filter(|word| word.form == Form::Literal && word.text.contains(' '));
            reading.inner.extend(scripts.map(|word| Inner::Script(word.text.clone())));
        }
    }
}

/// Commands that always ask are still looked through for what they would run or overwrite.
pub(super) fn refused(reading: &mut Reading, name: &str, words: &[Word]) {
    match name {
        "dd" => {
            for target in words.iter().filter_map(|word| word.text.strip_prefix("of=")) {
                reading.uses.push(super::PathUse {
                    text: target.into(),
                    tilde: false,
                    access: Access::Write,
                });
            }
        }
        "eval" => {
            let script = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
            reading.inner.push(Inner::Script(script));
        }
        "exec" | "coproc" | "watch" | "chroot" | "unshare" | "nsenter" => {
            let command: Vec<Word> =
                words.iter().skip_while(|word| word.text.starts_with('-')).cloned().collect();
            if !command.is_empty() {
                reading.inner.push(Inner::Words(command));
            }
        }
        _ => {}
    }
}

/// What a profile cannot say: small languages, files named by `@`, where a download or an archive lands.
pub(super) fn extra_checks(reading: &mut Reading, name: &str, line: &Line<'_>) {
    let program = line.operands.first().map_or("", |word| word.text.as_str());
    match name {
        "sed" if !is_plain_sed(program) => reading.unclear("the `sed` script is not understood".into()),
        "awk" | "gawk" | "mawk" if AWK_REACHES.iter().any(|reach| program.contains(reach)) => {
            reading.unclear("the `awk` program can run commands or reach files".into());
        }
        "jq" if ["import", "include", "env", "input_filename", "$ENV"]
            .iter()
            .any(|reach| program.contains(reach)) =>
        {
            reading.unclear("the `jq` program reaches beyond its input".into());
        }
        "ln" if line.operands.iter().any(|word| word.text.contains("..")) => {
            reading.unclear("where the link would lead is not plain".into());
        }
        "unzip" if !line.has(&["d", "l", "t", "v"]) => reading.here(Access::Write),
        "date" if line.operands.iter().any(|word| !word.text.starts_with('+')) => {
            reading.unclear("it may set the clock".into());
        }
        "curl" | "wget" => {
            for value in line.values.iter().filter_map(|value| value.strip_prefix('@')) {
                reading.uses.push(super::PathUse { text: value.into(), tilde: false, access: Access::Read });
            }
            let names_target = line.uses.iter().any(|value| value.access == Access::Write);
            if line.has(&["O", "remote-name"]) && name == "curl" || name == "wget" && !names_target {
                reading.here(Access::Write);
            }
        }
        _ => {}
    }
}

/// Web addresses must be plain ones; `git clone` also names where it writes.
pub(super) fn web(reading: &mut Reading, name: &str, line: &Line<'_>) {
    let clones = name == "git clone";
    let (addresses, targets) =
        line.operands.split_at(if clones { line.operands.len().min(1) } else { line.operands.len() });
    for address in addresses {
        let is_web = address.text.starts_with("https://") || address.text.starts_with("http://");
        let is_bare = !clones && !address.text.contains([':', '@', '{', '[']);
        if !is_web && !is_bare {
            reading.unclear(format!("`{}` is not a web address", address.text));
        }
    }
    targets.iter().for_each(|word| reading.path(word, Access::Write));
    if clones && targets.is_empty() {
        reading.here(Access::Write);
    }
}

/// One plain `sed` command: printing, deleting or quitting at lines, or one substitution without `e` or `w`.
fn is_plain_sed(script: &str) -> bool {
    let after_lines = script.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ',' | '$'));
    if matches!(after_lines, "p" | "d" | "q" | "=") {
        return true;
    }
    let Some(rest) = after_lines.strip_prefix('s') else { return false };
    let Some(mark) = rest.chars().next().filter(|mark| "/|#,@:!%".contains(*mark)) else { return false };
    let parts: Vec<&str> = rest.split(mark).collect();
    let [_, from, to, flags] = parts.as_slice() else { return false };
    let no_escapes = !from.ends_with('\\') && !to.ends_with('\\') && !script.contains('\n');
    no_escapes && flags.chars().all(|c| matches!(c, 'g' | 'p' | 'i' | 'I') || c.is_ascii_digit())
}
