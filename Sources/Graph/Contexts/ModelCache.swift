import StrataCoordinator
import StrataEvaluation
import StrataModel

/// Cached look-ups in the model alone, which are never invalidated.
struct ModelCache {
    /// The comparison that was fetched last.
    var lastComparison: ComparisonTemplate?
    var entityClasses = EntityClasses()
    var entityRules = EntityRulesTable()
    var referringHierarchies: ReferringHierarchies?
}

/// The cached entities of managed object classes.
struct EntityClasses {
    private var known: [ObjectIdentifier: EntityDescription?] = [:]
    private var last: (type: ManagedObject.Type, entity: EntityDescription)?

    /// Returns the entity whose objects are of a class; `nil` unless exactly one names it.
    mutating func entity(of type: ManagedObject.Type, in model: ManagedObjectModel) -> EntityDescription? {
        if let last, last.type == type { return last.entity }
        let entity = known[ObjectIdentifier(type)] ?? model.entity(ofClass: type)
        known[ObjectIdentifier(type)] = .some(entity)
        last = entity.map { (type, $0) }
        return entity
    }
}

extension EntityDescription {
    var managedObjectClass: ManagedObject.Type { objectClass as? ManagedObject.Type ?? ManagedObject.self }
}
