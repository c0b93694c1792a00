/// The types that the module CoreData declares without Objective-C.
enum CoreDataNames {
    /// Types that Swift's own Foundation declares, too: they are ambiguous in a file that imports both.
    static let ambiguous: Set<String> = ["NSComparisonPredicate", "NSExpression"]

    /// Types that are Foundation's on Apple's systems.
    private static let foundation: Set<String> = ambiguous.union([
        "NSSecureUnarchiveFromDataTransformer", "NSValueTransformerName", "UndoManager", "ValueTransformer",
    ])

    /// Types of Foundation whose members are the module's, as `NSPredicate.init(format:)`.
    private static let extended: Set<String> = ["NSCompoundPredicate", "NSPredicate"]

    /// Returns whether a type is Foundation's on Apple's systems.
    static func isFoundations(_ name: String) -> Bool { foundation.contains(name) }

    /// Returns whether a type is of Core Data, on all systems.
    static func isCoreData(_ name: String) -> Bool {
        !foundation.contains(name) && LibraryTypes.all[name]?.module == "CoreData"
    }

    static func contains(_ name: String) -> Bool { foundation.contains(name) || isCoreData(name) || extended.contains(name) }
}
