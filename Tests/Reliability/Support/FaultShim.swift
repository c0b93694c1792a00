import Foundation
import StrataTestSupport
import Synchronization

/// The library that is preloaded into workers, compiled from `FaultShim` with the compiler that comes with Swift, or with the system's.
enum FaultShim {
    /// The path of the library; `nil`, after a line that says why, where no compiler makes it.
    static let path: String? = build()

    private static let directory = Result { try TemporaryDirectory.ofProcess("strata-shim") }

    private static func build() -> String? {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path + "/FaultShim"
        guard let library = (try? directory.get())?.file("libstratafaults.so") else { return nil }
        for compiler in compilers {
            let files = ["plan.c", "names.c", "transfers.c"].map { "\(sources)/\($0)" }
            if run(compiler, ["-shared", "-fPIC", "-O1", "-fvisibility=hidden", "-o", library] + files + ["-ldl", "-lpthread"]) {
                return library
            }
        }
        print("Faults are not injected and nothing is recorded: no C compiler among \(compilers) makes the preloaded library.")
        return nil
    }

    /// clang beside the Swift that runs, then whatever is in the path.
    private static var compilers: [String] {
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        let besideSwift = path.map { "\($0)/swift" }.first { FileManager.default.isExecutableFile(atPath: $0) }
            .map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().deletingLastPathComponent().path + "/clang" }
        return [besideSwift, "/usr/bin/clang", "/usr/bin/cc"].compactMap(\.self)
    }

    private static func run(_ executable: String, _ arguments: [String]) -> Bool {
        guard FileManager.default.isExecutableFile(atPath: executable) else { return false }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        do { try process.run() } catch { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
