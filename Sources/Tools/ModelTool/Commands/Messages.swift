import ArgumentParser
import FoundationEssentials
import StrataModelFiles
import StrataPlatform

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
        let bytes = Array((text + "\n").utf8)
        _ = StrataPlatform.write(STDERR_FILENO, bytes, bytes.count)
    }
}

enum Output {
    /// Writes a text to a file, or to the standard output; an unchanged file is not written, to avoid needless builds.
    static func write(_ text: String, to path: String?) throws {
        guard let path else { return print(text, terminator: text.hasSuffix("\n") ? "" : "\n") }
        if let data = FileManager.default.contents(atPath: path), data == Data(text.utf8) { return }
        do { try Data(text.utf8).write(to: URL(filePath: path), options: .atomic) } catch {
            Messages.report(error: "the file cannot be written: \(error)", path: path)
            throw ExitCode.failure
        }
    }

    static func makeFolder(_ path: String) throws {
        do { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) } catch {
            Messages.report(error: "the folder cannot be made: \(error)", path: path)
            throw ExitCode.failure
        }
    }
}
