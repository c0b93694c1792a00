/// The imports of CoreData in a module's files.
struct CoreDataImports: Sendable {
    let isImported: Bool
    /// Whether the module depends on it, and none of its files imports it: they use what Foundation has on Apple's systems.
    let isOnlyDependency: Bool
    /// Whether files see it without an import of their own.
    let isExported: Bool
    /// Whether a file has an access level on the import: then all must.
    let hasAccess: Bool

    /// - Parameter isDependency: Whether the module depends on it.
    init(_ imports: [ImportDeclaration], _ dependencies: [SourceModule], isDependency: Bool) {
        let own = imports.filter(CoreDataImports.isOfCoreData)
        isImported = !own.isEmpty
        isOnlyDependency = isDependency && own.isEmpty
        isExported = own.contains(where: CoreDataImports.isExported) || dependencies.contains(where: CoreDataImports.exports)
        hasAccess = own.contains { $0.access != nil }
    }

    private static func exports(_ module: SourceModule) -> Bool {
        module.files.contains { file in
            // Few files export anything.
            file.text.contains("@_exported")
                && SourceScanner.scan(file, index: 0).imports.contains { isOfCoreData($0) && isExported($0) }
        }
    }

    private static func isOfCoreData(_ declaration: ImportDeclaration) -> Bool {
        declaration.module == "CoreData" && !declaration.conditions.isForObjectiveC
    }

    private static func isExported(_ declaration: ImportDeclaration) -> Bool { declaration.text.contains("@_exported") }
}
