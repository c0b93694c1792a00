import ArgumentParser
import FoundationEssentials
import StrataCoreDataCode
import StrataModelFiles
import StrataPlatform

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

    static func report(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = StrataPlatform.write(STDERR_FILENO, bytes, bytes.count)
    }
}

/// Reads sources and writes generated files.
enum Files {
    static func read(_ path: String) throws -> SourceFile {
        guard let data = FileManager.default.contents(atPath: path), let text = String(data: data, encoding: .utf8) else {
            Messages.report(error: "the file cannot be read as UTF-8", path: path)
            throw ExitCode.failure
        }
        return SourceFile(path: path, text: text)
    }

    /// Writes a file, unless it has this text already, to avoid needless builds.
    static func write(_ text: String, to path: String) throws {
        if let data = FileManager.default.contents(atPath: path), data == Data(text.utf8) { return }
        do { try Data(text.utf8).write(to: URL(filePath: path), options: .atomic) } catch {
            Messages.report(error: "the file cannot be written: \(error)", path: path)
            throw ExitCode.failure
        }
    }
}
