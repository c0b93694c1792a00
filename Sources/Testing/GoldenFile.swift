import FoundationEssentials
public import StrataModel
import StrataPlatform
import StrataValueText

/// A file with a text that a test expects, which the test writes the first time.
///
/// ```swift
/// try GoldenFile("Expected/library.txt").check(context.graphText())
/// for schema in LibraryPlan.schemas { try GoldenFile("Models/\(schema.versionIdentifier).json").check(ManagedObjectModel(versionedSchema: schema)) }
/// ```
/// The files are committed with the tests. One per version of a model shows that a version that was released has not changed: stores that were
/// made with it would no longer open without a migration.
public struct GoldenFile: Sendable {
    /// The path of the file.
    public let path: String

    /// Creates a golden file.
    ///
    /// - Parameters:
    ///   - path: The path of the file, relative to the folder of the source file that calls this.
    ///   - source: The path of that source file.
    public init(_ path: String, relativeTo source: String = #filePath) {
        self.path = SourceFile.path(path, besides: source)
    }

    /// Compares a text with the file; writes a file that is missing, or any where the environment variable `STRATA_RECORD` is `1`.
    ///
    /// - Throws: ``GoldenFileError`` where the text differs and where the file was written; what the file system throws.
    public func check(_ text: String) throws {
        let url = URL(filePath: path)
        let isRecording = ProcessInfo.processInfo.environment["STRATA_RECORD"] == "1"
        guard !isRecording, FileManager.default.fileExists(atPath: path) else {
            try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url, options: .atomic)
            throw GoldenFileError("\(path) is written: look at it, and run the test again")
        }
        let expected = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        guard text.utf8.elementsEqual(expected.utf8) else { throw GoldenFileError(difference(expected, text)) }
    }

    /// Compares the entities of a model, their properties and their version hashes with the file, as ``check(_:)-(String)``.
    ///
    /// - Throws: ``GoldenFileError`` where the model differs and where the file was written; what the file system throws.
    public func check(_ model: ManagedObjectModel) throws {
        let hashes = Dictionary(uniqueKeysWithValues: model.entities.map { ($0.name, JSON.string(hexadecimal($0.versionHash))) })
        try check(JSON.object(["model": JSON(model), "versionHashes": .object(hashes)]).lines + "\n")
    }

    private func difference(_ expected: String, _ found: String) -> String {
        let (expected, found) = (
            expected.split(separator: "\n", omittingEmptySubsequences: false),
            found.split(separator: "\n", omittingEmptySubsequences: false)
        )
        let line = zip(expected, found).prefix { $0 == $1 }.count
        func text(_ lines: [Substring]) -> String { line < lines.count ? "\"\(lines[line])\"" : "the end" }
        return "\(path):\(line + 1): expected \(text(expected)), found \(text(found))"
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// A text that differs from its golden file, or a golden file that was written.
public struct GoldenFileError: Error, CustomStringConvertible {
    /// The path of the file, and the first line that differs.
    public let description: String

    init(_ description: String) { self.description = description }
}
