// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A room of the core: `Sources/<folder>`, and `Tests/<folder>Tests` beside it where it has tests of its own.
func room(_ folder: String, as name: String? = nil, uses dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name ?? "Strata\(folder)", dependencies: dependencies, path: "Sources/\(folder)", swiftSettings: settings)
}

func tests(_ folder: String, uses dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: folder, dependencies: dependencies, path: "Tests/\(folder)", swiftSettings: settings)
}

/// A store: `Backends/<folder>/Sources` and `Backends/<folder>/Tests`.
func backend(_ folder: String, uses dependencies: [Target.Dependency] = []) -> [Target] {
    [
        .target(
            name: "Strata\(folder)",
            dependencies: ["StrataModel", "StrataQuery", "StrataStore", "StrataFiles"] + dependencies,
            path: "Backends/\(folder)/Sources",
            swiftSettings: settings
        ),
        .testTarget(
            name: "Strata\(folder)Tests",
            dependencies: [.target(name: "Strata\(folder)"), "Strata", "StoreConformance", "TestSupport", "TestRandom"] + dependencies,
            path: "Backends/\(folder)/Tests",
            swiftSettings: settings
        ),
    ]
}

let stores: [Target.Dependency] = ["StrataSQLite", "StrataXML", "StrataBinary", "StrataInMemory", "StrataLMDB"]

let package = Package(
    name: "Strata",
    products: [
        .library(name: "Strata", targets: ["Strata"]),
        .library(name: "StrataSQLite", targets: ["StrataSQLite"]),
        .library(name: "StrataXML", targets: ["StrataXML"]),
        .library(name: "StrataBinary", targets: ["StrataBinary"]),
        .library(name: "StrataInMemory", targets: ["StrataInMemory"]),
        .library(name: "StrataLMDB", targets: ["StrataLMDB"]),
        .library(name: "StoreConformance", targets: ["StoreConformance"]),
    ],
    targets: [
        room("Model"),
        room("Query", uses: ["StrataModel"]),
        room("Files"),
        room("Store", uses: ["StrataModel", "StrataQuery", "StrataFiles"]),
        room("Coordinator", uses: ["StrataModel", "StrataQuery", "StrataStore", "StrataFiles"]),
        room("Graph", uses: ["StrataModel", "StrataQuery", "StrataStore", "StrataCoordinator"]),
        room(
            "Strata", as: "Strata",
            uses: ["StrataModel", "StrataQuery", "StrataFiles", "StrataStore", "StrataCoordinator", "StrataGraph"]),
        room("StoreConformance", as: "StoreConformance", uses: ["Strata"]),

        .systemLibrary(
            name: "CSQLite", path: "Backends/SQLite/CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "CLibXML2", path: "Backends/XML/CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(
            name: "CLMDB", path: "Backends/LMDB/CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),

        // What SQLite calls back on each read and write.
        .target(name: "CStrataSQLite", dependencies: ["CSQLite"], path: "Backends/SQLite/CStrataSQLite"),

        .target(name: "TestRandom", path: "Tests/Random", swiftSettings: settings),
        .target(
            name: "TestSupport",
            dependencies: ["Strata"] + stores,
            path: "Tests/Support",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "CrashWorker",
            dependencies: ["Strata", "TestSupport"] + stores,
            path: "Tests/CrashWorker",
            swiftSettings: settings
        ),
        // The README's quick start, compiled as printed.
        .executableTarget(
            name: "QuickStart",
            dependencies: ["Strata", "StrataSQLite"],
            path: "Tests/QuickStart",
            swiftSettings: settings
        ),
        tests("ReadmeTests", uses: ["QuickStart"]),
        tests("ModelTests", uses: ["StrataModel", "TestRandom"]),
        tests("QueryTests", uses: ["StrataQuery", "StrataModel", "TestRandom"]),
        tests("FilesTests", uses: ["StrataFiles"]),
        tests("StoreTests", uses: ["StrataStore", "StrataQuery", "StrataModel", "StrataFiles", "TestRandom"]),
        tests("GraphTests", uses: ["Strata", "TestSupport", "TestRandom"] + stores),
        tests("ConformanceTests", uses: ["Strata", "StoreConformance", "TestSupport"] + stores),
        tests("CrashTests", uses: ["Strata", "TestSupport", "TestRandom", "CrashWorker"] + stores),
        .testTarget(
            name: "ReliabilityTests",
            dependencies: ["TestSupport", "TestRandom", "CrashWorker"],
            path: "Tests/Reliability",
            exclude: ["FaultShim"],
            swiftSettings: settings
        ),
    ]
        + backend("SQLite", uses: ["CSQLite", "CStrataSQLite"])
        + backend("XML", uses: ["CLibXML2"])
        + backend("Binary")
        + backend("InMemory")
        + backend("LMDB", uses: ["CLMDB"])
)
