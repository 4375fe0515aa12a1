//! Prints what checking programs costs: the processor time of the first check and of those after it, the memory, and the bytes of a
//! prompt, at several numbers of tools. With `node` and the unpacked package of the compiler in `TYPESCRIPT_DIR` it prints
//! the same check by `tsc` beside it. It asserts nothing.

use code::{Checked, Checker, Declarations, ToolSpec};
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

fn main() {
    for tools in [50, 500, 2_000] {
        checks(tools, tools / GROUP_SIZE);
        prompts(tools);
    }
    println!("\nof 500 tools, all named by the program:");
    checks(500, 0);
    if let Some(package) = std::env::var_os("TYPESCRIPT_DIR") {
        for tools in [50, 500] {
            beside_tsc(&PathBuf::from(&package), tools);
        }
    }
}

/// As many tools as a large integration has.
const GROUP_SIZE: usize = 10;

fn checks(tools: usize, groups: usize) {
    let declarations = Declarations::new(specs(tools));
    let checker = Checker::new();
    let before = resident_kb();
    let started = cpu_ms();
    assert_good(checker.check(&declarations, &program(0, groups == 0)));
    let first = cpu_ms() - started;
    let cold = resident_kb();
    let mut warm: Vec<f64> = (0..36)
        .map(|round| {
            let started = cpu_ms();
            assert_good(checker.check(&declarations, &program(round % groups.clamp(1, 3), groups == 0)));
            cpu_ms() - started
        })
        .collect();
    warm.sort_by(f64::total_cmp);
    println!(
        "{tools} tools: first check {:.0} ms, then median {:.1} ms, slowest {:.0} ms; memory {} MB after the first, {} MB after 37 (was {} MB)",
        first,
        warm[warm.len() / 2],
        warm[warm.len() - 1],
        cold / 1024,
        resident_kb() / 1024,
        before / 1024,
    );
}

fn prompts(tools: usize) {
    let declarations = Declarations::new(specs(tools));
    let schemas: usize = specs(tools)
        .iter()
        .map(|it| json!({ "name": it.path, "description": it.description, "input_schema": it.input_schema }))
        .map(|it| it.to_string().len())
        .sum();
    let started = Instant::now();
    let types = declarations.text().len();
    let wrote = started.elapsed();
    let started = Instant::now();
    let hits = declarations.search("close an issue").len();
    let searched = started.elapsed();
    println!(
        "{tools} tools: index {} bytes, one signature {} bytes, all declarations {types} bytes ({} ms), all schemas {schemas} bytes; {hits} hits in {:.1} ms",
        declarations.index().len(),
        declarations.describe("service0.issues.close").map_or(0, |it| it.len()),
        wrote.as_millis(),
        searched.as_secs_f64() * 1e3,
    );
}

fn beside_tsc(package: &Path, tools: usize) {
    let folder = std::env::temp_dir().join(format!("check-cost-{}", std::process::id()));
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/checker/lib.d.ts");
    let made = fs::create_dir_all(&folder)
        .and_then(|()| fs::copy(library, folder.join("lib.d.ts")))
        .and_then(|_| fs::write(folder.join("tools.d.ts"), Declarations::new(specs(tools)).text()))
        .and_then(|()| {
            fs::write(
                folder.join("program.ts"),
                format!("async function program() {{\n{}\n}}", program(0, false)),
            )
        });
    let started = Instant::now();
    let ran = made.and_then(|()| {
        Command::new("node")
            .arg(package.join("lib/_tsc.js"))
            .args(["--noEmit", "--strict", "--noLib", "--skipLibCheck", "--target", "es2022"])
            .args(["lib.d.ts", "tools.d.ts", "program.ts"])
            .current_dir(&folder)
            .output()
    });
    match ran {
        Ok(output) if output.status.success() => {
            println!("{tools} tools: node and tsc {} ms", started.elapsed().as_millis());
        }
        Ok(output) => println!("tsc: {}", String::from_utf8_lossy(&output.stdout)),
        Err(error) => println!("tsc did not run: {error}"),
    }
    fs::remove_dir_all(folder).ok();
}

