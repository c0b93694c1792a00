// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

func environment(_ name: String) -> String? { Context.environment[name].flatMap { $0.isEmpty ? nil : $0 } }

/// In continuous integration a warning is an error.
let strictness: [SwiftSetting] = Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)]

/// What shows the locks to the thread sanitizer, in the builds of `make sanitize`.
let sanitizer: [Target.Dependency] = Context.environment["STRATA_SANITIZE"] == "thread" ? ["CStrataThreadSanitizer"] : []

/// What `make test` and `make check` optimize: the modules that most of the tests' time is spent in; where the value is `optimized`, all product
/// modules.
let testBuild = Context.environment["STRATA_TEST_BUILD"]

/// Small modules that the tests spend much of their time in; optimizing the others as well costs more than the faster tests save.
let optimizedForTests: Set = ["Files", "FilesTesting", "Model", "Evaluation", "Engine"]

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + strictness

/// Assertions hold in optimized tests, too.
let optimization: [SwiftSetting] = [.unsafeFlags(["-O", "-assert-config", "Debug"])]

/// A debug build compiles each module in one process, as a release build does: a clean build of an application takes a seventh less.
let wholeModules: [SwiftSetting] = [.unsafeFlags(["-wmo", "-num-threads", "2", "-disable-batch-mode"], .when(configuration: .debug))]

/// A test target's interface is made with it: another process for that expands all macros again, a fifth of the time.
let interfaces: [SwiftSetting] = [.unsafeFlags(["-no-emit-module-separately-wmo"], .when(configuration: .debug))]
let testSettings = settings + interfaces

/// Every unsafe construct of the product modules is marked.
let productSettings = settings + [.strictMemorySafety()] + wholeModules + (testBuild == "optimized" ? optimization : [])

/// A module of the core: `Sources/<folder>`, and `Tests/<folder>Tests` beside it where it has tests of its own.
func module(
    _ folder: String, as name: String? = nil, uses dependencies: [Target.Dependency] = [], linking linkerSettings: [LinkerSetting] = []
) -> Target {
    .target(
        name: name ?? "Strata\(folder)", dependencies: dependencies + ["StrataPlatform"] + sanitizer, path: "Sources/\(folder)",
        swiftSettings: productSettings + (testBuild == "debug" && optimizedForTests.contains(folder) ? optimization : []),
        linkerSettings: linkerSettings)
}

func tests(_ folder: String, uses dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: folder, dependencies: dependencies + ["StrataPlatform"], path: "Tests/\(folder)", swiftSettings: testSettings)
}

/// What asks and answers queries needs.
let queries: [Target.Dependency] = ["StrataText", "StrataModel", "StrataQuery", "StrataEvaluation"]

/// The modules of the core that tests import beside `Strata`: a target that does not name a module is not compiled anew when that changes.
let core: [Target.Dependency] = queries + ["StrataFiles", "StrataStore", "StrataEngine", "StrataCoordinator"]

/// A store: `Backends/<folder>/Sources` and `Backends/<folder>/Tests`.
func backend(_ folder: String, uses dependencies: [Target.Dependency] = [], tested with: [Target.Dependency] = []) -> [Target] {
    [
        .target(
            name: "Strata\(folder)",
            dependencies: queries + ["StrataStore", "StrataEngine", "StrataFiles", "StrataPlatform"] + dependencies,
            path: "Backends/\(folder)/Sources",
            swiftSettings: productSettings
        ),
        .testTarget(
            name: "Strata\(folder)Tests",
            dependencies: [
                .target(name: "Strata\(folder)"), "Strata", "StrataConformance", "StrataPlatform", "StrataTestSupport", "StrataTestRandom",
                "StrataTestModels",
            ]
                + core + dependencies + with,
            path: "Backends/\(folder)/Tests",
            swiftSettings: testSettings
        ),
    ]
}

