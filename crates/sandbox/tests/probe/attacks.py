#!/usr/bin/env python3
"""Attacks on the sandbox, tried from inside. Prints one line each: `name<TAB>done|blocked<TAB>detail`.

Every attack does the thing itself and not a check for it. The caller says where its secrets, sockets and process
are through the environment; the names are the ones the test expects.
"""
import ctypes
import errno
import os
import socket
import subprocess

HOME = os.environ["ATTACK_HOME"]
GATEWAY = int(os.environ["ATTACK_PID"])
TCP = int(os.environ["ATTACK_TCP"])
UDP = int(os.environ["ATTACK_UDP"])
PATHNAME = os.environ["ATTACK_SOCKET"]
DATAGRAM = os.environ["ATTACK_DATAGRAM"]
ABSTRACT = os.environ["ATTACK_ABSTRACT"]
SECRET = HOME + "/.ssh/id_ed25519"
libc = ctypes.CDLL(None, use_errno=True)


def attempt(name, attack):
    try:
        print(f"{name}\tdone\t{str(attack())[:60]!r}")
    except OSError as error:
        print(f"{name}\tblocked\t{errno.errorcode.get(error.errno, error.errno)}")
    except Exception as error:  # an attack that fails in any other way has failed too
        print(f"{name}\tblocked\t{type(error).__name__} {str(error)[:50]!r}")


def call(number, *arguments):
    result = libc.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return result


