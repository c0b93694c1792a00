import FoundationEssentials

/// Finds files that other software wrote, and which are no part of the package.
package enum Fixtures {
    /// The folder that `STRATA_FIXTURES` names, or `shared/fixtures` beside the package; `nil` where neither exists.
    package static let directory: String? = {
        let named = ProcessInfo.processInfo.environment["STRATA_FIXTURES"]
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let beside = root.deletingLastPathComponent().path + "/shared/fixtures"
        let found = [named, beside].compactMap(\.self).first { FileManager.default.fileExists(atPath: $0) }
        if found == nil {
            print("Tests with fixtures are skipped: there is no folder \(beside), and STRATA_FIXTURES names none.")
        }
        return found
    }()

    /// Whether there are any; for `@Test(.enabled(if: Fixtures.areAvailable))`.
    package static var areAvailable: Bool { directory != nil }

    /// The path of a fixture, whose test is enabled only where there are any.
    package static func path(_ name: String) -> String { "\(directory ?? "")/\(name)" }

    /// The names of the bundles of models of all applications; none where there are no fixtures.
    package static let modelBundles: [String] = {
        func names(_ folder: String) -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? [] }
        return names(path("models")).flatMap { application in
            names(path("models/\(application)")).filter { $0.hasSuffix(".xcdatamodeld") }.map { "models/\(application)/\($0)" }
        }
    }()
}
