//! Tests of the parts that touch nothing: profiles, captures, hosts, requests.

use crate::{
    Capture, Captured, Isolation, Network, OutputCaps, Primitives, Profile,
    net::{Host, HostRule, is_public, vet},
};
use std::net::IpAddr;

#[test]
fn a_profile_has_one_text_for_one_meaning() {
    let one = Profile {
        writable: vec!["/b".into(), "/a".into()],
        network: Network::Hosts(vec!["b.org".parse().unwrap(), "a.org:8080".parse().unwrap()]),
        env: vec![("A".into(), "line\nbreak".into())],
        ..Profile::new("/w")
    };
    let same = Profile {
        writable: vec!["/a".into(), "/b".into(), "/a".into()],
        network: Network::Hosts(vec!["A.org:8080".parse().unwrap(), "b.org".parse().unwrap()]),
        ..one.clone()
    };
    assert_eq!(one.canonical(), same.canonical());
    let others = [
        Profile { workspace: "/x".into(), ..one.clone() },
        Profile { writable: vec!["/a".into()], ..one.clone() },
        Profile { readable_extra: vec!["/r".into()], ..one.clone() },
        Profile { hidden: vec!["/h".into()], ..one.clone() },
        Profile { network: Network::None, ..one.clone() },
        Profile { network: Network::Hosts(Vec::new()), ..one.clone() },
        Profile { isolation: Isolation::Off, ..one.clone() },
        Profile { env: vec![("A".into(), "line".into()), ("break".into(), "".into())], ..one.clone() },
        Profile { env: vec![("A".into(), "line\\nbreak".into())], ..one.clone() },
    ];
    for other in &others {
        assert_ne!(one.canonical(), other.canonical(), "{other:?}");
    }
    let text = serde_json::to_string(&one).unwrap();
    assert_eq!(serde_json::from_str::<Profile>(&text).unwrap(), one);
}

#[test]
fn a_capture_keeps_head_and_tail() {
    let caps = OutputCaps { head_bytes: 3, tail_bytes: 4 };
    for (pieces, head, tail, cut_bytes) in [
        (&["ab"][..], "ab", "", 0),
        (&["abcdefg"], "abc", "defg", 0),
        (&["abcdefgh"], "abc", "efgh", 1),
        (&["a", "b", "c", "d", "e", "f", "g", "h", "i"], "abc", "fghi", 2),
        (&["ab", "cdefghijklmn", "o"], "abc", "lmno", 8),
        (&[], "", "", 0),
    ] {
        let mut capture = Capture::new(caps);
        pieces.iter().for_each(|piece| capture.push(piece.as_bytes()));
        let wanted = Captured { head: head.into(), tail: tail.into(), cut_bytes };
        assert_eq!(capture.finish(), wanted, "{pieces:?}");
    }
    let mut capture = Capture::new(OutputCaps { head_bytes: 1, tail_bytes: 9 });
    capture.push("é".as_bytes());
    assert_eq!(capture.finish().text(), "é");
}

#[test]
fn hosts_are_read_one_way_or_not_at_all() {
    for (text, wanted) in [
        ("Docs.RS", Some("docs.rs")),
        ("a-b_c.example", Some("a-b_c.example")),
        ("xn--bcher-kva.example", Some("xn--bcher-kva.example")),
        ("192.0.2.7", Some("192.0.2.7")),
        ("[2001:db8::1]", Some("[2001:db8::1]")),
        ("[::ffff:127.0.0.1]", Some("127.0.0.1")),
        ("", None),
        (".", None),
        ("docs.rs.", None),
        (".docs.rs", None),
        ("docs..rs", None),
        ("evil.example\0.docs.rs", None),
        ("evil.example%00.docs.rs", None),
        ("evil.example/.docs.rs", None),
        ("user@docs.rs", None),
        ("docs.rs ", None),
        ("docs\u{3002}rs", None),
        ("d\u{43e}cs.rs", None),
        ("-docs.rs", None),
        ("127.1", None),
        ("0177.0.0.1", None),
        ("0x7f.0.0.1", None),
        ("0x7f000001", None),
        ("2130706433", None),
        ("127.0.0.01", None),
        ("127.0.0.1.", None),
        ("1.2.3.4.5", None),
        ("::1", None),
        ("[::1", None),
        ("[fe80::1%eth0]", None),
        ("[127.0.0.1]", None),
    ] {
        let host = text.parse::<Host>().ok().map(|host| host.to_string());
        assert_eq!(host.as_deref(), wanted, "{text:?}");
    }
    for text in
        ["docs.rs:0", "docs.rs:+80", "docs.rs:80x", "docs.rs: 80", "docs.rs:65536", "docs.rs:", "::1:80"]
    {
        assert!(Host::with_port(text, Some(80)).is_err(), "{text:?}");
    }
}

