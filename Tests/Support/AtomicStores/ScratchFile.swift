import Foundation

/// The path of a store's file in a directory of a test's own, which is removed with the value.
package struct ScratchFile: Sendable {
    private let directory: TemporaryDirectory

    package init() throws { directory = try TemporaryDirectory() }

    /// The path, where there is no file yet.
    package var path: String { directory.file("Store") }

    package func put(_ text: String) throws { try put(Array(text.utf8)) }
    package func put(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }
    package func bytes() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }
    package func text() throws -> String { String(decoding: try bytes(), as: UTF8.self) }
}
