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

    /// The path of a fixture; prints why the caller's test is skipped, and returns `nil`, where there is none.
    package static func path(_ name: String) -> String? {
        guard let directory else { return nil }
        let path = "\(directory)/\(name)"
        if FileManager.default.fileExists(atPath: path) { return path }
        print("A test is skipped: there is no fixture \(path).")
        return nil
    }

    /// Copies a fixture into a directory, for tests that write, and returns the copy's path.
    package static func copy(_ name: String, to directory: TemporaryDirectory) throws -> String? {
        guard let source = path(name) else { return nil }
        let target = directory.file(name.split(separator: "/").last.map(String.init) ?? name)
        try FileManager.default.copyItem(atPath: source, toPath: target)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: target)
        return target
    }

    /// The paths, relative to the fixtures, of all files under a folder with an extension.
    package static func files(under folder: String, withExtension suffix: String) -> [String] {
        guard let directory, let walk = try? FileManager.default.subpathsOfDirectory(atPath: "\(directory)/\(folder)") else { return [] }
        return walk.filter { $0.hasSuffix(".\(suffix)") }.map { "\(folder)/\($0)" }.sorted()
    }
}
