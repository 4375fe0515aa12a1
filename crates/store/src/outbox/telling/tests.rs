//! When a heartbeat has found nothing.

use super::finds_nothing;

#[test]
fn a_heartbeat_that_found_nothing_is_recognised_however_it_is_dressed_up() {
    for text in ["HEARTBEAT_OK", " HEARTBEAT_OK\n", "`HEARTBEAT_OK`", "**HEARTBEAT_OK**.", "(HEARTBEAT_OK)!"]
    {
        assert!(finds_nothing(text), "{text}");
    }
    for text in ["HEARTBEAT_OK, but the oven is on", "heartbeat ok", "OK", "", "NOT HEARTBEAT_OK"] {
        assert!(!finds_nothing(text), "{text}");
    }
}
