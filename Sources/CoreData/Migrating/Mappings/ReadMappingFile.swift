import StrataFiles
import StrataModelFiles
import Synchronization

/// The file of a mapping model as it was read, with the version hashes of the models beside it.
///
/// Each step of a migration searches all mapping models of a program, whose files have megabytes: they contain both models.
struct ReadMappingFile: Sendable {
    /// A version of a model that a mapping model names.
    struct Version: Sendable {
        let name: String
        /// The version hashes of the version at the file's path, relative to the mapping model; `nil` if it is not there.
        let near: [String: Data]?
    }

    private static let known = Mutex<[String: (modified: Int64, file: ReadMappingFile)]>([:])
    /// The greatest number of files that are retained.
    private static let limit = 64

    let file: MappingFile
    let source: Version?
    let destination: Version?

    /// Returns the mapping model at a URL, as it was last read if the file is unchanged; `nil` if none can be read.
    static func at(_ url: URL) -> ReadMappingFile? {
        let modified = [url.appendingPathComponent("xcmapping.xml"), url].lazy
            .compactMap { (try? PosixFileSystem.shared.status(of: $0.path, followingLinks: true))?.modified }.first
        if let last = known.withLock({ $0[url.path] }), last.modified == modified { return last.file }
        guard let file = MappingModelLocator.file(at: url) else { return nil }
        func version(_ path: String?) -> Version? {
            path.map { path in
                let near = MappingModelLocator.version(at: path, near: file)
                return Version(name: MappingModelLocator.name(ofVersionAt: path), near: near?.entityVersionHashesByName)
            }
        }
        let read = ReadMappingFile(file: file, source: version(file.sourceModelPath), destination: version(file.destinationModelPath))
        guard let modified else { return read }
        known.withLock { known in
            if known.count >= limit { known = [:] }
            known[url.path] = (modified, read)
        }
        return read
    }
}