fn assert_good(checked: Checked) {
    if !matches!(checked, Checked::Good { .. }) {
        println!("not good: {checked:?}");
    }
}

/// The processor time of this process, which a busy machine changes least.
fn cpu_ms() -> f64 {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    used.tv_sec as f64 * 1e3 + used.tv_nsec as f64 / 1e6
}

fn resident_kb() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|it| it.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

fn program(group: usize, computed: bool) -> String {
    let any = if computed { "const all = tools; console.log(typeof all);\n" } else { "" };
    format!(
        r#"{any}const found = await tools.service{group}.issues.list({{ owner: "house", repo: "steward", state: "open", labels: ["bug"] }});
const old = found.items.filter((issue) => issue.createdAt < "2026-01-01" && issue.comments === 0);
const closed = await Promise.all(old.map((issue) =>
  tools.service{group}.issues.close({{ owner: "house", repo: "steward", issueNumber: issue.number, reason: "stale" }}).catch((error) => {{
    console.warn(`${{issue.number}}: ${{error.message}}`);
    return undefined;
  }})));
return {{ asked: old.length, closed: closed.filter((it) => it !== undefined).length }};"#
    )
}

/// Tools of the size that real integrations have: ten to a group, about 1.4 kB of schema each.
fn specs(count: usize) -> Vec<ToolSpec> {
    let kinds =
        ["list", "close", "create", "update", "comment", "assign", "label", "search", "history", "lock"];
    (0..count).map(|number| spec(number / GROUP_SIZE, kinds[number % GROUP_SIZE])).collect()
}

fn spec(group: usize, kind: &str) -> ToolSpec {
    let issue = json!({ "type": "object", "required": ["number", "title", "state", "createdAt", "comments"], "properties": {
        "number": { "type": "integer", "description": "The number of the issue within its repository." },
        "title": { "type": "string" },
        "state": { "enum": ["open", "closed"] },
        "createdAt": { "type": "string", "format": "date-time" },
        "comments": { "type": "integer" },
        "labels": { "type": "array", "items": { "type": "object", "properties": { "name": { "type": "string" }, "color": { "type": "string" } }, "required": ["name"] } },
        "assignee": { "anyOf": [{ "type": "object", "properties": { "login": { "type": "string" } }, "required": ["login"] }, { "type": "null" }] }
    }});
    let mut properties = json!({
        "owner": { "type": "string", "description": "The account that owns the repository. The name is not case sensitive." },
        "repo": { "type": "string", "description": "The name of the repository without the `.git` extension." }
    });
    let mut required = vec!["owner", "repo"];
    if kind == "list" {
        properties["state"] = json!({ "enum": ["open", "closed", "all"], "default": "open", "description": "Which issues to give by their state." });
        properties["labels"] = json!({ "type": "array", "items": { "type": "string" }, "description": "Only issues with all of these labels." });
        properties["perPage"] = json!({ "type": "integer", "minimum": 1, "maximum": 100, "description": "How many results a page has." });
    } else {
        properties["issueNumber"] =
            json!({ "type": "integer", "description": "The number that identifies the issue." });
        properties["reason"] =
            json!({ "enum": ["done", "stale", "duplicate"], "description": "Why it is changed." });
        properties["note"] = json!({ "type": ["string", "null"], "description": "Words that are added to the issue's history." });
        required.push("issueNumber");
    }
    let output = match kind {
        "list" => {
            json!({ "type": "object", "required": ["items"], "properties": { "items": { "type": "array", "items": issue }, "next": { "type": ["string", "null"] } } })
        }
        _ => issue,
    };
    ToolSpec {
        path: format!("service{group}.issues.{kind}"),
        description: format!(
            "The action {kind} on issues of a repository. Needs write access unless it only reads; closed issues stay visible."
        ),
        input_schema: json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false }),
        output_schema: Some(output),
    }
}
