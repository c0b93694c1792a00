import ArgumentParser
import Foundation
import StrataModelFiles

/// Prints diagnostics in the format of compilers.
enum Messages {
    static func reporting<T>(_ body: () throws -> T) throws -> T {
        do { return try body() } catch let error as ModelFileError {
            let location = [error.path, error.line.map(String.init)].compactMap(\.self).joined(separator: ":")
            report([location.isEmpty ? nil : location, "error", error.element, error.message].compactMap(\.self).joined(separator: ": "))
            throw ExitCode.failure
        }
    }

    static func report(_ warning: ModelFileWarning, of path: String) {
        let location = [path, warning.line.map(String.init)].compactMap(\.self).joined(separator: ":")
        report("\(location): warning: \(warning.element): \(warning.message)")
    }

    static func report(error message: String, path: String) { report("\(path): error: \(message)") }

    static func report(_ line: String) { try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8)) }
}