#[test]
fn rules_allow_what_they_say() {
    for (rule, host, port, wanted) in [
        ("docs.rs", "docs.rs", 443, true),
        ("docs.rs", "docs.rs", 80, true),
        ("docs.rs", "docs.rs", 22, false),
        ("docs.rs:22", "docs.rs", 22, true),
        ("docs.rs:22", "docs.rs", 443, false),
        ("docs.rs", "evildocs.rs", 443, false),
        ("docs.rs", "sub.docs.rs", 443, false),
        ("*.docs.rs", "sub.docs.rs", 443, true),
        ("*.docs.rs", "a.b.docs.rs", 443, true),
        ("*.docs.rs", "docs.rs", 443, false),
        ("*.docs.rs", "evildocs.rs", 443, false),
        ("127.0.0.1:8080", "127.0.0.1", 8080, true),
        ("127.0.0.1:8080", "[::ffff:127.0.0.1]", 8080, true),
        ("127.0.0.1:8080", "localhost", 8080, false),
    ] {
        let allows = rule.parse::<HostRule>().unwrap().allows(&host.parse().unwrap(), port);
        assert_eq!(allows, wanted, "{rule} {host}:{port}");
    }
    for rule in ["*", "*.com", "*.*.com", "a.*.com", "*.127.0.0.1", "http://docs.rs", "docs.rs/path", ""] {
        assert!(rule.parse::<HostRule>().is_err(), "{rule}");
    }
}

#[test]
fn only_public_addresses_are_public() {
    for (address, wanted) in [
        ("1.1.1.1", true),
        ("2606:4700:4700::1111", true),
        ("100.63.0.1", true),
        ("0.0.0.0", false),
        ("10.1.2.3", false),
        ("100.64.0.1", false),
        ("127.8.8.8", false),
        ("169.254.169.254", false),
        ("172.31.0.1", false),
        ("192.0.0.192", false),
        ("192.168.1.1", false),
        ("198.19.0.1", false),
        ("224.0.0.1", false),
        ("255.255.255.255", false),
        ("168.63.129.16", false),
        ("::", false),
        ("::1", false),
        ("::ffff:10.0.0.1", false),
        ("::7f00:1", false),
        ("64:ff9b::7f00:1", false),
        ("64:ff9b:1::1", false),
        ("2002:7f00:1::", false),
        ("2001::1", false),
        ("2001:db8::1", false),
        ("fc00::1", false),
        ("fd00:ec2::254", false),
        ("fe80::1", false),
        ("fec0::1", false),
        ("ff02::1", false),
    ] {
        assert_eq!(is_public(address.parse().unwrap()), wanted, "{address}");
    }
}

#[test]
fn a_name_is_refused_whole_when_one_address_is_inside() {
    let name: Host = "rebind.example".parse().unwrap();
    let (public, private): (IpAddr, IpAddr) = ("1.1.1.1".parse().unwrap(), "10.0.0.1".parse().unwrap());
    assert_eq!(vet(&name, 443, &[public]), Ok(vec![(public, 443).into()]));
    assert!(vet(&name, 443, &[public, private]).is_err());
    assert!(vet(&name, 443, &[]).is_err());
    assert_eq!(vet(&Host::Address(private), 80, &[private]), Ok(vec![(private, 80).into()]));
}

#[test]
fn what_is_missing_has_consequences() {
    let whole = Primitives {
        namespaces: true,
        fresh_proc: true,
        network_namespace: true,
        landlock_abi: 7,
        seccomp: true,
        root: true,
        trouble: None,
    };
    assert_eq!(whole.degraded(), None);
    let lacking: Vec<_> =
        whole.report().into_iter().filter(|row| !row.available).map(|row| row.name).collect();
    assert_eq!(lacking, ["ordinary user"]);
    let old = Primitives { landlock_abi: 3, root: false, ..whole };
    assert_eq!(old.degraded(), None);
    let none = Primitives { trouble: Some("denied".into()), ..Primitives::default() };
    assert!(none.report()[0].consequence.ends_with("(denied)"));
    assert!(!none.any() && none.degraded().is_some());
}
