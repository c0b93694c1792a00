package import Foundation

/// The library that counts references and allocations, preloaded into the processes that do a step once more.
package enum CountLibrary {
    /// Compiles the library into a directory, with the compiler that comes with Swift, or with the system's.
    ///
    /// - Returns: Its path; `nil` where no compiler makes it, as without the GNU C library.
    package static func compile(in directory: URL) -> String? {
        let library = directory.appendingPathComponent("libstratacounts.so").path
        let arguments = ["-shared", "-fPIC", "-O1", "-fvisibility=hidden", "-o", library, source, "-ldl"]
        return compilers.contains { run($0, arguments) } ? library : nil
    }

    private static let source = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { path, _ in path.deletingLastPathComponent() }
        .appendingPathComponent("Tests/CountShim/counts.c").path

    private static var compilers: [String] {
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":").map { "\($0)/swift" }
        let swift = path.first { FileManager.default.isExecutableFile(atPath: $0) }.map {
            URL(fileURLWithPath: $0).resolvingSymlinksInPath()
        }
        return [swift.map { $0.deletingLastPathComponent().path + "/clang" }, "/usr/bin/clang", "/usr/bin/cc"].compactMap(\.self)
    }

    private static func run(_ executable: String, _ arguments: [String]) -> Bool {
        guard FileManager.default.isExecutableFile(atPath: executable) else { return false }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