/// What a backend calls of a C library.
///
/// The module is Strata's own: SwiftPM refuses two packages with targets of one name. It is no system library: SwiftPM looks for those with
/// pkg-config, and warns whoever lacks one even where no product needs it.
func library(_ name: String, as module: String, of backend: String, headers: String? = nil) -> Target {
    .target(
        name: module,
        path: "Backends/\(backend)/\(module)",
        cSettings: headers.map { [.headerSearchPath($0)] },
        linkerSettings: [.linkedLibrary(name)]
    )
}

/// The folder with the toolchain's own swift-syntax, where `make test` found one: building the package takes longer than any module of Strata.
let toolchainSyntax = environment("STRATA_TOOLCHAIN_SYNTAX")

/// What macros need of swift-syntax, where the trait asks for them: without it nothing of swift-syntax is built.
func syntax(_ product: String) -> Target.Dependency {
    .product(name: product, package: "swift-syntax", condition: .when(traits: ["Macros"]))
}

let syntaxModules = ["SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros", "SwiftDiagnostics"]

/// A macro target with swift-syntax, that of the package or that of the toolchain.
func macros(_ name: String, path: String) -> [Target] {
    guard let folder = toolchainSyntax else {
        return [
            .macro(
                name: name, dependencies: (syntaxModules + ["SwiftCompilerPlugin"]).map(syntax), path: path,
                swiftSettings: settings + wholeModules)
        ]
    }
    let search: [SwiftSetting] = [.unsafeFlags(["-I", folder])]
    let libraries = (syntaxModules + ["SwiftCompilerPluginMessageHandling"]).map { "-l\($0)" }
    return [
        .macro(
            name: name, dependencies: ["StrataTestCompilerPlugin"], path: path, swiftSettings: settings + wholeModules + search,
            linkerSettings: [.unsafeFlags(["-L", folder, "-Xlinker", "-rpath", "-Xlinker", folder] + libraries)]),
        .target(name: "StrataTestCompilerPlugin", path: "Tests/CompilerPlugin", swiftSettings: settings + wholeModules + search),
    ]
}

/// The bundle of the tools that `.ci/build-tools` built: else the package manager builds a tool that a plugin runs, and all of its modules, a second
/// time, for the host.
let builtTools = environment("STRATA_BUILT_TOOLS")

/// What a plugin runs.
func tool(_ name: String) -> Target.Dependency { .target(name: builtTools == nil ? name : "StrataBuiltTools") }

/// What commands parse their arguments with; no library depends on it.
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

