// swift-tools-version: 6.2
import PackageDescription

/// In continuous integration a warning is an error.
let strictness: [SwiftSetting] = Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)]

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + strictness

func strata(_ products: String...) -> [Target.Dependency] {
    products.map { .product(name: $0, package: "Strata") }
}

/// An example: a program in `<folder>/Sources` and its tests in `<folder>/Tests`.
func example(_ folder: String, uses dependencies: [Target.Dependency], tested with: [Target.Dependency] = []) -> [Target] {
    [
        .executableTarget(name: folder, dependencies: dependencies, path: "\(folder)/Sources", swiftSettings: settings),
        .testTarget(
            name: "\(folder)Tests", dependencies: [.target(name: folder)] + dependencies + with, path: "\(folder)/Tests",
            swiftSettings: settings),
    ]
}

let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "Examples",
    products: [
        .executable(name: "notebook", targets: ["Notebook"]),
        .executable(name: "server", targets: ["Server"]),
        .executable(name: "federation", targets: ["Federation"]),
    ],
    dependencies: [
        // StrataOperations, for the server.
        .package(name: "Strata", path: "..", traits: [.defaults, "Operations"]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        // Its support of configuration files would be built for nothing.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: ["FullFoundation"]),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.0.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.0.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    ],
    targets: example(
        "Notebook", uses: strata("Strata", "StrataSQLite", "StrataInMemory") + [arguments], tested: strata("StrataTesting"))
        + example(
            "Server",
            uses: strata("Strata", "StrataSQLite", "StrataPostgreSQL", "StrataOperations") + [
                arguments,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            // HummingbirdTesting builds BoringSSL, which takes longer than all else here.
            tested: strata("StrataTesting"))
        + example("Federation", uses: strata("Strata", "StrataSQLite", "StrataLMDB", "StrataInMemory") + [arguments])
)
