import Foundation
import StrataTestSupport

/// The library that is preloaded into workers.
enum FaultShim {
    /// The path of the library; `nil`, after a line that says why, where no compiler makes it.
    static let path: String? = build()

    private static let directory = Result { try TemporaryDirectory.ofProcess("strata-shim") }

    private static func build() -> String? {
        guard let directory = try? directory.get() else { return nil }
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path + "/FaultShim"
        return PreloadedLibrary.compile(
            ["plan.c", "names.c", "transfers.c"].map { "\(sources)/\($0)" }, as: "libstratafaults.so", in: directory,
            without: "Faults are not injected and nothing is recorded")
    }
}
