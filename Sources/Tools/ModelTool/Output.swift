import ArgumentParser
import FoundationEssentials

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
