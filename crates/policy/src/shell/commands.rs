//! What is known about commands, as data: which options are harmless, which words are paths, which programs run
//! others, which always ask. How a line is read with it is for `reading`.
//!
//! Options are spelled as getopt does. Short: one letter each, followed by `:` when it takes a text, `<` a path
//! it reads, `>` a path it writes, `!` a text that stands in for the first operand. Long: words with the same
//! marks, and `?` for an optional text. An option that is not listed is not understood.

use super::Effect::{self, Outside, Reads, Writes};
use Operands::{
    AllButLastRead, FirstTextThenRead, FirstTextThenWrite, FirstWriteThenRead, OnlyOptions, Read, Text,
    TextOrRead, Web, Write,
};

/// How one command is read.
#[derive(Debug)]
pub(super) struct Profile {
    /// Every name it has; two words for a command with subcommands.
    pub(super) names: &'static [&'static str],
    pub(super) effect: Effect,
    pub(super) operands: Operands,
    pub(super) short: &'static str,
    pub(super) long: &'static str,
}

/// What the words that are no options mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// There may be none.
    OnlyOptions,
    Text,
    Read,
    Write,
    FirstTextThenRead,
    FirstTextThenWrite,
    FirstWriteThenRead,
    AllButLastRead,
    /// Text, unless it looks like a path that leads away.
    TextOrRead,
    /// Web addresses.
    Web,
}

const fn row(
    names: &'static [&'static str],
    effect: Effect,
    operands: Operands,
    short: &'static str,
    long: &'static str,
) -> Profile {
    Profile { names, effect, operands, short, long }
}

