//! A private PostgreSQL server for a test, in a temporary folder, using the system's programs.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};

use tempfile::TempDir;

/// A running server, which stops when the value is dropped or the thread that started it ends.
pub(crate) struct Server {
    folder: TempDir,
    programs: PathBuf,
    user: Option<User>,
    settings: Vec<String>,
    port: u16,
    running: Option<Running>,
}

struct Running {
    process: Child,
    /// Reads the output of the server and its children until the last of them has ended.
    reader: JoinHandle<()>,
}

/// The user that runs the server if the tests run as root, which PostgreSQL refuses.
#[derive(Clone, Copy)]
struct User {
    id: u32,
    group: u32,
}

impl Server {
    /// Starts a server with settings such as `fsync=off`.
    pub(crate) fn start(settings: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let user = (fs::metadata(folder.path()).unwrap().uid() == 0).then(User::find);
        if let Some(user) = user {
            chown(folder.path(), Some(user.id), Some(user.group)).unwrap();
        }
        // Free now; if another program takes it before the server does, which is unlikely, the test reports it.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut server = Self {
            folder,
            programs: programs(),
            user,
            settings: settings.iter().map(|&setting| setting.to_owned()).collect(),
            port,
            running: None,
        };
        server.copy_data();
        server.run();
        server
    }

    /// Copies the data of a new server, which the first test makes for all of them.
    fn copy_data(&self) {
        let version = self.programs.to_string_lossy().replace('/', "-");
        let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("postgres{version}"));
        if made.exists() {
            copy(&made, &self.data());
        } else {
            let output = self
                .command("initdb")
                .args(["--no-sync", "--locale=C", "--encoding=UTF8", "--auth=trust", "--username=hype", "-D"])
                .arg(self.data())
                .output()
                .unwrap();
            assert!(output.status.success(), "initdb failed: {}", String::from_utf8_lossy(&output.stderr));
            // Another test may have made it meanwhile.
            let ours = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
            copy(&self.data(), &ours.path().join("data"));
            drop(fs::rename(ours.path().join("data"), made));
        }
    }

    /// Starts the server on the existing data, and waits until it accepts connections.
    pub(crate) fn run(&mut self) {
        let mut command = self.command("postgres");
        command.arg("-D").arg(self.data()).arg("-k").arg(self.folder.path());
        command.args(["-p", &self.port.to_string(), "-c", "listen_addresses=127.0.0.1"]);
        command.args(["-c", "log_destination=stderr", "-c", "logging_collector=off"]);
        for setting in &self.settings {
            command.args(["-c", setting]);
        }
        let mut process = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
        let mut output = Vec::new();
        loop {
            let Some(line) = lines.next() else { panic!("the server did not start: {}", output.join("\n")) };
            if line.contains("database system is ready to accept connections") {
                break;
            }
            output.push(line);
        }
        self.running = Some(Running { process, reader: thread::spawn(move || lines.for_each(drop)) });
    }

    /// Ends the server by a signal: `KILL` as a crash would, `INT` fast, `QUIT` immediately. All its children have
    /// ended then.
    pub(crate) fn end(&mut self, signal: &str) {
        let Some(Running { mut process, reader }) = self.running.take() else { return };
        let sent = Command::new("kill").args(["-s", signal, &process.id().to_string()]).status().unwrap();
        assert!(sent.success(), "the server had ended before {signal} was sent");
        process.wait().unwrap();
        reader.join().unwrap();
    }

    /// Stops the processes that answer connections, or lets them continue. New connections are not answered meanwhile.
    #[allow(dead_code, reason = "one of the crates that include this file uses it")]
    pub(crate) fn hang(&self, hangs: bool) {
        let Some(Running { process, .. }) = &self.running else { panic!("the server does not run") };
        let signal = if hangs { "-STOP" } else { "-CONT" };
        let parent = process.id().to_string();
        for arguments in [["pkill", signal, "-P", &parent].as_slice(), &["kill", signal, &parent]] {
            assert!(Command::new(arguments[0]).args(&arguments[1..]).status().unwrap().success());
        }
    }

    /// The addresses of a schema: over the loopback network, and over the server's socket.
    pub(crate) fn urls(&self, schema: &str) -> [String; 2] {
        let folder = self.folder.path().to_str().unwrap().replace('/', "%2F");
        ["127.0.0.1", &folder]
            .map(|host| format!("postgres://hype@{host}:{}/postgres?schema={schema}", self.port))
    }

    /// The folder of the server's programs, and of those of clients.
    #[allow(dead_code, reason = "one of the crates that include this file uses it")]
    pub(crate) fn programs(&self) -> &Path {
        &self.programs
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// A program of the server, run by its user.
    fn command(&self, name: &str) -> Command {
        let program = self.programs.join(name);
        let mut command = match self.user {
            None => Command::new(program),
            Some(User { id, group }) => {
                let mut command = Command::new("setpriv");
                command.args([format!("--reuid={id}"), format!("--regid={group}")]);
                command.args(["--clear-groups", "--pdeathsig=QUIT", "--"]).arg(program);
                command
            }
        };
        command.current_dir(self.folder.path());
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end("KILL");
    }
}

impl User {
    fn find() -> Self {
        let accounts = fs::read_to_string("/etc/passwd").unwrap();
        let account = ["postgres:", "nobody:"]
            .iter()
            .find_map(|name| accounts.lines().find(|line| line.starts_with(name)))
            .expect("the system has a user postgres or nobody, by which root can run a server");
        let numbers: Vec<u32> =
            account.split(':').skip(2).take(2).map(|field| field.parse().unwrap()).collect();
        Self { id: numbers[0], group: numbers[1] }
    }
}

/// Copies a folder with its owners and permissions.
fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").args([from, to]).status().unwrap();
    assert!(copied.success(), "{} cannot be copied", from.display());
}

/// The folder of the server's programs.
fn programs() -> PathBuf {
    let configured = Command::new("pg_config").arg("--bindir").output().ok();
    let configured = configured.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    let mut debian: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .map(|versions| versions.flatten().map(|version| version.path().join("bin")).collect())
        .unwrap_or_default();
    debian.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = configured.into_iter().chain(debian.into_iter().rev()).chain(std::env::split_paths(&path));
    let holds = |folder: &PathBuf| ["initdb", "postgres"].iter().all(|name| is_file(&folder.join(name)));
    folders
        .into_iter()
        .find(holds)
        .expect("PostgreSQL's initdb and postgres are installed: run scripts/install-test-tools")
}

fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| data.is_file())
}
