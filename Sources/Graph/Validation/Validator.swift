import StrataModel

/// Validates changed objects before a save.
struct Validator {
    private let context: ManagedObjectContext
    private var failures: [ValidationFailure] = []
    private var rules = RuleChecker()

    init(_ context: ManagedObjectContext) { self.context = context }

    /// - Throws: ``ValidationError`` with all failures; what a store throws while relationships are loaded.
    mutating func validate(_ objects: [ManagedObject]) throws {
        let wasValidating = context.saveState.isValidating
        context.saveState.isValidating = true
        defer { context.saveState.isValidating = wasValidating }
        // Unmanaged, as each object would count references: the context's cache retains the rules.
        var (lastEntity, lastRules): (EntityIndex?, Unmanaged<EntityRules>?)
        try objects.forEachUncounted { object in
            guard object.hasChanges else { return }
            if object.isDeleted { return try checkDeletion(of: object) }
            if lastEntity != object.entityIndex {
                unsafe lastRules = Unmanaged.passUnretained(context.modelCache.entityRules.rules(of: object.entity))
                lastEntity = object.entityIndex
            }
            try unsafe lastRules?._withUnsafeGuaranteedRef { try check(object, $0) }
        }
        if !failures.isEmpty { throw ValidationError(failures: failures) }
    }

    private mutating func checkDeletion(of object: ManagedObject) throws {
        if object.isNew || object.isInaccessible { return }
        failures += try deniedDeletions(of: object)
        failures.addError(of: object) { try object.validateForDelete() }
    }

    private mutating func check(_ object: ManagedObject, _ rules: EntityRules) throws {
        let checksValues = rules.checksValues(object)
        if object.isNew && rules.isOnlyOfSlots && !checksValues
            && object.withExtra({ $0.pending.holdsAll(slots: rules.requiredSlots) }) == true
        {
            return failures.addError(of: object) { try object.validateForInsert() }
        }
        if !object.isNew && rules.isOnlyOfSlots && !checksValues && object.withExtra({ $0.keeps(rules.slots) }) == true {
            return failures.addError(of: object) { try object.validateForUpdate() }
        }
        let unfit = object.extra?.unfit ?? []
        // A value that the attribute cannot hold is not checked by its rules.
        for propertySlot in rules.required
        where object.lacksValue(propertySlot) && !unfit.contains(propertySlot.property) && !object.keepsValue(propertySlot) {
            fail(.missingMandatoryProperty, object, rules.entity.properties[propertySlot.property].name, .null, "a value is required")
        }
        if checksValues, let validating = object as? any PropertyValidating {
            for attribute in rules.entity.attributes where !unfit.contains(attribute.index) { check(attribute, of: object, validating) }
        } else {
            for attribute in rules.restricted where !unfit.contains(attribute.index) { check(attribute, of: object, nil) }
        }
        for property in unfit {
            guard let attribute = object.entity.properties[property].attribute, let value = object.pendingValue(property) else { continue }
            let (rule, message) = attribute.type.misfit(of: value)
            fail(rule, object, attribute.name, value, message)
        }
        for composite in rules.composites { check(composite, of: object) }
        for relationship in rules.relationships { try check(relationship, of: object) }
        if checksValues, let validating = object as? any SelectivelyValidating {
            for relationship in rules.entity.relationships { check(relationship, of: object, validating) }
        }
        failures.addError(of: object) {
            if object.isNew { try object.validateForInsert() } else { try object.validateForUpdate() }
        }
    }

    private mutating func fail(_ rule: ValidationFailure.Rule, _ object: ManagedObject, _ key: String, _ value: Value, _ message: String) {
        failures.append(ValidationFailure(rule, object, key: key, value: value, message: message))
    }

    private mutating func check(_ attribute: AttributeDescription, of object: ManagedObject, _ validating: (any PropertyValidating)?) {
        let pending = object.pendingValue(attribute.index)
        // An object that others deleted, and that is inserted again, has its other values in its row.
        if pending == nil && (!object.isNew || object.row != nil) { return }
        let value = pending ?? .null
        // A missing value was reported before.
        if value.isNull && !attribute.isOptional { return }
        let broken = rules.failures(of: value, attribute, object, context.model)
        if broken.isEmpty && validating == nil || object.keepsValue(object.entity.propertySlots[attribute.index]) { return }
        failures += broken
        if let validating {
            failures.addError(of: object, attribute.name, value) { try validating.validate(value, forKey: attribute.name) }
        }
    }

