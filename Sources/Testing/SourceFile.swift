/// Paths of files beside the source files of tests.
enum SourceFile {
    /// Returns an absolute path as it is, and another one in the folder of a source file.
    static func path(_ path: String, besides source: String) -> String {
        guard !path.hasPrefix("/"), let slash = source.lastIndex(of: "/") else { return path }
        return source[...slash] + path
    }
}
