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

    @Test("A package that does not ask for the trait Operations resolves no package of metrics, spans and services")
    func resolvedPackages() throws {
        let directory = try TemporaryDirectory()
        let manifest = """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(
                name: "User", dependencies: [.package(name: "Strata", path: "\(Page.root.path)", traits: [])],
                targets: [.target(name: "User", dependencies: [.product(name: "Strata", package: "Strata")], path: ".", sources: ["User.swift"])])
            """
        try manifest.write(toFile: directory.file("Package.swift"), atomically: true, encoding: .utf8)
        try "".write(toFile: directory.file("User.swift"), atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["swift", "package", "--package-path", directory.path, "--scratch-path", directory.file("build"), "resolve"]
        // A test build has the module without the trait.
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("STRATA_") }
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        let resolved = try String(contentsOfFile: directory.file("Package.resolved"), encoding: .utf8)
        #expect(resolved.contains("swift-log"))
        for package in ["swift-metrics", "swift-distributed-tracing", "swift-service-lifecycle"] {
            #expect(!resolved.contains(package), "\(package)")
        }
    }
}
