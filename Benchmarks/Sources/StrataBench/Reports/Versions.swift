import BenchLMDB
import BenchSQLite
import BenchXML
import Foundation

/// The versions of what takes part.
enum Versions {
    static let all: [String] =
        [
            "Swift \(_SwiftStdlibVersion.current)",
            "SQLite \(String(cString: sqlite3_libversion()))",
            "LMDB \(MDB_VERSION_MAJOR).\(MDB_VERSION_MINOR).\(MDB_VERSION_PATCH)",
            "libxml2 \(LIBXML_DOTTED_VERSION)",
        ] + (grdb.map { ["GRDB \($0)"] } ?? [])

    /// That of the checkout that this was built from, as long as it is there: the library itself does not say.
    private static var grdb: String? {
        struct Resolved: Decodable {
            struct Pin: Decodable {
                struct State: Decodable { var version: String? }
                var identity: String
                var state: State
            }
            var pins: [Pin]
        }
        let package = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { path, _ in path.deletingLastPathComponent() }
        guard let data = try? Data(contentsOf: package.appendingPathComponent("Package.resolved")),
            let resolved = try? JSONDecoder().decode(Resolved.self, from: data)
        else { return nil }
        return resolved.pins.first { $0.identity == "grdb.swift" }?.state.version
    }
}
