//! What a call gives as data: kept only where a program made the call, and without secrets.

use crate::clients::{settings, workbench};
use agent::{Hands, Scene};
use policy::Taint;
use protocol::{Call, CallId, CallStatus, SessionKey, TurnId};
use serde_json::json;
use store::{Store, TurnRef};

#[tokio::test]
async fn only_a_program_is_given_data_and_no_secrets_with_it() {
    let home = tempfile::tempdir().unwrap();
    let key = format!("sk-ant-{}", "a".repeat(40));
    std::fs::create_dir(home.path().join("workspace")).unwrap();
    std::fs::write(home.path().join("workspace/notes.txt"), format!("key {key}\n")).unwrap();
    let store = Store::open(&home.path().join("steward.db")).await.unwrap();
    let bench = workbench(&store, settings(home.path()));
    let arguments = json!({ "path": "notes.txt" }).to_string();
    let call =
        Call { id: CallId::from(uuid::Uuid::nil()), wire_id: String::new(), tool: "read".into(), arguments };
    let session = SessionKey::new("terminal--default").unwrap();
    let at = TurnRef { session, turn: TurnId::from(uuid::Uuid::nil()) };
    let clean = json!({ "text": "key [redacted: anthropic key]\n", "exact": true });
    for (program, expected) in [(false, None), (true, Some(clean))] {
        let scene = Scene { at: at.clone(), taint: Taint::default(), program };
        let result = bench.run(&scene, &call, None).await;
        assert_eq!((result.status, result.value), (CallStatus::Succeeded, expected), "{}", result.output);
        assert!(!result.output.contains(&key));
    }
}
