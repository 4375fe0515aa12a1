//! Every attack on the list, tried from inside. What succeeds must be exactly what is meant to.

use crate::support::{found, sandbox, scratch, shell};
use sandbox::{Network, Profile, secret_paths};
use std::{
    net::{TcpListener, UdpSocket},
    os::{
        linux::net::SocketAddrExt as _,
        unix::net::{SocketAddr, UnixDatagram, UnixListener},
    },
    path::Path,
    thread,
};

/// What a command is meant to be able to do, and the residue: neither gets anything out.
const ALLOWED: &[&str] = &[
    "write inside workspace",
    "write private /tmp",
    "read /etc/passwd",
    "private SysV memory",
    "memfd exec",
];

#[tokio::test]
async fn attacks_fail_without_network() {
    attack(Network::None, ALLOWED).await;
}

#[tokio::test]
async fn attacks_fail_with_some_hosts_allowed() {
    let rule = "docs.rs:443".parse().expect("a rule");
    attack(Network::Hosts(vec![rule]), ALLOWED).await;
}

async fn attack(network: Network, allowed: &[&str]) {
    if !found("python3", sandbox::FIXED_PATH) {
        return;
    }
    println!("attacks run as uid {}", rustix::process::getuid().as_raw());
    let home = scratch();
    let profile = prepare_home(home.path(), network);
    let outside = Outside::listen(home.path());
    let mut profile = profile;
    profile.env.extend(outside.env.clone());
    profile.env.push(("ATTACK_HOME".into(), home.path().display().to_string()));
    profile.env.push(("ATTACK_PID".into(), std::process::id().to_string()));
    let script = include_str!("../probe/attacks.py");
    std::fs::write(profile.workspace.join("attacks.py"), script).expect("a script");
    let done = sandbox()
        .run(&profile, shell("python3 attacks.py", &profile.workspace), |_| {})
        .await
        .expect("a sandbox");
    let text = done.output.text();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    assert!(done.exit == Some(0) && rows.iter().all(|row| row.len() == 3), "{text}");
    assert!(rows.len() >= 80, "only {} attacks", rows.len());
    let succeeded: Vec<&str> = rows.iter().filter(|row| row[1] == "done").map(|row| row[0]).collect();
    assert_eq!(succeeded, allowed, "{text}");
    assert_eq!(std::fs::read_to_string(home.path().join(".bashrc")).expect("still there"), "mine");
    assert_eq!(std::fs::read_to_string(home.path().join(".netrc")).expect("still there"), "password");
    assert_eq!(outside.datagram.recv(&mut [0; 10]).ok(), None, "something got out");
}

fn prepare_home(home: &Path, network: Network) -> Profile {
    let workspace = home.join("work/space");
    std::fs::create_dir_all(&workspace).expect("a directory");
    std::fs::create_dir(home.join(".ssh")).expect("a directory");
    for (name, content) in
        [(".ssh/id_ed25519", "secret"), (".bashrc", "mine"), (".netrc", "password"), ("work/space/own", "")]
    {
        std::fs::write(home.join(name), content).expect("a file");
    }
    Profile { hidden: secret_paths(home), network, ..Profile::new(workspace) }
}

/// What stands for the owner's other programs: servers a command must not reach.
struct Outside {
    env: Vec<(String, String)>,
    datagram: UnixDatagram,
}

impl Outside {
    fn listen(home: &Path) -> Self {
        let tcp = TcpListener::bind("127.0.0.1:0").expect("a server");
        let udp = UdpSocket::bind("127.0.0.1:0").expect("a server");
        let pathname = UnixListener::bind(home.join("docker.sock")).expect("a server");
        let name =
            format!("sandbox-test-{}-{}", std::process::id(), udp.local_addr().expect("an address").port());
        let address = SocketAddr::from_abstract_name(&name).expect("a name");
        let hidden = UnixListener::bind_addr(&address).expect("a server");
        let datagram = UnixDatagram::bind(home.join("log.sock")).expect("a server");
        datagram.set_nonblocking(true).expect("a socket");
        let env = [
            ("ATTACK_TCP", tcp.local_addr().expect("an address").port().to_string()),
            ("ATTACK_UDP", udp.local_addr().expect("an address").port().to_string()),
            ("ATTACK_SOCKET", home.join("docker.sock").display().to_string()),
            ("ATTACK_DATAGRAM", home.join("log.sock").display().to_string()),
            ("ATTACK_ABSTRACT", name),
        ];
        thread::spawn(move || tcp.incoming().flatten().for_each(greet));
        thread::spawn(move || pathname.incoming().flatten().for_each(greet));
        thread::spawn(move || hidden.incoming().flatten().for_each(greet));
        thread::spawn(move || {
            let mut text = [0; 10];
            while let Ok((_, peer)) = udp.recv_from(&mut text) {
                udp.send_to(b"hello", peer).expect("an answer");
            }
        });
        Self { env: env.map(|(name, value)| (name.to_owned(), value)).into(), datagram }
    }
}

fn greet(mut peer: impl std::io::Read + std::io::Write) {
    let mut text = [0; 10];
    peer.read(&mut text).and_then(|_| peer.write_all(b"hello")).unwrap_or_default();
}