    /// Checks that a changed composite attribute is complete, and present where required.
    private mutating func check(_ composite: CompositeAttributeDescription, of object: ManagedObject) {
        let isChanged = composite.attributes.contains { attribute in
            object.isPending(attribute.index) && !object.keepsValue(object.entity.propertySlots[attribute.index])
        }
        guard object.isNew || isChanged else { return }
        for (path, message) in composite.missing({ object.currentValue(.attribute($0)) }) {
            fail(.missingMandatoryProperty, object, path, .null, message)
        }
    }

    private mutating func check(_ relationship: RelationshipDescription, of object: ManagedObject) throws {
        if !relationship.isToMany {
            guard object.isNew || object.isPending(relationship.index) else { return }
            if !relationship.isOptional && object.lacksDestination(relationship) && (object.isNew || !object.keepsDestination(relationship))
            {
                fail(.missingMandatoryProperty, object, relationship.name, .null, "a destination is required")
            }
            return
        }
        guard object.isNew || object.extra?.toMany(relationship.index)?.hasChanges == true else { return }
        let count = try object.loadedState(relationship).count
        guard let (broken, message) = relationship.failure(ofCount: count) else { return }
        fail(broken, object, relationship.name, .int(Int64(count)), message)
    }

    /// Calls an object's own validation of a new or changed relationship, if loaded: a save reads none for that.
    private mutating func check(
        _ relationship: RelationshipDescription, of object: ManagedObject, _ validating: any SelectivelyValidating
    ) {
        if relationship.isToMany {
            let state = object.extra?.toMany(relationship.index)
            guard object.isNew || state?.isLoaded == true && state?.hasChanges == true else { return }
        } else {
            guard object.isNew || object.isPending(relationship.index) && !object.keepsDestination(relationship) else { return }
            // A missing destination was reported before.
            if !relationship.isOptional && object.lacksDestination(relationship) { return }
        }
        failures.addError(of: object, relationship.name) { try validating.validateDestinations(forKey: relationship.name) }
    }

    /// Returns the relationships that deny the deletion of a saved object.
    func deniedDeletions(of object: ManagedObject) throws -> [ValidationFailure] {
        var failures: [ValidationFailure] = []
        for relationship in object.entity.relationships where relationship.deleteRule == .deny {
            if try object.destinationIDs(relationship).allSatisfy({ context.fault(with: $0).isDeleted }) { continue }
            // Loaded destinations may have been deleted or moved in the store.
            let remaining = try currentDestinations(of: object, relationship)
            if !remaining.isEmpty { failures.append(ValidationFailure(denying: object, relationship.name, remaining)) }
        }
        return failures
    }

    /// Returns the stores' current destinations of a saved object's relationship, with the changes made here.
    private func currentDestinations(of object: ManagedObject, _ relationship: RelationshipDescription) throws -> [ObjectID] {
        var ids: Set<ObjectID> = []
        if relationship.isToMany {
            ids = Set(try context.loader.savedDestinations(of: relationship, from: object))
            if let state = object.extra?.toMany(relationship.index) { ids = ids.subtracting(state.removed).union(state.added) }
        } else if case .objectID(let id) = object.currentValue(.relationship(relationship)) {
            let isThere = try context.registered(id)?.isNew == true || context.loader.savedRow(of: id) != nil
            if isThere { ids = [id] }
        }
        // Saved ones first, as they are numbered.
        return ids.filter { context.registered($0)?.isDeleted != true }
            .sorted { ($0.isTemporary ? 1 : 0, $0.reference) < ($1.isTemporary ? 1 : 0, $1.reference) }
    }
}

extension ManagedObject {
    final class var checksValues: Bool {
        if let type = self as? any SelectivelyValidating.Type { return type.validatesProperties }
        return self is any PropertyValidating.Type
    }

    final var ownRules: (any PropertyValidating)? { type(of: self).checksValues ? self as? any PropertyValidating : nil }

    fileprivate final func lacksValue(_ propertySlot: PropertySlot) -> Bool {
        if let extra, extra.isPending(propertySlot.property) { return extra.pending.isNull(propertySlot) }
        return isNew && (row == nil || currentValue(entity.properties[propertySlot.property]).isNull)
    }

    fileprivate final func lacksDestination(_ relationship: RelationshipDescription) -> Bool {
        if let extra, extra.isPending(relationship.index) { return extra.pending.isNull(entity.propertySlots[relationship.index]) }
        return currentValue(.relationship(relationship)).isNull
    }
}
