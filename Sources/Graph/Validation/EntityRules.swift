import StrataModel

/// The validation rules of an entity, computed once for all its objects.
final class EntityRules {
    let entity: EntityDescription
    private let type: ManagedObject.Type
    private let typeChecksValues: Bool
    let required: [PropertySlot]
    let restricted: [AttributeDescription]
    /// The composite attributes that are required, or have required elements.
    let composites: [CompositeAttributeDescription]
    let relationships: [RelationshipDescription]
    /// The required attributes and to-one relationships.
    let slots: [PropertySlot]
    /// The slots of required values, a bit for each of the first 64.
    private(set) var requiredSlots: UInt64 = 0
    /// Whether there are no other rules.
    private(set) var isOnlyOfSlots = true

    init(_ entity: EntityDescription) {
        self.entity = entity
        type = entity.managedObjectClass
        typeChecksValues = type.checksValues
        // Derived attributes are computed after the validation.
        required = entity.attributes.filter(\.requiresValue).map { entity.propertySlots[$0.index] }
        restricted = entity.attributes.filter { !$0.declaration.validation.isEmpty && !$0.isDerived }
        composites = entity.compositeAttributes.filter { !$0.requirements.isEmpty }
        relationships = entity.relationships.filter { relationship in
            relationship.isToMany
                ? relationship.declaration.minCount > 0 || relationship.declaration.maxCount > 0 : !relationship.isOptional
        }
        slots = required + relationships.map { entity.propertySlots[$0.index] }
        isOnlyOfSlots = restricted.isEmpty && composites.isEmpty && relationships.allSatisfy { !$0.isToMany }
        for property in required.map(\.property) + relationships.map(\.index) {
            if let slot = entity.propertySlots[property].slot, slot.rawValue < UInt64.bitWidth {
                requiredSlots |= 1 << UInt64(slot.rawValue)
            } else {
                isOnlyOfSlots = false
            }
        }
    }

    /// Returns whether an object validates values itself: cached, as the cast costs more than all else.
    func checksValues(_ object: ManagedObject) -> Bool {
        Swift.type(of: object) == type ? typeChecksValues : Swift.type(of: object).checksValues
    }
}

struct EntityRulesTable {
    private var byEntity: [EntityIndex: EntityRules] = [:]

    mutating func rules(of entity: EntityDescription) -> EntityRules {
        if let known = byEntity[entity.index] { return known }
        let made = EntityRules(entity)
        byEntity[entity.index] = made
        return made
    }
}
