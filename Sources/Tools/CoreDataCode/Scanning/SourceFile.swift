/// A file of Swift source: its path and its text.
public struct SourceFile: Sendable, Hashable {
    /// The path, as messages about the file name it.
    public let path: String
    /// The text.
    public let text: String

    /// Creates a file with a text.
    public init(path: String, text: String) {
        self.path = path
        self.text = text
    }

    /// The name of the file without its directory.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

/// The sources of a module.
public struct SourceModule: Sendable, Hashable {
    /// The name that files import.
    public let name: String
    /// The files.
    public let files: [SourceFile]

    /// Creates a module of some files.
    public init(name: String, files: [SourceFile]) {
        self.name = name
        self.files = files
    }
}

extension SourceModule {
    /// The names of the modules that the files import.
    public var importedNames: Set<String> {
        Set(files.enumerated().flatMap { SourceScanner.scan($1, index: $0).imports.map(\.module) })
    }
}
