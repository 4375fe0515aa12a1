//! File names: nothing climbs out, nothing collides.

use super::file_name::file_name;
use protocol::SessionKey;

#[test]
fn keys_become_safe_names_that_never_collide() {
    let long = "x".repeat(250);
    let longer = format!("{}y", "x".repeat(249));
    let check = |key: &str, expected: &str| assert_eq!(file_name(&SessionKey::new(key).unwrap()), expected);
    check("terminal--default", "terminal--default");
    check("slack--C1--170.1", "slack--C1--170.1");
    check("../../etc/passwd", "%2E.%2F..%2Fetc%2Fpasswd");
    check(".hidden", "%2Ehidden");
    check("a%2Fb", "a%252Fb");
    check("日", "%E6%97%A5");
    let names = [&long, &longer].map(|key| file_name(&SessionKey::new(key.as_str()).unwrap()));
    assert_ne!(names[0], names[1]);
    assert!(names.iter().all(|name| name.len() < 200 && name.contains("%%")));
}
