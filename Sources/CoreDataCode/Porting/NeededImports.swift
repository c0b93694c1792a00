/// The imports that a file lacks where there is no Objective-C.
///
/// Much of Apple's frameworks brings Core Data with it, and some of what is Foundation's there is the module's here. What the module and
/// Swift's own Foundation declare both is ambiguous as a type, unless the file says which one it means.
struct NeededImports {
    /// The imports, each as a line.
    private(set) var lines: [String] = []
    /// Whether CoreData itself is among them.
    private(set) var addsModule = false

    /// - Parameters:
    ///   - names: The types of CoreData that the file names.
    ///   - ambiguous: Those of them that it names where a type is meant, and not a call.
    init(_ declarations: SourceDeclarations, names: Set<String>, ambiguous: Set<String>, in module: CoreDataImports) {
        let imports = declarations.imports.filter { !$0.conditions.isForObjectiveC }
        let sees = module.isExported || imports.contains { $0.module == "CoreData" }
        // A file without any import is a part of code that is not compiled by itself.
        addsModule = !sees && !declarations.imports.isEmpty && names.contains { module.isImported || CoreDataNames.isCoreData($0) }
        guard sees || addsModule else { return }
        // The types may be in what the file shows to others because of any import that brings them elsewhere.
        let sources = AppleModules.names.union(["CoreData", "Foundation"])
        let levels = imports.filter { sources.contains($0.module) }.compactMap(\.access)
        let level = levels.max() ?? (module.hasAccess ? .internal : nil)
        let keyword = (level.map { $0.keyword + " " } ?? "") + "import "
        if addsModule { lines.append(keyword + "CoreData") }
        // What tests import has Foundation with it.
        guard imports.contains(where: { ["Foundation", "XCTest"].contains($0.module) }) else { return }
        for name in ambiguous.sorted() where !imports.contains(where: { $0.text.hasSuffix("import class CoreData.\(name)") }) {
            lines.append(keyword + "class CoreData.\(name)")
        }
    }
}
