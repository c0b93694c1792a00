import ArgumentParser
import Foundation
import StrataModelFiles

/// Prints diagnostics in the format of compilers: the path, the line, and the message.
enum Messages {
    static func reporting<T>(_ body: () throws -> T) throws -> T {
        do { return try body() } catch let error as ModelFileError {
            report("error", error.path, error.line, error.element, error.message)
            throw ExitCode.failure
        }
    }

    static func report(_ warnings: [ModelFileWarning], of path: String?) {
        for warning in warnings { report("warning", path, warning.line, warning.element, warning.message) }
    }

    static func report(error message: String, path: String? = nil) { report("error", path, nil, nil, message) }

    private static func report(_ kind: String, _ path: String?, _ line: Int?, _ element: String?, _ message: String) {
        let location = [path, line.map(String.init)].compactMap(\.self).joined(separator: ":")
        let text = [location.isEmpty ? nil : location, kind, element, message].compactMap(\.self).joined(separator: ": ")
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }
}
