import ArgumentParser
import FoundationEssentials
import StrataCoreDataCode

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