/// Commands whose words are all understood.
#[rustfmt::skip]
pub(super) const PROFILES: &[Profile] = &[
    row(&["ls", "dir"], Reads, Read, "aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1",
        "all almost-all color? classify? human-readable recursive reverse size sort= time= full-time group-directories-first"),
    row(&["cat"], Reads, Read, "AbeEnstTuv", "number number-nonblank show-all squeeze-blank"),
    row(&["head", "tail"], Reads, Read, "qvzn:c:0123456789", "lines= bytes= quiet verbose"),
    row(&["wc"], Reads, Read, "cmlLw", "bytes chars lines words max-line-length"),
    row(&["grep", "egrep", "fgrep"], Reads, FirstTextThenRead, "abcEFGhHiIlLnoPqrRsvwxzyZUA:B:C:m:e!0123456789",
        "color? colour? count ignore-case invert-match line-number recursive only-matching word-regexp files-with-matches \
         files-without-match include= exclude= exclude-dir= regexp! extended-regexp fixed-strings perl-regexp after-context= \
         before-context= context= max-count= no-filename with-filename quiet text"),
    row(&["rg"], Reads, FirstTextThenRead, "aciFhHilLnNoPqsSuUvwxA:B:C:m:e!g:t:T:M:j:",
        "color= count ignore-case invert-match line-number only-matching word-regexp files-with-matches files-without-match \
         glob= regexp! fixed-strings after-context= before-context= context= max-count= max-columns= hidden no-ignore json \
         type= type-not= multiline smart-case no-heading heading no-messages stats sort= max-depth="),
    row(&["sort"], Reads, Read, "bcdfghiMnRrsuVzk:t:", "reverse unique numeric-sort key= field-separator= human-numeric-sort version-sort"),
    row(&["uniq"], Reads, AllButLastRead, "cdDiuzf:s:w:", "count repeated unique ignore-case"),
    row(&["cut"], Reads, Read, "nszb:c:d:f:", "bytes= characters= delimiter= fields= complement only-delimited output-delimiter="),
    row(&["tr"], Reads, Text, "cCdst", "complement delete squeeze-repeats truncate-set1"),
    row(&["diff"], Reads, Read, "abBcdeEiNnpqrsTtuwyU:C:W:", "brief unified? recursive color? side-by-side ignore-all-space ignore-case"),
    row(&["cmp"], Reads, Read, "bls", "silent quiet verbose"),
    row(&["file"], Reads, Read, "bhiLNrsz", "brief mime mime-type mime-encoding dereference"),
    row(&["stat"], Reads, Read, "Lftc:", "format= printf= dereference terse"),
    row(&["du"], Reads, Read, "abcDhHkLlmPsSxd:t:", "all apparent-size human-readable summarize total max-depth= exclude="),
    row(&["df"], Reads, Read, "ahHiklPT", "human-readable inodes all local print-type"),
    row(&["tree"], Reads, Read, "adfiplhDFsguCnL:I:P:", "dirsfirst prune noreport"),
    row(&["pwd"], Reads, Text, "LP", ""),
    row(&["echo", "true", "false", ":", "exit", "break", "continue"], Reads, Text, "neE", ""),
    row(&["printf"], Reads, Text, "", ""),
    row(&["seq", "sleep", "uname", "whoami", "id", "groups", "nproc", "uptime", "arch"], Reads, Text, "asnrvmpoiguGw", "all"),
    row(&["base64"], Reads, Read, "diw:", "decode wrap="),
    row(&["date", "cal"], Reads, Text, "uRId:", "date= utc iso-8601? rfc-3339= universal"),
    row(&["basename", "dirname"], Reads, Text, "azs:", "multiple suffix= zero"),
    row(&["realpath", "readlink"], Reads, Read, "efmnsqzL", "canonicalize canonicalize-existing canonicalize-missing no-symlinks"),
    row(&["which", "type"], Reads, Text, "apPtf", "all"),
    row(&["md5sum", "sha1sum", "sha256sum", "sha512sum", "b2sum", "cksum"], Reads, Read, "btz", "tag"),
    row(&["jq"], Reads, FirstTextThenRead, "arcCMSsnejR", "raw-output compact-output slurp null-input sort-keys exit-status tab"),
    row(&["awk", "gawk", "mawk"], Reads, FirstTextThenRead, "F:v:", "field-separator="),
    row(&["sed"], Reads, FirstTextThenRead, "nErsuz", "quiet silent regexp-extended"),
    row(&["mkdir"], Writes, Write, "pvm:", "parents verbose mode="),
    row(&["rmdir"], Writes, Write, "pv", "parents verbose ignore-fail-on-non-empty"),
    row(&["touch"], Writes, Write, "acmd:t:r<", "date= no-create reference<"),
    row(&["rm"], Writes, Write, "fiIrRdv", "force recursive verbose dir one-file-system preserve-root interactive?"),
    row(&["cp"], Writes, AllButLastRead, "abdfilLnpPrRuvxt>T",
        "archive force interactive link no-clobber recursive update verbose target-directory> preserve? no-target-directory"),
    row(&["mv"], Writes, Write, "bfinuvt>T", "force interactive no-clobber update verbose target-directory> no-target-directory"),
    row(&["ln"], Writes, Write, "sfinvbrTt>", "symbolic force verbose relative target-directory> no-target-directory"),
    row(&["tee"], Writes, Write, "aip", "append"),
    row(&["chmod"], Writes, FirstTextThenWrite, "cfvR", "recursive verbose changes silent quiet"),
    row(&["chown", "chgrp"], Writes, FirstTextThenWrite, "cfvRh", "recursive verbose"),
    row(&["truncate"], Writes, Write, "cs:r<", "size= no-create"),
    row(&["gzip", "gunzip", "bzip2", "xz", "unxz"], Writes, Write, "dfkqtv123456789", "decompress force keep quiet test verbose"),
    row(&["zip"], Writes, FirstWriteThenRead, "rqjmu0123456789", ""),
    row(&["unzip"], Writes, Read, "joqnltvd>", ""),
    row(&["curl"], Outside, Web, "sSfLIikvG46o>OX:H:d:A:e:m:u:",
        "silent show-error fail location head include compressed get output> remote-name request= header= data= data-raw= \
         user-agent= max-time= connect-timeout= retry= json= url-query="),
    row(&["wget"], Outside, Web, "qcvnO>P>T:t:U:", "quiet continue output-document> directory-prefix> timeout= tries= header= no-verbose"),
    row(&["kill", "pkill", "killall"], Outside, Text, "123456789TERMHUPKILINTSOPQUfnxes:", "signal="),
    row(&["git status"], Reads, TextOrRead, "sbvuz", "short branch porcelain? verbose untracked-files? ignored? no-renames long"),
    row(&["git log", "git show", "git shortlog"], Reads, TextOrRead, "pun:1234567890sqigS:G:L:",
        "oneline stat patch no-patch graph all decorate? format= pretty? since= until= after= before= author= grep= name-only \
         name-status max-count= follow no-merges merges reverse date= abbrev-commit first-parent shortstat numstat summary \
         no-color color? no-ext-diff numbered email"),
    row(&["git diff"], Reads, TextOrRead, "puwbsU:M",
        "cached staged stat name-only name-status no-color color? word-diff? shortstat numstat summary quiet exit-code \
         no-ext-diff unified= ignore-all-space ignore-space-change patch check"),
    row(&["git rev-parse", "git rev-list", "git ls-files", "git ls-tree", "git describe", "git merge-base", "git cat-file",
          "git name-rev", "git blame", "git show-ref", "git count-objects", "git check-ignore"], Reads, TextOrRead,
        "cdmotrplsevwbLqzn:",
        "abbrev-ref? short? show-toplevel is-inside-work-tree git-dir verify all count max-count= tags always dirty? long \
         others cached modified deleted exclude-standard name-only full-tree porcelain heads left-right"),
    row(&["git branch", "git tag", "git remote", "git reflog"], Reads, OnlyOptions, "alrvn:",
        "all list remotes verbose show-current merged? no-merged? contains? sort= format= points-at="),
    row(&["git add"], Writes, TextOrRead, "AvnufN", "all update verbose dry-run force intent-to-add"),
    row(&["git commit"], Writes, TextOrRead, "avqsm:", "all message= amend no-edit verbose quiet allow-empty signoff"),
    row(&["git init"], Writes, Write, "qb:", "quiet initial-branch= bare"),
    row(&["git checkout", "git switch", "git restore", "git reset", "git stash", "git mv", "git rm", "git merge",
          "git cherry-pick", "git revert"], Writes, TextOrRead, "qbcfBCmdSW", "quiet staged worktree soft mixed create detach force cached"),
    row(&["git clone"], Outside, Web, "qvb:", "depth= branch= quiet verbose single-branch no-tags bare"),
    row(&["git fetch", "git pull", "git push"], Outside, TextOrRead, "qvpaunft",
        "all prune tags quiet verbose dry-run set-upstream ff-only rebase no-rebase force-with-lease depth="),
];

