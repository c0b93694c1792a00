/// The imports that a file needs without Objective-C.
///
/// Many of Apple's frameworks re-export Core Data, and some of Foundation's types there are the module's here. Types
/// that both the module and Swift's own Foundation declare are ambiguous, unless the file imports one of them
/// explicitly.
struct NeededImports {
    /// The imports, each as a line.
    private(set) var lines: [String] = []
    /// Whether CoreData itself is among them.
    private(set) var addsModule = false

    /// - Parameters:
    ///   - names: The types of CoreData that the file names.
    ///   - ambiguous: Those of them that it uses as types, not in calls.
    init(_ declarations: SourceDeclarations, names: Set<String>, ambiguous: Set<String>, in module: CoreDataImports) {
        let imports = declarations.imports.filter { !$0.conditions.isForObjectiveC }
        let sees = module.isExported || imports.contains { $0.module == "CoreData" }
        // A file without any import is a part of code that is not compiled by itself.
        addsModule =
            !sees && !declarations.imports.isEmpty
            && names.contains {
                CoreDataNames.isCoreData($0) || module.isImported && CoreDataNames.isFoundations($0) || module.isOnlyDependency
            }
        guard sees || addsModule else { return }
        // The file may expose the types through any import that re-exports them elsewhere.
        let sources = AppleModules.names.union(["CoreData", "Foundation"])
        let levels = imports.filter { sources.contains($0.module) }.compactMap(\.access)
        let level = levels.max() ?? (module.hasAccess ? .internal : nil)
        let keyword = (level.map { $0.keyword + " " } ?? "") + "import "
        if addsModule { lines.append(keyword + "CoreData") }
        // Test libraries re-export Foundation.
        guard imports.contains(where: { ["Foundation", "XCTest"].contains($0.module) }) else { return }
        for name in ambiguous.sorted() where !imports.contains(where: { $0.text.hasSuffix("import class CoreData.\(name)") }) {
            lines.append(keyword + "class CoreData.\(name)")
        }
    }
}
