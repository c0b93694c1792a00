import ArgumentParser
import FoundationEssentials
import StrataFiles
import StrataPlatform
import StrataStoreTool

struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Shows a store in a web browser, on this machine alone: runs strata-inspector, with the same arguments.",
        discussion: """
            The arguments are a store and the store options; --port, 8080 by default, or 0 for any free one; --write, with which requests that \
            have the printed token change objects; and --no-live, without which the store is watched for changes of other processes. The \
            address is printed; the command runs until it is interrupted. The Debian package strata-inspector has the program.
            """)

    @Argument(parsing: .captureForPassthrough, help: "The store and the options of strata-inspector.") var arguments: [String] = []

    func run() throws {
        let program = "strata-inspector"
        let folders =
            [PathName.parent(of: try PosixFileSystem.shared.linkDestination(of: "/proc/self/exe") ?? "")]
            + (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        guard let path = folders.map({ "\($0)/\(program)" }).first(where: FileManager.default.isExecutableFile(atPath:)) else {
            throw CommandFailure(
                .unavailable,
                "\(program) is neither beside strata nor on the PATH: swift build -c release --package-path Inspector --product \(program) makes it"
            )
        }
        try Console.flush()
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        execv(path, words)
        throw CommandFailure(.failed, "\(path) cannot be run: \(String(cString: strerror(errno)))")
    }
}