/// Commands with subcommands: the profile is found under two words.
pub(super) const FAMILIES: &[&str] = &["git"];

/// Commands that leave new links behind, so that a path checked now may lead elsewhere later in the script.
pub(super) const LINK_MAKERS: &[&str] = &[
    "ln",
    "mv",
    "unzip",
    "tar",
    "git checkout",
    "git switch",
    "git restore",
    "git reset",
    "git stash",
    "git merge",
    "git clone",
    "git pull",
    "git cherry-pick",
    "git revert",
    "git mv",
];

/// Options that make a command work on whole trees.
#[rustfmt::skip]
pub(super) const SWEEPING: &[(&str, &[&str])] =
    &[("rm", &["r", "R", "recursive"]), ("chmod", &["R", "recursive"]), ("chown", &["R", "recursive"]), ("chgrp", &["R", "recursive"])];

/// Commands that read the current folder when no path is named, and the options they then need.
#[rustfmt::skip]
pub(super) const WALKERS: &[(&str, &[&str])] = &[
    ("ls", &[]), ("dir", &[]), ("rg", &[]), ("tree", &[]), ("du", &[]), ("grep", &["r", "R", "recursive"]),
];

/// A program that runs the command written after it.
#[derive(Debug)]
pub(super) struct Wrapper {
    pub(super) names: &'static [&'static str],
    pub(super) short: &'static str,
    pub(super) long: &'static str,
    /// How many words stand before the command.
    pub(super) skip: usize,
    /// Why the command may not be taken as written, if so.
    pub(super) unclear: Option<&'static str>,
}

const fn wrapper(
    names: &'static [&'static str],
    short: &'static str,
    long: &'static str,
    skip: usize,
    unclear: Option<&'static str>,
) -> Wrapper {
    Wrapper { names, short, long, skip, unclear }
}

