//! The agent's hands, put together from the configuration: tools, rules, folders, the sandbox, and what must
//! stay secret.

use crate::{config::Settings, environment::Environment, home::Home, providers, token};
use agent::{Workbench, WorkbenchSettings};
use anyhow::Context;
use memory::Memory;
use policy::{Places, PolicySettings, Redactor, RuleSettings};
use protocol::ClientTool;
use sandbox::{Network, Sandbox};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use store::Store;
use tasks::Orders;
use tools::{Builtin, FetchLimits, Fetcher, Processes, SearchEndpoint, ToolLimits};

/// Variables that hold secrets whatever the configuration says.
const SECRET_VARIABLES: [&str; 3] = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"];

/// What of the house the tools reach.
pub(crate) struct Parts {
    pub store: Store,
    pub memory: Memory,
    pub orders: Orders,
    pub redactor: Arc<Redactor>,
}

/// Builds the workbench with the rules of the configuration and those the owner made since.
pub(crate) async fn workbench(
    home: &Home,
    settings: &Settings,
    environment: &Environment,
    parts: Parts,
) -> anyhow::Result<Workbench> {
    let Parts { store, memory, orders, redactor } = parts;
    let sandbox = detect();
    let registry = tools::builtin(Builtin {
        sandbox: sandbox.clone(),
        processes: Processes::default(),
        fetcher: Fetcher::reaching(FetchLimits::default(), settings.tools.fetch_inside.iter().cloned()),
        search: search(settings, environment)?,
        memory: settings.memory.enabled.then_some(memory),
        orders: Some(orders),
    });
    let registry = registry.context("the built-in tools do not fit together")?;
    let mut settings = workbench_settings(home, settings, environment)?;
    settings.made_rules = store.view().rules().await?;
    let client_tools = settings.client_tools.clone();
    let workbench = Workbench::new(store, registry, sandbox, settings, redactor).with_context(|| {
        format!("`policy` in {}, or a rule of `steward rules list`", home.config_file().display())
    })?;
    for tool in &client_tools {
        check_client_tool(tool, &workbench)
            .with_context(|| format!("`gateway.client_tools` in {}", home.config_file().display()))?;
    }
    Ok(workbench)
}

fn check_client_tool(tool: &ClientTool, workbench: &Workbench) -> anyhow::Result<()> {
    tool.check().map_err(anyhow::Error::msg)?;
    anyhow::ensure!(
        !workbench.collides(tool),
        "`{}` is the name of a tool Steward has itself, or is spelled like one: give it another",
        tool.name
    );
    Ok(())
}

/// What never may be shown: every key this process knows.
pub(crate) fn redactor(
    home: &Home,
    settings: &Settings,
    environment: &Environment,
) -> anyhow::Result<Redactor> {
    let own = settings.providers.iter().map(|(_, provider)| provider.api_key_env.as_str());
    let names = SECRET_VARIABLES.into_iter().chain(own).chain([settings.tools.search_api_key_env.as_str()]);
    let mut secrets = providers::stored_secrets(home)?;
    secrets.extend(token::find(home, environment)?.map(|token| token.text));
    secrets.extend(names.filter_map(|name| environment.get(name)).map(str::to_owned));
    Redactor::new(&secrets).map_err(anyhow::Error::msg)
}

fn workbench_settings(
    home: &Home,
    settings: &Settings,
    environment: &Environment,
) -> anyhow::Result<WorkbenchSettings> {
    let owner = PathBuf::from(environment.get("HOME").unwrap_or("/"));
    let places = Places {
        workspace: real(&settings.workspace, &owner)?,
        home: real(&owner, &owner)?,
        steward_home: real(home.root(), &owner)?,
        read_dirs: settings
            .policy
            .read_dirs
            .iter()
            .map(|dir| real(Path::new(dir), &owner))
            .collect::<Result<_, _>>()?,
        write_dirs: settings
            .policy
            .write_dirs
            .iter()
            .map(|dir| real(Path::new(dir), &owner))
            .collect::<Result<_, _>>()?,
    };
    let mut hidden = sandbox::secret_paths(&places.home);
    hidden.push(places.steward_home.clone());
    let policy = &settings.policy;
    Ok(WorkbenchSettings {
        hidden,
        network: network(&settings.sandbox.allow_hosts)?,
        env: child_environment(environment, &places.workspace),
        sandboxed: settings.sandbox.enabled,
        limits: ToolLimits {
            timeout_ms: settings.tools.timeout_ms.get(),
            max_output_bytes: settings.tools.max_output_bytes.get(),
        },
        desktop_shell: settings.gateway.desktop_shell,
        client_tools: settings.gateway.client_tools.iter().cloned().map(Into::into).collect(),
        code_mode: settings.agent.code_mode,
        made_rules: Vec::new(),
        policy: PolicySettings {
            preset: policy.preset,
            rules: RuleSettings {
                allow: policy.allow.clone(),
                ask: policy.ask.clone(),
                deny: policy.deny.clone(),
                grants: policy.grants.clone(),
            },
            allowed_commands: policy.allowed_commands.clone(),
            extra_validation: policy.extra_validation.clone(),
            places,
            sandbox_available: false,
        },
    })
}

/// What this kernel offers, for `doctor`.
pub(crate) fn detect() -> Sandbox {
    Sandbox::detect()
}

/// What this kernel lacks, and what follows from it.
pub(crate) fn warnings() -> Vec<String> {
    let missing = detect().report().into_iter().filter(|primitive| !primitive.available);
    missing.map(|primitive| format!("Warning ({}): {}.", primitive.name, primitive.consequence)).collect()
}

fn search(settings: &Settings, environment: &Environment) -> anyhow::Result<Option<SearchEndpoint>> {
    let tools = &settings.tools;
    if tools.search_url.is_empty() {
        return Ok(None);
    }
    let url =
        tools.search_url.parse().with_context(|| format!("`tools.search_url` is `{}`", tools.search_url))?;
    let key = environment.get(&tools.search_api_key_env).map(|key| key.to_owned().into());
    Ok(Some(SearchEndpoint { kind: tools.search_kind, url, key }))
}

/// A folder with every link followed; `~` is the owner's home.
fn real(path: &Path, owner: &Path) -> anyhow::Result<PathBuf> {
    let path = path.strip_prefix("~").map_or_else(|_| path.to_path_buf(), |rest| owner.join(rest));
    let found = sandbox::resolve(&path, owner)
        .with_context(|| format!("cannot use the folder {}", path.display()))?;
    Ok(found.real)
}

fn network(hosts: &[String]) -> anyhow::Result<Network> {
    if hosts.is_empty() {
        return Ok(Network::None);
    }
    let rule = |host: &String| {
        host.parse()
            .map_err(|error| anyhow::anyhow!("`sandbox.allow_hosts`: `{host}` is not a host: {error}"))
    };
    Ok(Network::Hosts(hosts.iter().map(rule).collect::<anyhow::Result<_>>()?))
}

/// All that commands find in their environment: a home of their own and the owner's language.
fn child_environment(environment: &Environment, workspace: &Path) -> Vec<(String, String)> {
    let mut variables = vec![("HOME".to_owned(), workspace.display().to_string())];
    for name in ["LANG", "LC_ALL", "TZ", "TERM"] {
        if let Some(value) = environment.get(name) {
            variables.push((name.to_owned(), value.to_owned()));
        }
    }
    variables
}
