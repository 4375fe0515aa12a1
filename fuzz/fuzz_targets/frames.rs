//! Any text through the reader of WebSocket frames: no panic; what is read can be read again, and what is
//! refused is answered with an id a client can have sent and a code.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|text: &str| {
    match gateway::reread(text) {
        Ok(once) => assert!(gateway::reread(&once).is_ok(), "{once}"),
        Err(answer) => {
            let answer: Value = serde_json::from_str(&answer).expect("an answer is JSON");
            let id = &answer["id"];
            assert!(id.is_null() || id.is_string() || id.is_number(), "{answer}");
            assert!(answer["error"]["code"].is_i64(), "{answer}");
        }
    }
});
