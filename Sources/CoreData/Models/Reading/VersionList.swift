import Synchronization

/// What `VersionInfo.plist` in the folder of a compiled model says of its versions.
struct VersionList {
    private static let last = Mutex<(path: String, written: Date, list: VersionList)?>(nil)

    /// The name of the current version.
    let current: String?
    /// The version hashes of the entities, by the name of the version.
    let hashes: [String: [String: Data]]

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
        guard let written = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date else { return nil }
        if let last = last.withLock({ $0 }), last.path == path, last.written == written { return last.list }
        guard let data = FileManager.default.contents(atPath: path),
            // The pointer to the format is nil.
            let read = try? unsafe PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
        else { return nil }
        let list = VersionList(
            current: read["NSManagedObjectModel_CurrentVersionName"] as? String,
            hashes: read["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]] ?? [:])
        last.withLock { $0 = (path, written, list) }
        return list
    }
}