/// Core Data's own names: on Linux alone, as elsewhere the system has the module.
#if os(Linux)
    let coreData: (products: [Product], targets: [Target], commands: [Target.Dependency]) = (
        [
            .library(name: "CoreData", targets: ["CoreData"]),
            .library(name: "StrataCoreDataCode", targets: ["StrataCoreDataCode"]),
            .plugin(name: "CoreDataClasses", targets: ["CoreDataClasses"]),
            .plugin(name: "PortCoreData", targets: ["PortCoreData"]),
        ],
        [
            module(
                "CoreData", as: "CoreData",
                uses: queries + [
                    "StrataFiles", "StrataStore", "StrataEngine", "StrataCoordinator", "StrataGraph", "StrataFoundation",
                    "StrataModelFiles", "Strata",
                    "StrataSQLite", "StrataXML", "StrataBinary", "StrataInMemory",
                ]),
            // What writes the accessors of @NSManaged, and ports sources.
            module(
                "Tools/CoreDataCode", as: "StrataCoreDataCode",
                uses: ["StrataText", "StrataModel", "StrataQuery", "StrataModelFiles", "StrataModelCode"]),
            .target(
                name: "StrataCoreDataCommands",
                dependencies: ["StrataPlatform", "StrataModel", "StrataModelFiles", "StrataCoreDataCode", arguments],
                path: "Sources/Tools/CoreDataTool/Commands",
                swiftSettings: settings
            ),
            .executableTarget(
                name: "strata-coredata",
                dependencies: ["StrataCoreDataCommands", arguments],
                path: "Sources/Tools/CoreDataTool/Tool",
                swiftSettings: settings
            ),
            .plugin(
                name: "CoreDataClasses",
                capability: .buildTool(),
                dependencies: [tool("strata-coredata")],
                path: "Sources/Tools/Plugins/CoreDataClasses"
            ),
            .plugin(
                name: "PortCoreData",
                capability: .command(
                    intent: .custom(verb: "port-core-data", description: "Changes sources so that they compile without Objective-C."),
                    permissions: [.writeToPackageDirectory(reason: "It changes the sources of the package's targets.")]),
                dependencies: [tool("strata-coredata")],
                path: "Sources/Tools/Plugins/PortCoreData"
            ),
            // Code as it is written for Apple's systems, without upcoming features.
            .testTarget(
                name: "CoreDataTests",
                dependencies: ["CoreData", "StrataTestSupport", "StrataTestRandom"],
                path: "Tests/CoreDataTests",
                swiftSettings: strictness + interfaces
            ),
            // Its accessors are the plugin's.
            .testTarget(
                name: "CoreDataListings",
                dependencies: ["CoreData"],
                path: "Tests/CoreDataListings",
                swiftSettings: strictness + interfaces,
                plugins: ["CoreDataClasses"]
            ),
            // An application's model layer, written as for Apple's systems.
            .target(
                name: "CoreDataSample",
                dependencies: ["CoreData"],
                path: "Tests/CoreDataSample",
                resources: [.process("Resources")],
                swiftSettings: strictness,
                plugins: ["CoreDataClasses"]
            ),
            .testTarget(
                name: "CoreDataSampleTests",
                dependencies: ["CoreDataSample", "CoreData", "StrataTestSupport"],
                path: "Tests/CoreDataSampleTests",
                swiftSettings: strictness
            ),
            tests("CoreDataCodeTests", uses: ["StrataModelFiles", "StrataCoreDataCode", "StrataTestSupport"]),
        ],
        ["StrataCoreDataCommands"]
    )
#else
    let coreData: (products: [Product], targets: [Target], commands: [Target.Dependency]) = (
        [.library(name: "CoreData", targets: ["StrataAppleCoreData"])],
        [.target(name: "StrataAppleCoreData", path: "Sources/AppleCoreData")],
        []
    )
#endif

/// What metrics, spans and the service need of other packages.
///
/// Nothing of it is fetched without the trait. Tests have the module in any case.
func operations(_ product: String, of package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: testBuild == nil ? .when(traits: ["Operations"]) : nil)
}
let operationsSettings: [SwiftSetting] = testBuild == nil ? [] : [.define("Operations")]

