//! Tests of the helper's pure parts: the plan of mounts, and that the filters compile.

use super::{
    filter,
    plan::{Kind, Paths, plan},
};
use crate::profile::Network;
use std::path::PathBuf;

fn check(paths: Paths, wanted: &[(&str, Kind)]) {
    let places: Vec<_> = plan(&paths).into_iter().map(|place| (place.path, place.kind)).collect();
    let wanted: Vec<_> = wanted.iter().map(|(path, kind)| (PathBuf::from(path), *kind)).collect();
    assert_eq!(places, wanted, "{paths:?}");
}

fn all(paths: &[&str]) -> Vec<PathBuf> {
    paths.iter().map(PathBuf::from).collect()
}

#[test]
fn what_lies_inside_comes_after_and_the_more_specific_wins() {
    check(
        Paths {
            private: all(&["/tmp"]),
            write: all(&["/tmp/a/work", "/home/o/.steward/workspace"]),
            hide: all(&["/home/o/.steward", "/home/o/.ssh"]),
            ..Paths::default()
        },
        &[
            ("/tmp", Kind::Private),
            ("/tmp/a/work", Kind::Write),
            ("/home/o/.steward", Kind::Hide),
            ("/home/o/.ssh", Kind::Hide),
            ("/home/o/.steward/workspace", Kind::Write),
        ],
    );
}

#[test]
fn at_the_same_path_hiding_wins() {
    let paths = Paths { write: all(&["/w"]), show: all(&["/w"]), hide: all(&["/w"]), ..Paths::default() };
    check(paths, &[("/w", Kind::Hide)]);
    let paths = Paths { private: all(&["/tmp"]), write: all(&["/tmp", "/tmp"]), ..Paths::default() };
    check(paths, &[("/tmp", Kind::Write)]);
}

#[test]
fn the_way_to_a_secret_inside_a_writable_place_is_held_fast() {
    check(
        Paths {
            write: all(&["/home/o"]),
            hide: all(&["/home/o/.config/gh", "/home/o/.config/x/y", "/home/o/.ssh"]),
            ..Paths::default()
        },
        &[
            ("/home/o", Kind::Write),
            ("/home/o/.ssh", Kind::Hide),
            ("/home/o/.config", Kind::Write),
            ("/home/o/.config/gh", Kind::Hide),
            ("/home/o/.config/x", Kind::Write),
            ("/home/o/.config/x/y", Kind::Hide),
        ],
    );
}

#[test]
fn what_cannot_be_seen_anyway_needs_no_cover() {
    let paths = Paths { private: all(&["/tmp"]), hide: all(&["/tmp/x", "/a", "/a/b"]), ..Paths::default() };
    check(paths, &[("/tmp", Kind::Private), ("/a", Kind::Hide)]);
}

#[test]
fn the_filters_compile() {
    for network in [Network::None, Network::Hosts(Vec::new())] {
        let programs = filter::programs(&network).expect("filters");
        assert!(programs.iter().all(|program| !program.is_empty() && program.len() < 4096));
    }
}