/// Programs that run the command written after them.
#[rustfmt::skip]
pub(super) const WRAPPERS: &[Wrapper] = &[
    wrapper(&["env"], "i0u:", "ignore-environment null unset=", 0, None),
    wrapper(&["nohup", "builtin"], "", "", 0, None),
    wrapper(&["nice"], "n:0123456789", "adjustment=", 0, None),
    wrapper(&["ionice"], "tc:n:", "", 0, None),
    wrapper(&["timeout"], "vk:s:", "foreground preserve-status verbose kill-after= signal=", 1, None),
    wrapper(&["stdbuf"], "i:o:e:", "input= output= error=", 0, None),
    wrapper(&["setsid"], "cfw", "", 0, None),
    wrapper(&["time"], "p", "", 0, None),
    wrapper(&["command"], "p", "", 0, None),
    wrapper(&["busybox", "toybox"], "", "", 0, None),
    wrapper(&["xargs"], "0rtpxn:P:I:L:d:s:a<E:", "null no-run-if-empty max-args= max-procs= delimiter= replace? verbose", 0,
        Some("`xargs` takes further words from its input")),
    wrapper(&["sudo", "doas"], "AbEHknPSKu:g:h:p:", "user= group= preserve-env?", 0, Some("it runs as another user")),
];

/// Commands that always ask, and why.
#[rustfmt::skip]
pub(super) const REFUSED: &[(&[&str], &str)] = &[
    (&["eval", "source", ".", "exec", "trap", "alias", "unalias", "enable", "hash", "set", "shopt", "read", "mapfile",
       "readarray", "getopts", "let", "export", "declare", "typeset", "local", "readonly", "unset", "bind", "complete",
       "compopt", "compgen", "coproc", "pushd", "popd", "umask", "ulimit", "shift", "return", "fc", "history", "wait",
       "fg", "bg", "jobs", "disown", "logout", "suspend", "caller", "times", "dirs", "help"],
     "it changes what later commands mean"),
    (&["su", "pkexec", "runuser", "chroot", "unshare", "nsenter", "setpriv", "capsh", "newgrp", "sg", "login", "machinectl"],
     "it runs as somebody else or somewhere else"),
    (&["ssh", "scp", "sftp", "rsync", "nc", "ncat", "netcat", "socat", "telnet", "ftp", "tftp", "mosh", "rsh", "lftp"],
     "it reaches another machine"),
    (&["docker", "podman", "kubectl", "systemctl", "service", "launchctl", "crontab", "at", "batch", "mount", "umount",
       "iptables", "nft", "sysctl", "losetup", "lxc", "flatpak", "snap", "dbus-send", "gdbus", "busctl", "systemd-run"],
     "it acts on the whole machine"),
    (&["vi", "vim", "nvim", "view", "ed", "ex", "emacs", "nano", "less", "more", "man", "info", "top", "htop", "screen",
       "tmux", "script", "expect", "gdb", "lldb", "strace", "ltrace", "perf"],
     "it can run other commands from within"),
    (&["watch", "parallel", "flock", "entr", "chronic", "unbuffer", "rlwrap", "start-stop-daemon", "run-parts", "git-shell",
       "ld.so", "linux-vdso", "proot", "fakeroot", "faketime", "catchsegv", "prlimit", "taskset", "numactl", "chrt",
       "setarch", "linux32", "linux64", "i386", "tclsh", "wish", "osascript",],
     "it runs other commands"),
    (&["dd", "install", "shred", "cpio", "ar", "patch", "split", "csplit", "xxd", "openssl", "gpg", "uudecode"],
     "not all of its words are understood"),
];

/// Commands that never run, and why. A trailing `*` matches the rest of the name.
pub(super) const FORBIDDEN: &[(&str, &str)] = &[
    ("mkfs*", "it would erase a disk"),
    ("wipefs", "it would erase a disk"),
    ("fdisk", "it would change the disk's partitions"),
    ("sfdisk", "it would change the disk's partitions"),
    ("parted", "it would change the disk's partitions"),
    ("blkdiscard", "it would erase a disk"),
    ("shutdown", "it would stop this machine"),
    ("reboot", "it would stop this machine"),
    ("poweroff", "it would stop this machine"),
    ("halt", "it would stop this machine"),
    ("steward", "the assistant may not command Steward itself"),
];

/// Programs that run a script: its name is the first operand, and code on the line is not understood.
#[rustfmt::skip]
pub(super) const INTERPRETERS: &[&str] =
    &["python", "node", "nodejs", "deno", "bun", "ruby", "perl", "php", "lua", "luajit", "Rscript", "julia", "tsx", "ts-node"];

