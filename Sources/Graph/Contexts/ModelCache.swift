import StrataCoordinator
import StrataEvaluation

/// Cached look-ups in the model alone, which are never invalidated.
struct ModelCache {
    /// The comparison that was fetched last.
    var lastComparison: ComparisonTemplate?
    var plainLinks = PlainLinks()
    var entityClasses = EntityClasses()
    var entityRules = EntityRulesTable()
    var referringHierarchies: ReferringHierarchies?
}

/// The cached entities of managed object classes.
struct EntityClasses {
    private var known: [ObjectIdentifier: EntityIndex?] = [:]
    private var last: (type: ManagedObject.Type, index: EntityIndex)?

    /// Returns the entity of a coordinator's model whose objects are of a class; `nil` unless exactly one names it.
    mutating func entityIndex(of type: ManagedObject.Type, in coordinator: any Coordinator) -> EntityIndex? {
        if let last, last.type == type { return last.index }
        let index = known[ObjectIdentifier(type)] ?? coordinator.model.entity(ofClass: type)?.index
        known[ObjectIdentifier(type)] = .some(index)
        last = index.map { (type, $0) }
        return index
    }
}

extension EntityDescription {
    var managedObjectClass: ManagedObject.Type { objectClass as? ManagedObject.Type ?? ManagedObject.self }
}
