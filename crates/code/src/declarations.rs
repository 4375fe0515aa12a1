//! What a program may call: the tools' schemas as TypeScript, in one file for each group, which is the first part of a
//! tool's path. Also what the model is told of them: an index, a search and descriptions. Which tools there are, and what
//! they do, is left to others.

mod catalogue;
mod schema;
#[cfg(test)]
mod tests;
mod text;

use serde_json::Value;
use sha2::{Digest, Sha256};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, OnceLock},
};
use text::{MAX_DESCRIPTION_CHARS, access, description, property, type_name};

pub use catalogue::Hit;

/// Twice what a provider takes as a tool's name; it becomes the name of types and stands in the index.
const MAX_PATH_BYTES: usize = 128;

/// A tool as a program sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// Dotted, such as `github.issues.close`; a program calls `tools.github.issues.close(input)`.
    pub path: String,
    /// What it does, in the words of whoever offers it.
    pub description: String,
    /// What it takes.
    pub input_schema: Value,
    /// What it gives; without it a program is given `ToolText`.
    pub output_schema: Option<Value>,
}

/// The tools that programs may call. Cheap to clone; nothing is written before it is asked for.
#[derive(Clone)]
pub struct Declarations(Arc<Tools>);

struct Tools {
    by_path: BTreeMap<String, Tool>,
    groups: BTreeMap<String, Group>,
}

struct Tool {
    spec: ToolSpec,
    /// The beginning of its types' names, which no other tool has.
    name: String,
}

struct Group {
    /// The type of `tools.<group>`.
    name: String,
    paths: Vec<String>,
    file: OnceLock<(String, Arc<str>)>,
}

impl Declarations {
    /// Of two tools with one path the first counts; one whose path has an empty part or is too long is left out.
    pub fn new(specs: Vec<ToolSpec>) -> Declarations {
        let mut specs_by_path = BTreeMap::new();
        for spec in specs.into_iter().filter(|spec| is_path(&spec.path)) {
            specs_by_path.entry(spec.path.clone()).or_insert(spec);
        }
        let mut taken = BTreeSet::new();
        let mut by_path = BTreeMap::new();
        let mut groups: BTreeMap<String, Group> = BTreeMap::new();
        for (path, spec) in specs_by_path {
            let name = claim(&mut taken, &type_name(&path));
            let group = group_of(&path).to_owned();
            groups.entry(group).or_insert_with(Group::empty).paths.push(path.clone());
            by_path.insert(path, Tool { spec, name });
        }
        let mut taken = BTreeSet::new();
        for (key, group) in &mut groups {
            group.name = claim(&mut taken, &type_name(key)) + "Tools";
        }
        Declarations(Arc::new(Tools { by_path, groups }))
    }

    /// The paths of all tools, in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.by_path.keys().map(String::as_str)
    }

    /// The signature of a tool with its types, as an author needs them to write a call.
    pub fn describe(&self, path: &str) -> Option<String> {
        let tool = self.0.by_path.get(path)?;
        let reached: String = path.split('.').map(access).collect();
        let said = description(&tool.spec.description, MAX_DESCRIPTION_CHARS);
        let said = if said.is_empty() { said } else { format!("/** {said} */\n") };
        Some(format!("{}{said}tools{reached}{}\n", tool.types(), tool.signature()))
    }

    /// The declarations of all tools, as one text.
    pub fn text(&self) -> String {
        let groups: Vec<String> = self.0.groups.keys().cloned().collect();
        let files = groups.iter().filter_map(|group| self.file_of(group));
        files.chain([self.table_for(&groups)]).map(|(_, text)| text.to_string()).collect()
    }

    /// The groups there are among those a program names, itself or by the types of their tools; or all of them if it is
    /// not known which it names.
    pub(crate) fn groups_among(&self, named: Option<&[String]>, types: &[String]) -> Vec<String> {
        let Some(named) = named else { return self.0.groups.keys().cloned().collect() };
        let has_type =
            |path: &String| self.0.by_path.get(path).is_some_and(|tool| tool.has_type_among(types));
        let wanted = |(key, group): &(&String, &Group)| {
            named.contains(key)
                || types.contains(&group.name)
                || (!types.is_empty() && group.paths.iter().any(has_type))
        };
        self.0.groups.iter().filter(wanted).map(|(key, _)| key.clone()).collect()
    }

    /// The file with a group's types. Its name says what is in it, so a file with the same name need not be read again.
    pub(crate) fn file_of(&self, group: &str) -> Option<(String, Arc<str>)> {
        let group = self.0.groups.get(group)?;
        Some(group.file.get_or_init(|| named(self.written(group))).clone())
    }

    /// The file that says which groups there are. Those that a program does not name are empty: their names alone let the
    /// compiler suggest the right one.
    pub(crate) fn table_for(&self, groups: &[String]) -> (String, Arc<str>) {
        let mut text = String::from("interface Tools {\n");
        for (key, group) in &self.0.groups {
            text.push_str(&format!("  readonly {}: {};\n", property(key), group.name));
        }
        text.push_str("}\ndeclare const tools: Tools;\n");
        for (_, group) in self.0.groups.iter().filter(|(key, _)| !groups.contains(key)) {
            text.push_str(&format!("interface {} {{}}\n", group.name));
        }
        named(text)
    }

    fn written(&self, group: &Group) -> String {
        let mut text = String::new();
        let mut tree = Branch::default();
        for path in &group.paths {
            if let Some(tool) = self.0.by_path.get(path) {
                text.push_str(&tool.types());
                tree.place(path.split('.').skip(1), tool.signature());
            }
        }
        text.push_str(&format!("interface {} {}\n", group.name, tree.written(0)));
        text
    }
}