/// Shells: `-c` is read like the script itself.
pub(super) const SHELLS: &[&str] =
    &["sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "rbash", "fish", "csh", "tcsh"];

/// Commands the shell runs itself; there is no program to find.
#[rustfmt::skip]
pub(super) const BUILTINS: &[&str] =
    &["echo", "printf", "test", "[", "true", "false", ":", "pwd", "cd", "type", "command", "builtin", "kill", "time", "exit", "break", "continue"];

/// Words the shell's grammar keeps for itself.
#[rustfmt::skip]
pub(super) const RESERVED: &[&str] = &[
    "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for", "in", "function", "select", "{",
    "}", "!", "[[", "]]",
];

/// Where the system keeps its programs: only there does a full path mean the command of that name.
pub(super) const SYSTEM_DIRS: &[&str] = &["/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin"];

/// Variables that may be set for a command: they change how it prints, not what it does. Any other asks.
#[rustfmt::skip]
pub(super) const HARMLESS_VARIABLES: &[&str] =
    &["LANG", "LC_ALL", "LC_CTYPE", "LC_COLLATE", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME", "TZ", "NO_COLOR", "FORCE_COLOR",
      "CI", "TERM", "COLUMNS", "LINES", "RUST_BACKTRACE", "RUST_LOG", "NODE_ENV"];

/// What `find` may be told; each with the number of words that follow.
#[rustfmt::skip]
pub(super) const FIND_TESTS: &[(&str, usize)] = &[
    ("-name", 1), ("-iname", 1), ("-path", 1), ("-ipath", 1), ("-wholename", 1), ("-regex", 1), ("-iregex", 1), ("-type", 1),
    ("-maxdepth", 1), ("-mindepth", 1), ("-size", 1), ("-mtime", 1), ("-mmin", 1), ("-atime", 1), ("-ctime", 1), ("-perm", 1),
    ("-user", 1), ("-group", 1), ("-printf", 1), ("-not", 0), ("!", 0), ("-o", 0), ("-or", 0), ("-a", 0), ("-and", 0),
    ("(", 0), (")", 0), ("-print", 0), ("-print0", 0), ("-ls", 0), ("-empty", 0), ("-prune", 0), ("-quit", 0), ("-xdev", 0),
    ("-readable", 0), ("-writable", 0), ("-executable", 0), ("-true", 0), ("-false", 0), ("-depth", 0),
];

/// What `find` runs other commands with.
pub(super) const FIND_RUNS: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];

/// What `test` may be told.
#[rustfmt::skip]
pub(super) const TEST_OPERATORS: &[&str] = &[
    "-e", "-f", "-d", "-r", "-w", "-x", "-s", "-L", "-h", "-n", "-z", "-nt", "-ot", "-ef", "-eq", "-ne", "-lt", "-le", "-gt",
    "-ge", "-a", "-o", "-b", "-c", "-p", "-S", "-u", "-g", "-k", "-O", "-G", "-N",
];

/// What an `awk` program may not contain: it could run commands or reach files not named on the line.
pub(super) const AWK_REACHES: &[&str] =
    &["system", "getline", "|", ">", "@", "ARGV", "ARGC", "close", "ENVIRON", "PROCINFO"];

/// Syntax the shell knows and policy does not follow, in plain words.
pub(super) const SYNTAX_WORDS: &[(&str, &str)] = &[
    ("command_substitution", "it uses the output of another command as words"),
    ("process_substitution", "it uses another command as a file"),
    ("simple_expansion", "it uses a variable, which is only known when it runs"),
    ("expansion", "it uses a variable, which is only known when it runs"),
    ("arithmetic_expansion", "it computes with `$((…))`"),
    ("ansi_c_string", "it spells characters as codes with `$'…'`"),
    ("translated_string", "it uses `$\"…\"`, which the language settings can change"),
    ("function_definition", "it defines a function"),
    ("declaration_command", "it changes variables for later commands"),
    ("unset_command", "it changes variables for later commands"),
    ("test_command", "it uses `[ … ]`, which can run code; `test` is followed"),
    ("case_statement", "it uses `case`"),
    ("brace_expression", "it uses `{a..b}`"),
    ("ERROR", "the shell's grammar does not fit it"),
];
