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

let server: [Target.Dependency] = [
    .product(name: "Hummingbird", package: "hummingbird"),
    .product(name: "HummingbirdCore", package: "hummingbird"),
    .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
    .product(name: "Logging", package: "swift-log"),
    .product(name: "NIOCore", package: "swift-nio"),
]

let package = Package(
    name: "Inspector",
    products: [
        .library(name: "StrataInspector", targets: ["StrataInspector"]),
        .executable(name: "strata-inspector", targets: ["strata-inspector"]),
    ],
    dependencies: [
        // `make test` has built it already, with its macros, which nothing here needs.
        .package(name: "Strata", path: "..", traits: Context.environment["STRATA_TEST_BUILD"] != nil ? [.defaults] : ["Foundation"]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        // Its support of configuration files would be built for nothing.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: ["FullFoundation"]),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.0.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.0.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    ],
    targets: [
        .target(
            name: "StrataInspector", dependencies: strata("Strata", "StrataStoreKit", "StrataStoreTool", "StrataModelDrawing") + server,
            swiftSettings: settings),
        .executableTarget(
            name: "strata-inspector",
            dependencies: ["StrataInspector", .product(name: "ArgumentParser", package: "swift-argument-parser")]
                + strata("Strata", "StrataStoreTool") + server + [.product(name: "UnixSignals", package: "swift-service-lifecycle")],
            path: "Sources/Command", swiftSettings: settings),
        // HummingbirdTesting builds BoringSSL, which takes longer than all else here.
        .testTarget(
            name: "InspectorTests",
            dependencies: ["StrataInspector", "strata-inspector", .product(name: "NIOPosix", package: "swift-nio")]
                + strata("Strata", "StrataStoreTool", "StrataSQLite", "StrataLMDB", "StrataBinary", "StrataXML", "StrataInMemory") + server,
            path: "Tests", swiftSettings: settings),
    ]
)
