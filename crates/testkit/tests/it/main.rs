//! The test tools, tested: a counter that does not count would let every test that uses it pass.

use lissom_testkit::alloc::{self, Counting};
use lissom_testkit::launch::{self, Server};
use std::process::{Command, Stdio};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn allocations_are_counted_per_thread() {
    alloc::prove();
    let (_, none) = alloc::count(|| {
        std::thread::scope(|scope| {
            // The spawn itself allocates on this thread; the thread's own vectors must not show.
            let (_, made) = scope
                .spawn(|| alloc::count(|| std::hint::black_box(vec![0_u8; 4096])))
                .join()
                .expect("thread");
            assert_eq!((made.calls, made.bytes), (1, 4096));
        });
    });
    assert!(none.bytes < 4096, "{none:?}");

    let mut kept = Vec::with_capacity(8);
    let ((), warm) = alloc::count(|| kept.extend([1, 2, 3]));
    assert_eq!(warm.calls, 0);
    let ((), grown) = alloc::count(|| kept.extend([0; 100]));
    assert_eq!(grown.calls, 1);
}

#[test]
fn a_run_gives_bytes_and_status() {
    let ended =
        launch::run(Command::new("sh").args(["-c", "cat; echo oops >&2; exit 4"]), b"in\0put");
    assert_eq!(ended.stdout, b"in\0put");
    assert_eq!(ended.stderr_text(), "oops\n");
    assert_eq!(ended.status.code(), Some(4));
}

#[test]
fn input_that_nobody_reads_does_not_block() {
    let ended = launch::run(Command::new("true").env_clear(), &vec![0; 1 << 20]);
    assert!(ended.status.success());
}

#[test]
fn counting_sees_a_small_process() {
    let mut command = Command::new("true");
    command.stdin(Stdio::null());
    let counted = launch::count(command);
    assert!(counted.status.success());
    assert!(counted.syscalls > 0 && counted.peak_resident_bytes > 0, "{counted:?}");
}

#[test]
fn a_server_is_ready_stops_and_leaves_nothing() {
    let script = "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.01; done";
    let server = Server::start(Command::new("sh").args(["-c", script]));
    assert_eq!(server.ready_line, "ready");
    server.signal("TERM");
    let (status, rest) = server.wait();
    assert_eq!((status.code(), rest.as_str()), (Some(0), "bye\n"));

    let dropped = Server::start(Command::new("sh").args(["-c", script]));
    let id = dropped.id();
    drop(dropped);
    assert!(!std::path::Path::new(&format!("/proc/{id}")).exists());
}

#[test]
fn ports_and_folders_are_usable() {
    let port = lissom_testkit::free_port();
    assert!(std::net::TcpListener::bind(("127.0.0.1", port)).is_ok());
    let folder = lissom_testkit::folder();
    let path = folder.path().to_path_buf();
    std::fs::write(path.join("x"), "x").unwrap();
    drop(folder);
    assert!(!path.exists());
}
