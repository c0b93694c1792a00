import FoundationEssentials
import Strata
import StrataModelFiles
import StrataSQLite
import StrataTestSupport

/// The SQLite stores among the fixtures, wherever they are, with what they contain of their model.
struct AppleStore: Sendable, CustomStringConvertible {
    let path: String
    let metadata: StoreMetadata
    /// The model in its cache; `nil` for a store without one.
    let cached: Result<ManagedObjectModel, any Error>?

    var description: String { String(path.dropFirst(Fixtures.path("sqlite/").count)) }

    static let all: [AppleStore] = {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: Fixtures.path("sqlite"))) ?? []
        return names.sorted().compactMap { name in
            let path = Fixtures.path("sqlite/" + name)
            guard let metadata = try? StoreDescription(.sqlite, path: path).driver.metadata(at: .file(path)) else { return nil }
            let cache = (try? FixtureCacheTests.cache(name)) ?? []
            return AppleStore(
                path: path, metadata: metadata, cached: cache.isEmpty ? nil : Result { try ModelFile(modelCache: cache).model() })
        }
    }()

    static let withCache = all.filter { $0.cached != nil }

    /// Returns the path of a copy, with its log and its external values.
    func copied(to directory: TemporaryDirectory, as name: String = "copy.sqlite") throws -> String {
        let target = directory.file(name)
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: target + suffix)
        }
        let (folder, file) = (path.split(separator: "/").dropLast().joined(separator: "/"), path.split(separator: "/").last ?? "")
        let base = file.lastIndex(of: ".").map { file[..<$0] } ?? file
        let values = "/\(folder)/.\(base)_SUPPORT"
        if FileManager.default.fileExists(atPath: values) {
            try FileManager.default.copyItem(atPath: values, toPath: directory.file(".copy_SUPPORT"))
        }
        return target
    }
}
