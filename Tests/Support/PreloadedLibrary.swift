import Foundation

/// A library of C files to preload into a worker, compiled with the compiler that comes with Swift, or with the system's.
package enum PreloadedLibrary {
    /// Compiles the files into a library.
    ///
    /// - Parameter directory: Where the library is made; it is to be there as long as workers are started.
    /// - Returns: The path of the library; `nil`, after a line that has the consequence, where no compiler makes it.
    package static func compile(_ files: [String], as name: String, in directory: TemporaryDirectory, without consequence: String)
        -> String?
    {
        let library = directory.file(name)
        let arguments = ["-shared", "-fPIC", "-O1", "-fvisibility=hidden", "-o", library] + files + ["-ldl", "-lpthread"]
        if compilers.contains(where: { run($0, arguments) }) { return library }
        print("\(consequence): no C compiler among \(compilers) makes the preloaded library.")
        return nil
    }

    /// clang beside the Swift that runs, then the system's.
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
