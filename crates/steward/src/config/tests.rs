//! The template says what the defaults are; mistakes are named with their place and fix.

use super::*;

fn read_text(text: &str) -> anyhow::Result<Written> {
    read(text, Path::new("config.toml"), &Environment::default())
}

#[test]
fn the_template_has_every_key_with_its_default() {
    assert_eq!(read_text(TEMPLATE).unwrap(), Written::default());
    let written = toml::Table::try_from(Written::default()).unwrap();
    let template: toml::Table = TEMPLATE.parse().unwrap();
    for (group, keys) in written.iter().filter(|(group, _)| !overrides::NAMED.contains(&group.as_str())) {
        for key in keys.as_table().unwrap().keys() {
            assert!(template[group].get(key).is_some(), "[{group}] {key} is missing in the template");
        }
    }
}

#[test]
fn a_tool_of_the_clients_is_read_as_it_is_declared() {
    let tool = |more: &str| {
        let tool = r#"name = "lock", description = "Locks.", input_schema = { type = "object" }"#;
        read_text(&format!("[gateway]\nclient_tools = [{{ {tool}{more} }}]\n"))
    };
    let declared =
        |more: &str| protocol::ClientTool::from(tool(more).unwrap().gateway.client_tools.remove(0));
    let expected = protocol::ClientTool {
        name: "lock".into(),
        description: "Locks.".into(),
        input_schema: serde_json::json!({ "type": "object" }),
        risk: protocol::Risk::Risky,
    };
    assert_eq!(declared(""), expected);
    assert_eq!(declared(r#", risk = "safe""#).risk, protocol::Risk::Safe);
    let mistake = tool(r#", rsik = "safe""#).unwrap_err().to_string();
    assert!(mistake.contains("there is no key `rsik` here; did you mean `risk`?"), "{mistake}");
}

#[test]
fn a_mistake_names_its_line_and_the_fix() {
    let check = |text: &str, expected: &str| assert_eq!(read_text(text).unwrap_err().to_string(), expected);
    check(
        "[agent]\nmodle = \"x\"\n",
        "config.toml, line 2: there is no key `modle` here; did you mean `model`?\n\n    modle = \"x\"\n",
    );
    check(
        "\n[agents]\n",
        "config.toml, line 2: there is no key `agents` here; did you mean `agent`?\n\n    [agents]\n",
    );
    check(
        "[agent]\nmax_iterations = \"many\"\n",
        "config.toml, line 2: invalid type: string \"many\"; it must be a whole number of at least 1\n\n    max_iterations = \"many\"\n",
    );
    check(
        "[session]\nmax_history_messages = 0\n",
        "config.toml, line 2: invalid value: integer `0`; it must be a whole number of at least 1\n\n    max_history_messages = 0\n",
    );
    let syntax = read_text("[agent\n").unwrap_err().to_string();
    assert!(syntax.starts_with("config.toml, line 1: "), "{syntax}");
}

#[test]
fn the_environment_overrides_the_file_and_mistakes_name_the_variable() {
    let dir = tempfile::tempdir().unwrap();
    let with = |variables: &str| {
        let file = dir.path().join(".env");
        std::fs::write(&file, variables).unwrap();
        read(TEMPLATE, Path::new("config.toml"), &Environment::default().with_file(&file).unwrap())
    };
    let written = with("STEWARD_MODEL=ollama/x\nSTEWARD_AGENT_MAX_ITERATIONS=7\nSTEWARD_HOME=/x").unwrap();
    assert_eq!((written.agent.model.as_str(), written.agent.max_iterations.get()), ("ollama/x", 7));
    let written = with("STEWARD_HOST=0.0.0.0\nSTEWARD_PORT=0\nSTEWARD_TOKEN=secret").unwrap();
    assert_eq!((written.gateway.host.as_str(), written.gateway.port), ("0.0.0.0", 0));
    let check =
        |variables: &str, expected: &str| assert_eq!(with(variables).unwrap_err().to_string(), expected);
    check(
        "STEWARD_AGENT_MAX_ITERATIONS=lots",
        "the environment variable STEWARD_AGENT_MAX_ITERATIONS is `lots`: invalid type: string \"lots\"; it must be a whole number of at least 1",
    );
    check(
        "STEWARD_PORT=99999",
        "the environment variable STEWARD_PORT is `99999`: invalid value: integer `99999`; it must be a whole number from 0 to 65535",
    );
    check(
        "STEWARD_AGENT_MODLE=x",
        "the environment variable STEWARD_AGENT_MODLE is `x`: there is no key `modle` here; did you mean `model`?",
    );
}

#[test]
fn prices_are_for_a_million_tokens_and_caching_costs_as_input_unless_it_is_told() {
    let usage = protocol::Usage {
        input_tokens: 1_000_000,
        output_tokens: 500_000,
        cache_read_tokens: 2_000_000,
        cache_write_tokens: 1_000_000,
    };
    let check = |price: &str, expected: f64| {
        let written = read_text(&format!("[prices]\n\"a/b\" = {{ {price} }}\n")).unwrap();
        assert!((written.prices["a/b"].of(&usage) - expected).abs() < 1e-9, "{price}");
    };
    check("input = 3.0, output = 15.0, cache_read = 0.3, cache_write = 3.75", 3.0 + 7.5 + 0.6 + 3.75);
    check("input = 1, output = 2", 1.0 + 1.0 + 2.0 + 1.0);
    let mistake = read_text("[prices]\n\"a/b\" = { input = 1, output = 2, cached = 3 }\n").unwrap_err();
    assert!(mistake.to_string().contains("line 2: there is no key `cached` here"), "{mistake}");
}

#[test]
fn a_model_is_changed_in_the_file_and_nothing_else_is() {
    let check = |before: &str, after: &str| assert_eq!(change::with_model(before, "a/b").unwrap(), after);
    check("", "[agent]\nmodel = \"a/b\"\n");
    check(
        "# mine\n[agent] # here\nmodel   =  'x' # why\n",
        "# mine\n[agent] # here\nmodel   =  \"a/b\" # why\n",
    );
    check("agent = { model = \"x\", workspace = \"\" }\n", "agent = { model = \"a/b\", workspace = \"\" }\n");
    check("[agent]\nmax_iterations = 3 # few\n", "[agent]\nmax_iterations = 3 # few\nmodel = \"a/b\"\n");
    check(TEMPLATE, &TEMPLATE.replace("model = \"auto\"", "model = \"a/b\""));
}
