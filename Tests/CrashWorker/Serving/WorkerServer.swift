import StrataPlatform

/// Does what it is told on its input, each command in a process of its own: whatever happens to that one is reported in a last line.
///
///     <plan of the shim> TAB <command> TAB <argument> TAB …
///
/// A forked process starts a hundred times faster than a new one. There is a single thread and no open store to inherit.
enum WorkerServer {
    /// How long a command may take.
    static let secondsPerCommand: UInt32 = 60

    static func run() -> Never {
        // What every command needs is made once.
        guard (try? LedgerModel.model.get()) != nil, let fork = Shim.function("fork", as: (@convention(c) () -> pid_t).self) else {
            Pipe.write("failed to start")
            exit(2)
        }
        Pipe.write(Shim.isLoaded ? "ready shim" : "ready")
        while let line = readLine() {
            let words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            let child = fork()
            if child == 0 { perform(words) }
            guard child > 0 else {
                Pipe.write("end none \(errno)")
                continue
            }
            var status: Int32 = 0
            while waitpid(child, &status, 0) == -1, errno == EINTR {}
            let signal = status & 0x7F
            Pipe.write(signal == 0 ? "end exit \(status >> 8 & 0xFF)" : "end signal \(signal)")
        }
        exit(0)
    }

    /// Does one command in this process.
    static func perform(_ words: [String]) -> Never {
        alarm(secondsPerCommand)
        // A write beyond a limit fails instead of ending the process.
        signal(SIGXFSZ, SIG_IGN)
        // What the runtime says as it ends the process is part of the report.
        dup2(STDOUT_FILENO, STDERR_FILENO)
        guard words.count >= 2 else { _exit(3) }
        if !words[0].isEmpty { Shim.plan("story=\(STDOUT_FILENO);" + words[0]) }
        do {
            try WorkerCommands.perform(words[1], Array(words.dropFirst(2)))
        } catch {
            Pipe.write("threw \(WorkerCommands.describe(error))")
        }
        _exit(0)
    }
}
