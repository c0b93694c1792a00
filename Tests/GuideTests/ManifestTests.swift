import Foundation
import StrataTestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct ManifestTests {
    @Test("Every package manifest on a page is one that the package manager takes")
    func manifests() throws {
        let manifests = try Page.all().flatMap(\.blocks).filter { $0.contains("import PackageDescription") }
        #expect(manifests.count >= 2)
        for manifest in manifests {
            let directory = try TemporaryDirectory()
            try manifest.write(toFile: "\(directory.path)/Package.swift", atomically: true, encoding: .utf8)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [
                "swift", "package", "--package-path", directory.path, "--scratch-path", "\(directory.path)/build", "dump-package",
            ]
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(manifest)")
        }
    }
}
