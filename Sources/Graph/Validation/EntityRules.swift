import StrataModel

/// What is checked of an entity's objects, found once for all of them.
final class EntityRules {
    let entity: EntityDescription
    private let type: ManagedObject.Type
    private let typeChecksValues: Bool
    /// The attributes that need a value.
    let required: [PropertySlot]
    /// The attributes whose values are restricted.
    let restricted: [AttributeDescription]
    /// The composite attributes that have to be there, or to be whole.
    let composites: [CompositeAttributeDescription]
    let relationships: [RelationshipDescription]
    /// The slots that have to hold a value, a bit for each of the first 64.
    private(set) var requiredSlots: UInt64 = 0
    /// Whether it is enough that those do.
    private(set) var isOnlyOfSlots = true

    init(_ entity: EntityDescription) {
        self.entity = entity
        type = entity.managedObjectClass
        typeChecksValues = type.checksValues
        // What is derived is computed after this.
        required = entity.attributes.filter(\.requiresValue).map { entity.propertySlots[$0.index] }
        restricted = entity.attributes.filter { !$0.declaration.validation.isEmpty && !$0.isDerived }
        composites = entity.compositeAttributes.filter { !$0.requirements.isEmpty }
        relationships = entity.relationships.filter { relationship in
            relationship.isToMany
                ? relationship.declaration.minCount > 0 || relationship.declaration.maxCount > 0 : !relationship.isOptional
        }
        isOnlyOfSlots = restricted.isEmpty && composites.isEmpty && relationships.allSatisfy { !$0.isToMany }
        for property in required.map(\.property) + relationships.map(\.index) {
            if let slot = entity.propertySlots[property].slot, slot.rawValue < UInt64.bitWidth {
                requiredSlots |= 1 << UInt64(slot.rawValue)
            } else {
                isOnlyOfSlots = false
            }
        }
    }

    /// Returns whether an object checks single values itself: found once, as such a cast costs more than all else that
    /// is done for most objects.
    func checksValues(_ object: ManagedObject) -> Bool {
        Swift.type(of: object) == type ? typeChecksValues : Swift.type(of: object).checksValues
    }
}

/// The rules of the entities that a context saved objects of.
struct EntityRulesTable {
    private var byEntity: [EntityIndex: EntityRules] = [:]

    mutating func rules(of entity: EntityDescription) -> EntityRules {
        if let known = byEntity[entity.index] { return known }
        let made = EntityRules(entity)
        byEntity[entity.index] = made
        return made
    }
}
