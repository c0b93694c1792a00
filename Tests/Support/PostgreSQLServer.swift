import Foundation
import Synchronization

/// A server of PostgreSQL's of the tests' own: in a temporary directory, on a Unix socket; most tests of a process share one.
///
/// It ends with the process, however that ends: a shell waits for the end of a pipe that the process holds.
package final class PostgreSQLServer: Sendable {
    /// Where the socket is.
    package let directory: String
    private let pipe: Int32
    private let shell: Int32

    /// The server of this process, or why there is none.
    package static let shared: Result<PostgreSQLServer, Unavailable> = {
        do { return .success(try PostgreSQLServer()) } catch let error as Unavailable { return .failure(error) } catch {
            return .failure(Unavailable(reason: "\(error)"))
        }
    }()

    /// Why no server can be started.
    package struct Unavailable: Error, CustomStringConvertible {
        package let reason: String

        package init(reason: String) { self.reason = reason }

        package var description: String { reason }
    }

    /// Whether there is one: it is started when somebody asks first.
    package static var isAvailable: Bool { if case .success = shared { true } else { false } }

    /// Why there is none.
    package static var reason: String { if case .failure(let error) = shared { error.reason } else { "" } }

    /// The address of the database.
    package var url: String { "postgresql:///postgres?host=\(directory)&user=strata" }

    /// The server's programs: those of the greatest version that Debian installed, or those on the path.
    package static let programs: String? = {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let directories = versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "/usr/lib/postgresql/\($0)/bin" }
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return (directories + path).first { directory in
            ["initdb", "postgres", "pg_ctl"].allSatisfy { FileManager.default.isExecutableFile(atPath: "\(directory)/\($0)") }
        }
    }()

    /// Starts a server for a test that stops it, or sets it otherwise.
    ///
    /// - Parameters:
    ///   - settings: Lines of its configuration.
    ///   - megabytes: The size of a disk of its own, at ``smallDisk``; see ``mayMount``.
    package init(settings: [String] = [], disk megabytes: Int? = nil) throws {
        guard let programs = PostgreSQLServer.programs else {
            throw Unavailable(reason: "no server of PostgreSQL's is installed: install postgresql (make prepare does)")
        }
        // The path of a socket has no room for long names.
        directory = "/tmp/strata-pg-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        var ends: [Int32] = [0, 0]
        guard Foundation.pipe(&ends) == 0 else { throw Unavailable(reason: "no pipe: errno \(errno)") }
        // Closed in whatever this process starts: else that would keep the server.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        pipe = ends[1]
        let arguments = [directory, settings.joined(separator: "\n"), megabytes.map { "\($0)" } ?? ""]
        let wrapper = megabytes == nil ? [] : PostgreSQLServer.mounting
        shell = try PostgreSQLServer.start(PostgreSQLServer.script(programs), arguments, input: ends[0], wrapper: wrapper)
        close(ends[0])
        try waitUntilReady()
    }

    /// The server refuses to run as root.
    private static func script(_ programs: String) -> String {
        """
        d=$1; as=
        trap '' INT HUP TERM
        if [ "$(id -u)" = 0 ]; then
            user=postgres; id postgres >/dev/null 2>&1 || user=nobody
            chown "$user" "$d" || exit 1
            as="setpriv --reuid=$user --regid=$(id -g $user) --clear-groups"
            command -v setpriv >/dev/null || as="runuser -u $user --"
        fi
        if [ -n "$3" ]; then
            mkdir "$d/disk" && mount -t tmpfs -o size=$3m tmpfs "$d/disk" || { touch "$d/failed"; exec cat; }
            chown "$user" "$d/disk"
        fi
        cd "$d"
        $as \(programs)/initdb -D "$d/data" -U strata -A trust -E UTF8 --no-locale --no-sync >"$d/log" 2>&1 || { touch "$d/failed"; exec cat; }
        cat >>"$d/data/postgresql.conf" <<CONF
        listen_addresses = ''
        unix_socket_directories = '$d'
        fsync = off
        full_page_writes = off
        max_connections = 300
        max_prepared_transactions = 100
        shared_buffers = 64MB
        autovacuum = off
        $2
        CONF
        echo "$as \(programs)/pg_ctl -D $d/data -l $d/data/log \\"\\$@\\"" >"$d/control"
        $as \(programs)/pg_ctl -D "$d/data" -l "$d/data/log" -w start >>"$d/log" 2>&1 && touch "$d/ready" || touch "$d/failed"
        cat >/dev/null
        for file in "$d"/*.pid; do [ ! -f "$file" ] || kill "$(cat "$file")"; done
        $as \(programs)/pg_ctl -D "$d/data" -m immediate stop >/dev/null 2>&1
        cd /; [ -z "$3" ] || umount "$d/disk"
        rm -rf "$d"
        """
    }

    private static func start(
        _ script: String, _ arguments: [String], input: Int32, name: String = "sh", wrapper: [String] = []
    ) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // What is sent to the tests' group of processes, as by a terminal, does not reach it.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        let words = wrapper + ["sh", "-c", script, name] + arguments
        let pointers = words.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var process: pid_t = 0
        let status = posix_spawnp(&process, words[0], &actions, &attributes, pointers, environ)
        guard status == 0 else { throw Unavailable(reason: "no shell could be started: errno \(status)") }
        return process
    }

    // MARK: - Stopping and starting

    /// Ends the server as if the machine had lost its power, but for what the system has in memory.
    package func crash() throws { try control("-m", "immediate", "-w", "stop") }

    /// Starts the server after it was stopped.
    package func start() throws { try control("-w", "start") }

    /// Ends all transactions at once, and starts the server anew.
    package func restart() throws { try control("-m", "immediate", "-w", "restart") }

    /// Has the server take its configuration anew.
    package func reload() throws { try control("reload") }

    /// The disk of the server's own, where it has one.
    package var smallDisk: String { directory + "/disk" }

    private static let mounting = ["unshare", "-m"]

    /// Whether a server may be given a disk of its own: only root mounts without becoming another user for the server.
    package static let mayMount: Bool = {
        guard getuid() == 0, let process = try? start("mount -t tmpfs tmpfs /tmp", [], input: 0, wrapper: mounting) else { return false }
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        return status == 0
    }()

    /// Where the server has its files.
    package var dataDirectory: String { directory + "/data" }

    private func control(_ arguments: String...) throws {
        let process = try PostgreSQLServer.start(". \"$0/control\" >/dev/null 2>&1", arguments, input: 0, name: directory)
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        if status != 0 { throw Unavailable(reason: "pg_ctl \(arguments.joined(separator: " ")) failed: \(status)") }
    }

    private func waitUntilReady() throws {
        for _ in 0..<12_000 {
            if FileManager.default.fileExists(atPath: directory + "/ready") { return }
            if FileManager.default.fileExists(atPath: directory + "/failed") {
                let log = (try? String(contentsOfFile: directory + "/log", encoding: .utf8)) ?? ""
                throw Unavailable(reason: "the server did not start: \(log.split(separator: "\n").suffix(2).joined(separator: " "))")
            }
            usleep(50_000)
        }
        throw Unavailable(reason: "the server did not start within ten minutes")
    }

    /// The name of a schema for a store with a name in a directory: the same for the same store, and no other's.
    package static func schema(_ directory: String, _ name: String) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in "\(directory)/\(name)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return "store_" + String(hash, radix: 16)
    }
}