/// Where traces are written.
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

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
        .library(name: "StrataPostgreSQL", targets: ["StrataPostgreSQL"]),
        .library(name: "StrataConformance", targets: ["StrataConformance"]),
        .library(name: "StrataModelFiles", targets: ["StrataModelFiles"]),
        .library(name: "StrataModelCode", targets: ["StrataModelCode"]),
        .library(name: "StrataModelDrawing", targets: ["StrataModelDrawing"]),
        .library(name: "StrataStoreTool", targets: ["StrataStoreTool"]),
        .library(name: "StrataTesting", targets: ["StrataTesting"]),
        .library(name: "StrataOperations", targets: ["StrataOperations"]),
        .executable(name: "strata", targets: ["strata"]),
        .plugin(name: "StrataModelClasses", targets: ["StrataModelClasses"]),
        .plugin(name: "StrataModelCommand", targets: ["StrataModelCommand"]),
        // The modules that a store is written with.
        .library(
            name: "StrataStoreKit",
            targets: [
                "StrataText", "StrataModel", "StrataQuery", "StrataEvaluation", "StrataFiles", "StrataFilesTesting", "StrataStore",
                "StrataEngine", "StrataSQL",
            ]),
    ] + coreData.products,
    traits: [
        .trait(
            name: "Foundation", description: "NSError for errors, and notifications; without it no library links Foundation and its ICU."),
        .trait(name: "Macros", description: "Models declared by Swift types, with @Model; needs swift-syntax."),
        .trait(name: "ICU", description: "Text in the order of a named locale; links the ICU that comes with Foundation."),
        .trait(
            name: "Operations",
            description: "The library StrataOperations: swift-metrics, swift-distributed-tracing and a service of swift-service-lifecycle."),
        .default(enabledTraits: ["Foundation", "Macros"]),
    ],
    dependencies: (toolchainSyntax == nil ? [.package(url: "https://github.com/swiftlang/swift-syntax", "600.0.0"..<"604.0.0")] : []) + [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.11.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.1.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.4.0"),
    ],
    targets: [
        .target(name: "StrataPlatform", path: "Sources/Platform", swiftSettings: productSettings),
        // The module of Foundation's ICU names no library to link.
        module("Text", linking: [.linkedLibrary("_FoundationICU", .when(platforms: [.linux], traits: ["ICU"]))]),
        module("Model", uses: ["StrataText"]),
        module("Tools/ModelFiles", as: "StrataModelFiles", uses: ["StrataText", "StrataModel", "StrataQuery", "StrataFiles"]),
        module("Tools/ModelCode", as: "StrataModelCode", uses: ["StrataText", "StrataModel", "StrataQuery", "StrataModelFiles"]),
        module("Tools/ModelDrawing", as: "StrataModelDrawing", uses: ["StrataText", "StrataModel"]),
        module("Query", uses: ["StrataText", "StrataModel"]),
        module("Evaluation", uses: ["StrataText", "StrataModel", "StrataQuery"]),
        module("Files", uses: ["CStrataRuntime"]),
        // File systems for the tests of stores.
        module("FilesTesting", uses: ["StrataFiles"]),
        module("Store", uses: queries + ["StrataFiles"]),
        module("Engine", uses: queries + ["StrataStore", "StrataFiles"]),
        module("SQL", uses: queries + ["StrataStore"]),
        module("Coordinator", uses: queries + ["StrataStore", "StrataFiles", logging]),
        .target(name: "CStrataRuntime", path: "Sources/Runtime"),
        module("Graph", uses: queries + ["StrataStore", "StrataCoordinator", "CStrataRuntime"]),
        // Errors as NSError and notifications: what takes Foundation whole.
        module(
            "FoundationBridge", as: "StrataFoundation", uses: queries + ["StrataFiles", "StrataStore", "StrataCoordinator", "StrataGraph"]),
        module(
            "Strata", as: "Strata",
            uses: queries + ["StrataFiles", "StrataStore", "StrataEngine", "StrataCoordinator", "StrataGraph"]
                + [
                    .target(name: "StrataFoundation", condition: .when(traits: ["Foundation"])),
                    .target(name: "StrataMacros", condition: .when(traits: ["Macros"])),
                ]),
        // Metrics, spans and a service, behind a trait.
        .target(
            name: "StrataOperations",
            dependencies: [
                "Strata", "StrataStore", "StrataFiles", logging, operations("Metrics", of: "swift-metrics"),
                operations("Tracing", of: "swift-distributed-tracing"), operations("ServiceLifecycle", of: "swift-service-lifecycle"),
            ],
            path: "Sources/Operations", swiftSettings: productSettings + operationsSettings),
        // What the models of tests and of the conformance suite are declared with.
        module("TestModels", uses: ["StrataModel"]),
        module("StoreConformance", as: "StrataConformance", uses: ["Strata", "StrataTestModels"]),

        // Values as text and JSON, for the command, the inspector and fixtures.
        module("Tools/ValueText", as: "StrataValueText", uses: ["Strata", "StrataModel"]),
        // What applications test with.
        module(
            "Testing",
            uses: [
                "Strata", "StrataModel", "StrataStore", "StrataCoordinator", "StrataGraph", "StrataInMemory", "StrataValueText", logging,
            ]),
        // What the command and the inspector share.
        module(
            "Tools/StoreTool", as: "StrataStoreTool",
            uses: ["Strata", "StrataFiles", "StrataStore", "StrataModelFiles", "StrataPostgreSQL", "StrataValueText"] + stores),
        // The command that looks into stores of every kind.
        .executableTarget(
            name: "strata",
            dependencies: [
                "Strata", "StrataPlatform", "StrataStoreTool", "StrataFiles", "StrataPostgreSQL", "StrataModelFiles", "StrataModelDrawing",
                "StrataModelCommands", arguments,
            ] + stores + coreData.commands,
            path: "Sources/Tools/Command",
            swiftSettings: settings
        ),
        // The commands on models, the plugins that run them, and a tool for those: a package that uses one builds no store for it.
        .target(
            name: "StrataModelCommands",
            dependencies: ["StrataPlatform", "StrataModel", "StrataModelFiles", "StrataModelCode", "StrataModelDrawing", arguments],
            path: "Sources/Tools/ModelTool/Commands",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "strata-model",
            dependencies: ["StrataModelCommands", arguments],
            path: "Sources/Tools/ModelTool/Tool",
            swiftSettings: settings
        ),
        .plugin(
            name: "StrataModelClasses",
            capability: .buildTool(),
            dependencies: [tool("strata-model")],
            path: "Sources/Tools/Plugins/StrataModelClasses"
        ),
        .plugin(
            name: "StrataModelCommand",
            capability: .command(
                intent: .custom(verb: "strata-model", description: "Draws, prints and compares models, and generates their classes.")),
            dependencies: [tool("strata-model")],
            path: "Sources/Tools/Plugins/StrataModelCommand"
        ),

        library("sqlite3", as: "CStrataSQLite", of: "SQLite"),
        library("lmdb", as: "CStrataLMDB", of: "LMDB"),
        library("pq", as: "CStrataPostgreSQL", of: "PostgreSQL"),
        library("xml2", as: "CStrataXML", of: "XML", headers: "libxml2"),

        .target(name: "StrataTestRandom", path: "Tests/Random", swiftSettings: settings),
        .target(
            name: "StrataHarnesses",
            dependencies: ["StrataConformance", "StrataTestSupport"],
            path: "Tests/Harnesses",
            swiftSettings: settings
        ),
        .target(
            name: "StrataTestSupport",
            dependencies: [logging, "Strata", "StrataPlatform", "StrataTestModels", "CStrataSQLite"] + core + stores,
            path: "Tests/Support",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "StrataCrashWorker",
            dependencies: ["Strata", "StrataPlatform", "StrataTestSupport", "StrataTestModels"] + core + stores,
            path: "Tests/CrashWorker",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "StrataCountWorker",
            dependencies: ["Strata", "StrataPlatform", "StrataInMemory", "StrataSQLite", "StrataLMDB"],
            path: "Tests/CountWorker",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "StrataPostgreSQLWorker",
            dependencies: [
                "Strata", "StrataPlatform", "StrataPostgreSQL", "StrataSQLite", "StrataLMDB", "StrataTestRandom", "StrataTestModels",
            ],
            path: "Tests/PostgreSQLWorker",
            swiftSettings: settings
        ),
        // The README's quick start, compiled as printed.
        .executableTarget(
            name: "StrataQuickStart",
            dependencies: ["Strata", "StrataSQLite"],
            path: "Tests/QuickStart",
            swiftSettings: settings
        ),
        tests("ReadmeTests", uses: ["StrataQuickStart"]),
        // The code of the README and of the guides, compiled as printed: one file per page.
        tests(
            "GuideTests",
            uses: ["Strata", "StrataStore", "StrataConformance", "StrataHarnesses", "StrataTestSupport", "StrataPostgreSQL"] + stores),
        tests("ModelTests", uses: ["StrataText", "StrataModel", "StrataTestRandom", "StrataTestModels"]),
        tests(
            "ModelFilesTests",
            uses: [
                "Strata", "StrataModel", "StrataQuery", "StrataModelFiles", "StrataTestRandom", "StrataTestSupport",
                "CStrataSQLite", "StrataSQLite",
            ]),
        tests("ModelCodeTests", uses: ["Strata", "StrataModel", "StrataModelFiles", "StrataModelCode", "StrataTestSupport"]),
        tests(
            "ModelDrawingTests", uses: ["StrataModel", "StrataModelFiles", "StrataModelDrawing", "StrataTestSupport", "StrataTestModels"]),
        // Classes that the plugin generates from a model in the target.
        .testTarget(
            name: "ModelClassesTests",
            dependencies: ["Strata", "StrataModelFiles", "StrataInMemory", "StrataSQLite", "StrataTestSupport"],
            path: "Tests/ModelClassesTests",
            exclude: ["Zoo.xcdatamodeld"],
            swiftSettings: testSettings,
            plugins: ["StrataModelClasses"]
        ),
        // Generated classes over a store of SwiftData's; the other model has classes of names that these use.
        .testTarget(
            name: "KitchenTests",
            dependencies: ["Strata", "StrataModelFiles", "StrataSQLite", "StrataTestSupport"],
            path: "Tests/KitchenTests",
            exclude: ["Kitchen.xcdatamodeld"],
            swiftSettings: testSettings,
            plugins: ["StrataModelClasses"]
        ),
        tests("TextTests", uses: ["StrataText", "StrataModel", "StrataQuery", "StrataEvaluation", "StrataTestRandom"]),
        tests(
            "CommandTests",
            uses: ["strata", "Strata", "StrataSQLite", "StrataLMDB", "StrataValueText", "StrataTestRandom", "StrataTestSupport"]),
        // What the command costs beside programs that use the library.
        .executableTarget(
            name: "StrataCommandFigures",
            dependencies: ["Strata", "StrataPlatform", "StrataSQLite", "StrataLMDB"],
            path: "Tests/CommandFigures",
            swiftSettings: settings
        ),
        tests("QueryTests", uses: queries + ["StrataTestRandom", "StrataTestModels"]),
        tests("FilesTests", uses: ["StrataFiles", "StrataFilesTesting"]),
        tests(
            "EngineTests",
            uses: queries + ["StrataStore", "StrataEngine", "StrataFiles", "StrataFilesTesting", "StrataTestRandom", "StrataTestModels"]),
        tests("SQLTests", uses: queries + ["StrataStore", "StrataSQL", "StrataTestModels"]),
        tests(
            "CoordinatorTests",
            uses: [logging, "Strata", "StrataModelFiles", "StrataTestRandom", "StrataTestSupport", "StrataTestModels"] + core + stores),
        .testTarget(
            name: "OperationsTests",
            dependencies: [
                "StrataOperations", "Strata", "StrataPlatform", "StrataSQLite", "StrataInMemory", "StrataTestSupport", logging,
                operations("MetricsTestKit", of: "swift-metrics"), operations("InMemoryTracing", of: "swift-distributed-tracing"),
                operations("ServiceLifecycleTestKit", of: "swift-service-lifecycle"),
                operations("UnixSignals", of: "swift-service-lifecycle"),
            ],
            path: "Tests/OperationsTests", swiftSettings: testSettings + operationsSettings),
        // The store of the guide about writing one, compiled as printed.
        .testTarget(
            name: "JSONStoreTests",
            dependencies: [
                "Strata", "StrataModel", "StrataStore", "StrataEngine", "StrataFiles", "StrataInMemory", "StrataConformance",
            ],
            path: "Tests/JSONStore",
            swiftSettings: testSettings
        ),
        // The incremental store of the same guide.
        .testTarget(
            name: "ShelfStoreTests",
            dependencies: ["Strata", "StrataModel", "StrataFiles", "StrataStore", "StrataEngine", "StrataInMemory", "StrataConformance"],
            path: "Tests/ShelfStore",
            swiftSettings: testSettings
        ),
        tests("GraphTests", uses: ["Strata", "StrataGraph", "StrataTestSupport", "StrataTestRandom", "StrataTestModels"] + core + stores),
        .testTarget(
            name: "TestingTests",
            dependencies: ["Strata", "StrataTesting", "StrataTestSupport"],
            path: "Tests/TestingTests",
            exclude: ["Fixtures"],
            swiftSettings: testSettings
        ),
        // They ask the macros as the compiler does: a test that links a macro has everything built twice, for the host too.
        tests("MacroTests", uses: ["Strata", "StrataTestSupport"] + stores),
        // Random walks against an oracle; `Regressions` holds those that failed once.
        .testTarget(
            name: "OracleTests",
            dependencies: ["Strata", "StrataModel", "StrataStore", "StrataTestSupport", "StrataTestRandom", "StrataTestModels"] + stores,
            path: "Tests/Oracle",
            exclude: ["Regressions"],
            swiftSettings: testSettings
        ),
        tests(
            "ConformanceTests",
            uses: ["Strata", "StrataConformance", "StrataHarnesses", "StrataTestSupport", "StrataPostgreSQL"] + core + stores),
        // The cases that no store can fail.
        tests(
            "GraphConformanceTests",
            uses: ["Strata", "StrataConformance", "StrataHarnesses", "StrataTestSupport", "StrataTestModels"]),
        tests(
            "CrashTests",
            uses: ["Strata", "StrataFilesTesting", "StrataTestSupport", "StrataTestRandom", "StrataCrashWorker"] + core + stores),
        // Their library is compiled by the tests.
        tests("CountTests", uses: ["StrataTestSupport", "StrataCountWorker"]),
        .testTarget(
            name: "ReliabilityTests",
            dependencies: ["StrataPlatform", "StrataTestSupport", "StrataTestRandom", "StrataCrashWorker"],
            path: "Tests/Reliability",
            exclude: ["FaultShim"],
            swiftSettings: testSettings
        ),
    ]
        + backend("SQLite", uses: ["StrataSQL", "CStrataSQLite", "StrataModelFiles", logging])
        + backend("XML", uses: ["CStrataXML"])
        + backend("Binary", tested: ["StrataFilesTesting"])
        + backend("InMemory")
        + backend("LMDB", uses: ["CStrataLMDB"])
        + backend(
            "PostgreSQL", uses: ["StrataSQL", "CStrataPostgreSQL"], tested: ["StrataPostgreSQLWorker", "StrataSQLite", "StrataInMemory"])
        + macros("StrataMacros", path: "Sources/Macros")
        + (builtTools.map { [.binaryTarget(name: "StrataBuiltTools", path: $0)] } ?? [])
        + coreData.targets
        + (sanitizer.isEmpty ? [] : [.target(name: "CStrataThreadSanitizer", path: "Tests/ThreadSanitizer", publicHeadersPath: ".")])
)

// `STRATA_TESTS="GraphTests ConformanceTests"` builds the named test targets alone.
if let names = Context.environment["STRATA_TESTS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

// Package indexes build all targets at once, on machines without the headers of LMDB and libpq (decision 0145).
if Context.environment["SPI_BUILD"] != nil {
    var absent: Set = ["CStrataLMDB", "CStrataPostgreSQL"]
    func isAbsent(_ dependency: Target.Dependency) -> Bool {
        switch dependency {
        case .targetItem(let name, _), .byNameItem(let name, _): absent.contains(name)
        default: false
        }
    }
    while let target = package.targets.first(where: { !absent.contains($0.name) && $0.dependencies.contains(where: isAbsent) }) {
        absent.insert(target.name)
    }
    package.targets.removeAll { absent.contains($0.name) }
    package.products.removeAll { ["StrataLMDB", "StrataPostgreSQL"].contains($0.name) }
}
