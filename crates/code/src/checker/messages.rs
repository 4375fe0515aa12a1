//! The compiler's words where they mislead: it speaks to people with a project and a package registry, and the author of
//! a program has neither. Pure.

/// Longer messages are types printed in full.
const MAX_MESSAGE_CHARS: usize = 600;

/// Advice that cannot be followed here. A message ends before it.
const VAIN_ADVICE: &[&str] = &[
    " Do you need to ",
    " Try changing the ",
    " Consider changing the ",
    " Make sure to have a declaration for ",
];

const NO_MODULES: &str = "there are no modules, only `tools`, `console` and plain ECMAScript";

/// Names that authors expect and a program does not have, and what to do instead.
const MISSING: &[(&[&str], &str)] = &[
    (&["require", "module", "exports", "define"], NO_MODULES),
    (&["eval", "Function"], "text is never run as code: write the code itself"),
    (
        &["setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "queueMicrotask"],
        "there are no timers: a program runs to its end and waits only for tools",
    ),
    (
        &["fetch", "XMLHttpRequest", "WebSocket", "Request", "Response", "Headers", "AbortController"],
        "there is no network: use a tool",
    ),
    (
        &["process", "Deno", "Bun", "__dirname", "__filename", "global"],
        "there is no process and no environment: use a tool",
    ),
    (&["fs", "path", "os", "child_process"], "there are no files and no modules: use a tool"),
    (
        &["window", "document", "navigator", "localStorage", "sessionStorage", "alert", "prompt"],
        "there is no browser: use a tool, and `return` what is to be shown",
    ),
    (
        &["Buffer", "Uint8Array", "ArrayBuffer", "TextEncoder", "TextDecoder", "Blob", "atob", "btoa"],
        "there are no byte arrays: work with strings",
    ),
    (
        &["URL", "URLSearchParams"],
        "take the text apart with `split` or a regular expression, and use `encodeURIComponent`",
    ),
    (&["structuredClone"], "use `JSON.parse(JSON.stringify(value))`"),
    (
        &["Intl"],
        "there are no locales: format by hand, for example with `toISOString`, `toFixed` and `padStart`",
    ),
    (
        &["WeakRef", "FinalizationRegistry", "SharedArrayBuffer", "Atomics", "Worker"],
        "a program cannot see memory or threads: leave it out",
    ),
    (&["performance"], "use `Date.now()`; it stands still between calls of tools"),
    (&["crypto"], "there is no cryptography: use `Math.random()` for what need not be secret, or a tool"),
    (&["Proxy", "Reflect"], "use plain objects and functions"),
];

/// What is wrong where the compiler found `code`, in words that the author of a program can use. `message` is the
/// compiler's own, or what a rule of this room is about.
pub(super) fn plain(code: &str, message: &str) -> String {
    if let Some(own) = of_own_rule(code, message) {
        return own;
    }
    if let Some(name) = name_not_found(message)
        && let Some((_, instead)) = MISSING.iter().find(|(names, _)| names.contains(&name))
    {
        return format!("`{name}` is not available: {instead}");
    }
    let end = VAIN_ADVICE.iter().filter_map(|advice| message.find(advice)).min().unwrap_or(message.len());
    match message[..end].char_indices().nth(MAX_MESSAGE_CHARS) {
        Some((cut, _)) => format!("{}…", &message[..cut]),
        None => message[..end].to_owned(),
    }
}

fn of_own_rule(code: &str, about: &str) -> Option<String> {
    let words = match code {
        "no-modules" | "TS2307" | "TS2792" => {
            return Some(format!("{NO_MODULES}; leave out `import` and `export`"));
        }
        "unbalanced" => "this `}` closes nothing: there is no `{` for it",
        "any-tool" => {
            "there are too many tools to take `tools` as a value: call each by its name, as `tools.group.tool(...)`"
        }
        "fenced" => "leave out the ``` around the program",
        "too-long" => "the program is too long: put data into a file and read it with a tool",
        "floating-promise" => {
            "nothing waits for this promise: put `await` before it, or gather promises with `await Promise.all([...])`"
        }
        "promise-in-text" => "this is a promise, not its value: put `await` before it",
        "promise-as-test" => {
            return Some(format!(
                "`{about}` does not wait for a promise, and a promise is always true: await the answers first, for \
                 example with `Promise.all`"
            ));
        }
        "floating-callback" => {
            "nothing waits for the promises of this function: use `for (const item of items) { await ... }` or \
             `await Promise.all(items.map(...))`"
        }
        "TS1308" => "`await` stands in a function that is not `async`: put `async` before the function",
        "TS7017" if about.contains("typeof globalThis") => "`globalThis` has nothing of this name",
        "TS18046" => return Some(format!("{about} Find out what it is first, for example with `typeof`.")),
        "TS2339" => {
            let name = about.strip_prefix("Property '")?.strip_suffix("' does not exist on type 'Tools'.")?;
            return Some(format!("`tools` has no `{name}`: use a tool that is in the list"));
        }
        _ => return None,
    };
    Some(words.to_owned())
}

fn name_not_found(message: &str) -> Option<&str> {
    let begun = message.strip_prefix("Cannot find name '").or_else(|| message.strip_prefix('\''))?;
    let (name, rest) = begun.split_once('\'')?;
    let missing = message.starts_with("Cannot") || rest.starts_with(" only refers to a type");
    missing.then_some(name)
}
