// swift-tools-version: 6.2
import PackageDescription

/// In continuous integration a warning is an error.
let strictness: [SwiftSetting] = Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)]

/// Whether the jobs and participants that need PostgreSQL or Core Data's names are built; the default job does without.
///
/// No trait, as the tool of their plugin would be built in any case.
let buildsAllJobs = Context.environment["STRATA_BENCH_JOBS"] == "all"

/// Whether what measures metrics and spans is built, for which other packages are fetched.
let measuresOperations = Context.environment["STRATA_BENCH_JOBS"] == "operations"

/// The folder of a target that is not compiled.
let leftOut = buildsAllJobs ? "DefaultJobs" : "AllJobs"

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + strictness + (buildsAllJobs ? [.define("AllJobs")] : [])

/// A C library under a module name of this package, so that it never meets the one that a backend of Strata uses.
func system(_ name: String, _ library: String, apt package: String) -> Target {
    .systemLibrary(name: name, path: "CSystem/\(name)", pkgConfig: library, providers: [.apt([package])])
}

/// What the folders `AllJobs` need.
let allJobs: (targets: [Target], peers: [Target.Dependency], dependencies: [Target.Dependency]) = (
    [
        system("BenchPQ", "libpq", apt: "libpq-dev"),
        .target(
            name: "CoreDataEvents",
            dependencies: ["StrataWorkload", .product(name: "CoreData", package: "Strata")],
            path: "Sources/CoreDataEvents",
            swiftSettings: settings,
            plugins: [.plugin(name: "CoreDataClasses", package: "Strata")]
        ),
    ],
    ["BenchPQ"],
    ["CoreDataEvents", .product(name: "StrataPostgreSQL", package: "Strata")]
)

let operations: (products: [Product], targets: [Target], dependencies: [Package.Dependency]) = (
    [.executable(name: "operations-cost", targets: ["OperationsCost"])],
    [
        .executableTarget(
            name: "OperationsCost",
            dependencies: [
                .product(name: "Strata", package: "Strata"),
                .product(name: "StrataSQLite", package: "Strata"),
                .product(name: "StrataInMemory", package: "Strata"),
                .product(name: "StrataLMDB", package: "Strata"),
                .product(name: "StrataOperations", package: "Strata"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            path: "Sources/OperationsCost",
            swiftSettings: settings
        )
    ],
    [
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.1.0"),
    ]
)

let package = Package(
    name: "Benchmarks",
    products: [
        .executable(name: "strata-bench", targets: ["StrataBench"])
    ] + (measuresOperations ? operations.products : []),
    dependencies: [
        // `make test` has built it already, with its macros; else swift-syntax is built for all jobs alone.
        .package(
            name: "Strata", path: "..",
            traits: Context.environment["STRATA_TEST_BUILD"] != nil
                ? [.defaults] : buildsAllJobs ? ["Foundation", "Macros"] : measuresOperations ? ["Operations"] : []),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ] + (measuresOperations ? operations.dependencies : []),
    targets: [
        system("BenchSQLite", "sqlite3", apt: "libsqlite3-dev"),
        system("BenchLMDB", "lmdb", apt: "liblmdb-dev"),
        system("BenchXML", "libxml-2.0", apt: "libxml2-dev"),
        .target(name: "DebianArchive", path: "Sources/Archive", resources: [.copy("Sample/packages.txt")], swiftSettings: settings),
        .target(name: "StrataWorkload", dependencies: ["DebianArchive"], path: "Sources/Workload", swiftSettings: settings),
        // What does without Strata is compiled beside it. Nothing of the reports is measured.
        .target(
            name: "BenchReports", dependencies: ["StrataWorkload"], path: "Sources/Reports",
            swiftSettings: settings + [.unsafeFlags(["-Onone"], .when(configuration: .release))]),
        .target(
            name: "BenchPeers",
            dependencies: [
                "DebianArchive", "StrataWorkload", "BenchSQLite", "BenchLMDB", "BenchXML", .product(name: "GRDB", package: "GRDB.swift"),
            ] + (buildsAllJobs ? allJobs.peers : []),
            path: "Sources/Peers",
            exclude: [leftOut],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "StrataBench",
            dependencies: [
                "DebianArchive", "StrataWorkload", "BenchReports", "BenchPeers",
                .product(name: "Strata", package: "Strata"),
                .product(name: "StrataSQLite", package: "Strata"),
                .product(name: "StrataXML", package: "Strata"),
                .product(name: "StrataBinary", package: "Strata"),
                .product(name: "StrataInMemory", package: "Strata"),
                .product(name: "StrataLMDB", package: "Strata"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ] + (buildsAllJobs ? allJobs.dependencies : []),
            exclude: [leftOut],
            swiftSettings: settings
        ),
        .testTarget(name: "ArchiveTests", dependencies: ["DebianArchive"], swiftSettings: settings),
        .testTarget(
            name: "StrataBenchTests",
            dependencies: [
                "StrataBench", "BenchReports", "BenchPeers", "DebianArchive", "StrataWorkload",
                .product(name: "ArgumentParser", package: "swift-argument-parser"), .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: settings
        ),
    ] + (buildsAllJobs ? allJobs.targets : []) + (measuresOperations ? operations.targets : [])
)