impl Group {
    fn empty() -> Group {
        Group { name: String::new(), paths: Vec::new(), file: OnceLock::new() }
    }
}

impl Tool {
    /// Its types are its name, `Input` or `Output`, and for those within them more behind an underline.
    fn has_type_among(&self, types: &[String]) -> bool {
        types.iter().any(|it| {
            let outer = it.split('_').next().unwrap_or_default();
            outer.strip_prefix(&self.name).is_some_and(|rest| rest == "Input" || rest == "Output")
        })
    }

    fn types(&self) -> String {
        let input = schema::declare(&self.spec.input_schema, &format!("{}Input", self.name));
        let output = self.spec.output_schema.as_ref();
        let output = output.map(|it| schema::declare(it, &format!("{}Output", self.name)));
        input + &output.unwrap_or_default()
    }

    fn signature(&self) -> String {
        let mark = if schema::is_optional(&self.spec.input_schema) { "?" } else { "" };
        let output = match self.spec.output_schema {
            Some(_) => format!("{}Output", self.name),
            None => "ToolText".to_owned(),
        };
        format!("(input{mark}: {}Input): Promise<{output}>", self.name)
    }
}

/// The tools of a group by the parts of their paths. A part may both be a tool and have tools below it.
#[derive(Default)]
struct Branch {
    signature: Option<String>,
    below: BTreeMap<String, Branch>,
}

impl Branch {
    fn place<'a>(&mut self, parts: impl Iterator<Item = &'a str>, signature: String) {
        let place = parts.fold(self, |branch, part| branch.below.entry(part.to_owned()).or_default());
        place.signature = Some(signature);
    }

    fn written(&self, depth: usize) -> String {
        let indent = "  ".repeat(depth + 1);
        let mut text = String::from("{\n");
        if let Some(signature) = &self.signature {
            text.push_str(&format!("{indent}{signature};\n"));
        }
        for (part, branch) in &self.below {
            let part = property(part);
            text.push_str(&match &branch.signature {
                Some(signature) if branch.below.is_empty() => format!("{indent}{part}{signature};\n"),
                _ => format!("{indent}readonly {part}: {};\n", branch.written(depth + 1)),
            });
        }
        text.push_str(&format!("{}}}", "  ".repeat(depth)));
        text
    }
}

fn is_path(path: &str) -> bool {
    path.len() <= MAX_PATH_BYTES && path.split('.').all(|part| !part.is_empty())
}

fn group_of(path: &str) -> &str {
    path.split('.').next().unwrap_or_default()
}

fn claim(taken: &mut BTreeSet<String>, plain: &str) -> String {
    let name = schema::free_name(plain, |name| taken.contains(name));
    taken.insert(name.clone());
    name
}

fn named(text: String) -> (String, Arc<str>) {
    let digest = Sha256::digest(text.as_bytes());
    let name: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    (format!("/{name}.d.ts"), text.into())
}