def in_child(work):
    """Runs `work` in a process of its own, so that a success does not change this one."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except OSError as error:
            os._exit(error.errno or 255)
        except BaseException:
            os._exit(255)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code:
        raise OSError(abs(code), "")
    return "child succeeded"


def append(path):
    with open(path, "a") as file:
        return file.write("evil")


def read(path):
    with open(path, "rb") as file:
        return file.read(100)


# Secrets and other files.
attempt("read secret", lambda: read(SECRET))
attempt("list secret directory", lambda: os.listdir(HOME + "/.ssh"))
attempt("stat secret", lambda: os.stat(SECRET).st_size)
attempt("chmod secret", lambda: os.chmod(SECRET, 0o777))
attempt("utime secret", lambda: os.utime(SECRET, (1, 1)))
attempt("read secret file", lambda: read(HOME + "/.netrc"))
attempt("replace secret file", lambda: os.rename("own", HOME + "/.netrc"))
attempt("append to .bashrc", lambda: append(HOME + "/.bashrc"))
attempt("create in home", lambda: append(HOME + "/.profile2"))
attempt("truncate .bashrc", lambda: os.truncate(HOME + "/.bashrc", 0))
attempt("chmod .bashrc", lambda: os.chmod(HOME + "/.bashrc", 0o777))
attempt("utime .bashrc", lambda: os.utime(HOME + "/.bashrc", (1, 1)))
attempt("setxattr .bashrc", lambda: os.setxattr(HOME + "/.bashrc", "user.evil", b"1"))
attempt("delete .bashrc", lambda: os.unlink(HOME + "/.bashrc"))
attempt("symlink to secret", lambda: (os.symlink(SECRET, "link"), read("link")))
attempt("hardlink secret", lambda: os.link(SECRET, "hard"))
attempt("hardlink .bashrc", lambda: os.link(HOME + "/.bashrc", "hard2"))
attempt("rename .bashrc into workspace", lambda: os.rename(HOME + "/.bashrc", "stolen"))
attempt("rename workspace's parent", lambda: os.rename(os.path.dirname(os.getcwd()), HOME + "/moved"))
attempt("secret by relative path", lambda: read(os.path.relpath(SECRET)))
attempt("write inside workspace", lambda: append("ok.txt"))
attempt("write private /tmp", lambda: append("/tmp/ok.txt"))
attempt("read /etc/passwd", lambda: len(read("/etc/passwd")))
attempt("read /etc/shadow", lambda: read("/etc/shadow"))
attempt("write /etc", lambda: append("/etc/evil"))
attempt("setuid file in workspace", lambda: os.chmod("ok.txt", 0o4755))
attempt("setuid file by open", lambda: os.open("suid", os.O_CREAT | os.O_WRONLY, 0o4755))
attempt("device node", lambda: os.mknod("null", 0o020666, os.makedev(1, 3)))
attempt("write block device", lambda: os.open("/dev/vda", os.O_RDWR))
attempt("write core_pattern", lambda: append("/proc/sys/kernel/core_pattern"))
attempt("write sysrq", lambda: append("/proc/sysrq-trigger"))
attempt("write sysfs", lambda: append("/sys/kernel/mm/transparent_hugepage/enabled"))
attempt("write cgroup", lambda: os.mkdir("/sys/fs/cgroup/pids/evil"))
attempt("file handle", lambda: call(303, -100, SECRET.encode(), ctypes.create_string_buffer(200), ctypes.byref(ctypes.c_int()), 0))


# Other processes.
def kill_first():
    os.kill(1, 9)
    # Had it worked, this process would be gone as well.
    raise OSError(errno.EPERM, "")


attempt("gateway environ", lambda: read(f"/proc/{GATEWAY}/environ"))
attempt("gateway cmdline", lambda: read(f"/proc/{GATEWAY}/cmdline"))
attempt("gateway memory", lambda: open(f"/proc/{GATEWAY}/mem", "rb"))
attempt("gateway descriptors", lambda: os.listdir(f"/proc/{GATEWAY}/fd"))
attempt("secret by gateway's root", lambda: read(f"/proc/{GATEWAY}/root{SECRET}"))
attempt("secret by own root", lambda: read(f"/proc/self/root{SECRET}"))
attempt("secret by pid 1's root", lambda: read(f"/proc/1/root{SECRET}"))
attempt("pid 1 memory", lambda: open("/proc/1/mem", "r+b"))
attempt("pid 1 environ", lambda: read("/proc/1/environ"))
attempt("pid 1 descriptors", lambda: [os.open(f"/proc/1/fd/{number}", os.O_RDONLY) for number in os.listdir("/proc/1/fd")])
attempt("pid 1 descriptor names", lambda: os.readlink("/proc/1/fd/3"))
attempt("kill pid 1", kill_first)
attempt("signal gateway", lambda: os.kill(GATEWAY, 0))
attempt("ptrace gateway", lambda: call(101, 0x4206, GATEWAY, 0, 0))
attempt("ptrace pid 1", lambda: call(101, 0x4206, 1, 0, 0))
attempt("read gateway memory", lambda: call(310, GATEWAY, None, 0, None, 0, 0))
attempt("steal gateway's descriptor", lambda: call(438, call(434, GATEWAY, 0), 0, 0))


# Networks.
def tcp():
    with socket.create_connection(("127.0.0.1", TCP), 2) as peer:
        peer.sendall(b"hi")
        return peer.recv(10)


def udp():
    peer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    peer.settimeout(2)
    peer.sendto(b"exfil", ("127.0.0.1", UDP))
    return peer.recv(10)


def fast_open():
    peer = socket.socket()
    peer.settimeout(2)
    peer.sendto(b"hi", 0x20000000, ("127.0.0.1", TCP))
    return peer.recv(10)


def listen():
    server = socket.socket()
    server.bind(("127.0.0.1", 34567))
    server.listen()


def unix(address):
    peer = socket.socket(socket.AF_UNIX)
    peer.settimeout(2)
    peer.connect(address)
    peer.sendall(b"hi")
    return peer.recv(10)


def datagram_pair():
    one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.sendto(b"exfil", DATAGRAM)


def datagram_by_message():
    one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.sendmsg([b"exfil"], [], 0, DATAGRAM)


attempt("TCP to gateway", tcp)
attempt("TCP out", lambda: socket.create_connection(("1.1.1.1", 443), 2))
attempt("UDP", udp)
attempt("TCP fast open", fast_open)
attempt("TCP listen", listen)
attempt("pathname socket", lambda: unix(PATHNAME))
attempt("abstract socket", lambda: unix("\0" + ABSTRACT))
attempt("datagram socket by a pair", datagram_pair)
attempt("datagram socket by a message", datagram_by_message)
attempt("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0))
attempt("packet", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt("vsock", lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM))
attempt("crypto socket", lambda: socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET, 0))
attempt("multipath TCP", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262))


# The kernel.
attempt("io_uring", lambda: call(425, 8, ctypes.create_string_buffer(256)))
attempt("new user namespace", lambda: in_child(lambda: call(272, 0x10000000 | 0x20000)))
attempt("new user namespace by clone", lambda: in_child(lambda: call(56, 0x10000000 | 17, 0, 0, 0, 0)))
attempt("new user namespace by clone3", lambda: in_child(lambda: call(435, (ctypes.c_uint64 * 8)(0x10000000, 0, 0, 0, 17, 0, 0, 0), 64)))
attempt("join namespace", lambda: call(308, os.open("/proc/self/ns/user", os.O_RDONLY), 0))
attempt("mount", lambda: call(165, b"none", b"/mnt", b"tmpfs", 0, None))
attempt("unmount a cover", lambda: call(166, (HOME + "/.ssh").encode(), 2))
attempt("remount root writable", lambda: call(165, None, b"/", None, 0x20 | 0x1000, None))
attempt("new mount interface", lambda: call(430, b"tmpfs", 0))
attempt("chroot", lambda: in_child(lambda: os.chroot("/")))
attempt("keyctl", lambda: call(250, 0, -3, 0))
attempt("bpf", lambda: call(321, 0, ctypes.create_string_buffer(128), 128))
attempt("perf events", lambda: call(298, ctypes.create_string_buffer(128), 0, -1, -1, 0))
attempt("userfaultfd", lambda: call(323, 0))
attempt("set hostname", lambda: socket.sethostname("evil"))
attempt("x32 call", lambda: call(0x40000000 + 39))
attempt("become root", lambda: in_child(lambda: os.setuid(0) if os.getuid() else os.setuid(1)))
attempt("capabilities", lambda: int([line for line in open("/proc/self/status") if line.startswith("CapBnd")][0].split()[1], 16) or (_ for _ in ()).throw(OSError(errno.EPERM, "")))


# Documented residue: harmless because nothing gets out by it.
def shared_memory():
    identifier = call(29, 0x1234, 4096, 0o1777)
    libc.shmctl(identifier, 0, 0)
    return identifier


def memory_exec():
    fd = os.memfd_create("x")
    with open("/bin/true", "rb") as file:
        os.write(fd, file.read())
    return subprocess.run([f"/proc/self/fd/{fd}"], pass_fds=[fd], check=True).returncode


attempt("private SysV memory", shared_memory)
attempt("memfd exec", memory_exec)
