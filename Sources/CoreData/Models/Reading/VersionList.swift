import StrataFiles
import Synchronization

/// What `VersionInfo.plist` in the folder of a compiled model says of its versions.
struct VersionList {
    private static let last = Mutex<(path: String, written: Int64, list: VersionList)?>(nil)

    /// The name of the current version.
    let current: String?
    /// The version hashes of the entities, by the name of the version.
    let hashes: [String: [String: Data]]
    /// The lengths of the files in bytes, by the name of the version; empty in a folder that Xcode compiled.
    private let lengths: [String: Int]

    /// Returns the version hashes that are listed for a version whose file is as long as it was written; else `nil`.
    func hashes(ofWhole version: URL) -> [String: Data]? {
        let name = VersionList.name(of: version)
        guard let length = lengths[name], let status = try? PosixFileSystem.shared.status(of: version.path, followingLinks: true),
            status.kind == .regular, status.size == length
        else { return nil }
        return hashes[name]
    }

    /// Returns the name of the version in a file.
    static func name(of version: URL) -> String { version.deletingPathExtension().lastPathComponent }

    /// Returns the name of a version that has all entities of a store, the current one if it has; else of all that have some of them.
    func versions(of stored: [String: Data]) -> [String] {
        let whole = hashes.filter { version in stored.allSatisfy { version.value[$0] == $1 } }.keys
        if let name = whole.first(where: { $0 == current }) ?? whole.min() { return [name] }
        return hashes.filter { version in stored.contains { version.value[$0] == $1 } }.keys.sorted()
    }

    /// Returns the list of a compiled model; `nil` at any other URL, and where the folder has none.
    ///
    /// The last one is retained: a program reads the versions of one model one by one.
    static func of(_ model: URL) -> VersionList? {
        guard model.pathExtension == "momd" else { return nil }
        let path = model.appendingPathComponent("VersionInfo.plist").path
        guard let written = (try? PosixFileSystem.shared.status(of: path, followingLinks: true))?.modified else { return nil }
        if let last = last.withLock({ $0 }), last.path == path, last.written == written { return last.list }
        guard let data = FileManager.default.contents(atPath: path),
            // The pointer to the format is nil.
            let read = try? unsafe PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
        else { return nil }
        let list = VersionList(
            current: read["NSManagedObjectModel_CurrentVersionName"] as? String,
            hashes: read["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]] ?? [:],
            lengths: read["StrataVersionLengths"] as? [String: Int] ?? [:])
        last.withLock { $0 = (path, written, list) }
        return list
    }
}
