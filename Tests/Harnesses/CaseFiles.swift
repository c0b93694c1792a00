import Foundation

/// The files of cases in a folder of the package.
package enum CaseFiles {
    /// Returns the enumerations of cases that a list, a file within the folder, leaves out: their cases would never run.
    ///
    /// - Throws: The error of the file system where a file cannot be read.
    package static func unlisted(in folder: String, list: String) throws -> [String] {
        let root = (0..<3).reduce(URL(filePath: #filePath)) { path, _ in path.deletingLastPathComponent() }
        let suite = root.appending(path: folder)
        let listed = try String(contentsOf: suite.appending(path: list), encoding: .utf8)
        return try FileManager.default.subpathsOfDirectory(atPath: suite.path).filter { $0.hasSuffix("Cases.swift") }.compactMap { file in
            let name = URL(filePath: file).deletingPathExtension().lastPathComponent
            let text = try String(contentsOf: suite.appending(path: file), encoding: .utf8)
            return text.contains("enum \(name) ") && !listed.contains("\(name).all") ? name : nil
        }
    }
}
