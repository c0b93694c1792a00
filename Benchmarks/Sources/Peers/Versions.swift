import BenchLMDB
import BenchSQLite
import BenchXML
import Foundation

/// The versions of what takes part.
package enum Versions {
    package static let all: [String] =
        [
            "Strata \(strata)",
            "Swift \(_SwiftStdlibVersion.current)",
            "SQLite \(String(cString: sqlite3_libversion()))",
            "LMDB \(MDB_VERSION_MAJOR).\(MDB_VERSION_MINOR).\(MDB_VERSION_PATCH)",
            "libxml2 \(LIBXML_DOTTED_VERSION)",
        ] + libpq + (grdb.map { ["GRDB \($0)"] } ?? [])

    /// The package that this was built from.
    private static let package = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { path, _ in path.deletingLastPathComponent() }

    /// The newest in the changelog, as long as that is there.
    private static var strata: String {
        let changelog = package.deletingLastPathComponent().appendingPathComponent("CHANGELOG.md")
        let lines = (try? String(contentsOf: changelog, encoding: .utf8))?.split(separator: "\n") ?? []
        return lines.first { $0.hasPrefix("## ") }.map { String($0.dropFirst(3)) } ?? "of an unknown version"
    }

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
        guard let data = try? Data(contentsOf: package.appendingPathComponent("Package.resolved")),
            let resolved = try? JSONDecoder().decode(Resolved.self, from: data)
        else { return nil }
        return resolved.pins.first { $0.identity == "grdb.swift" }?.state.version
    }
}
