import FoundationEssentials
import StrataCoordinator
import StrataModel
import StrataStore
import StrataText

/// Checks changed objects before they are saved.
struct Validator {
    private let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// - Throws: ``ValidationError`` with all failures; what a store throws while relationships are loaded.
    func validate(_ objects: [ManagedObject]) throws {
        var failures: [ValidationFailure] = []
        var patterns: [String: RegularExpression] = [:]
        var rules: [EntityRules?] = Array(repeating: nil, count: context.model.entities.count)
        var lastType: (type: ManagedObject.Type, checksValues: Bool)?
        for object in objects where object.hasChanges {
            if object.isDeleted {
                if object.isNew || object.isGone { continue }
                try checkDenied(object, &failures)
                check(object, nil, .null, &failures) { try object.validateForDelete() }
                continue
            }
            let entity = object.entity
            let ruled = rules[entity.index] ?? EntityRules(entity)
            rules[entity.index] = ruled
            // A cast to a protocol costs more than all else that is done for most objects.
            let type = Swift.type(of: object)
            if lastType?.type != type { lastType = (type, type is any PropertyValidating.Type) }
            let validating = lastType?.checksValues == true ? object as? any PropertyValidating : nil
            let unfit = object.extra?.unfit ?? []
            for attribute in validating == nil ? ruled.attributes : entity.attributes {
                // A value that the attribute cannot hold is nothing for its rules.
                if unfit.isEmpty || !unfit.contains(attribute.index) {
                    checkAttribute(attribute, object, validating, &failures, &patterns)
                }
            }
            for property in unfit { checkUnfit(property, object, &failures) }
            for relationship in ruled.relationships { try checkRelationship(relationship, object, &failures) }
            check(object, nil, .null, &failures) {
                if object.isNew { try object.validateForInsert() } else { try object.validateForUpdate() }
            }
        }
        if !failures.isEmpty { throw ValidationError(failures: failures) }
    }

    /// Takes what an object's own method throws among the failures.
    private func check(
        _ object: ManagedObject, _ key: String?, _ value: Value, _ failures: inout [ValidationFailure], _ body: () throws -> Void
    ) {
        do { try body() } catch let failure as ValidationFailure {
            failures.append(failure)
        } catch let error as ValidationError {
            failures += error.failures
        } catch {
            failures.append(ValidationFailure(.custom, object, key: key, value: value, "\(error)"))
        }
    }

    // MARK: - Attributes

    private func checkAttribute(
        _ attribute: AttributeDescription, _ object: ManagedObject, _ validating: (any PropertyValidating)?,
        _ failures: inout [ValidationFailure], _ patterns: inout [String: RegularExpression]
    ) {
        let pending = object.extra?.value(attribute.index)
        if pending == nil && !object.isNew { return }
        let value = pending ?? Value.null
        if value.isNull && !attribute.isOptional {
            failures.append(ValidationFailure(.missingMandatoryProperty, object, key: attribute.name, "a value is required"))
            return
        }
        if !value.isNull {
            for rule in attribute.declaration.validation { check(rule, value, attribute, object, &failures, &patterns) }
        }
        guard let validating else { return }
        check(object, attribute.name, value, &failures) { try validating.validate(value, forKey: attribute.name) }
    }

    /// Finds what is wrong with a value that its attribute cannot hold.
    private func checkUnfit(_ property: Int, _ object: ManagedObject, _ failures: inout [ValidationFailure]) {
        guard let attribute = object.entity.properties[property].attribute, let value = object.extra?.value(property) else { return }
        let (rule, message) = attribute.type.misfit(of: value)
        failures.append(ValidationFailure(rule, object, key: attribute.name, value: value, message))
    }

    private func check(
        _ rule: ValidationRule, _ value: Value, _ attribute: AttributeDescription, _ object: ManagedObject,
        _ failures: inout [ValidationFailure], _ patterns: inout [String: RegularExpression]
    ) {
        func fail(_ rule: ValidationFailure.Rule, _ message: String) {
            failures.append(ValidationFailure(rule, object, key: attribute.name, value: value, message))
        }
        switch rule {
        case .range(let least, let most):
            let isDate = attribute.type == .date
            if let least, ![.greater, .equal].contains(value.compare(isDate ? attribute.type.coerce(least) ?? least : least)) {
                fail(isDate ? .dateTooSoon : .numberTooSmall, "\(value) is below \(least)")
            } else if let most, ![.less, .equal].contains(value.compare(isDate ? attribute.type.coerce(most) ?? most : most)) {
                fail(isDate ? .dateTooLate : .numberTooLarge, "\(value) is above \(most)")
            }
        case .length(let least, let most):
            guard let length = value.length else { return }
            let unit = if case .data = value { "bytes" } else { "characters" }
            if let least, length < least { fail(.stringTooShort, "\(value.excerpt) is shorter than \(least) \(unit)") }
            if let most, length > most { fail(.stringTooLong, "\(value.excerpt) is longer than \(most) \(unit)") }
        case .pattern(let pattern):
            guard case .string(let text) = value else { return }
            if patterns[pattern] == nil { patterns[pattern] = try? RegularExpression(pattern) }
            // The model's compiler refused patterns that do not parse.
            guard let expression = patterns[pattern] else { return }
            do throws(PatternError) {
                if try !expression.matches(text) { fail(.stringPatternMatching, "\(value.excerpt) does not match \(pattern)") }
            } catch {
                fail(.stringPatternMatching, "\(value.excerpt) cannot be matched with \(pattern): \(error)")
            }
        }
    }

    // MARK: - Relationships

    private func checkRelationship(
        _ relationship: RelationshipDescription, _ object: ManagedObject, _ failures: inout [ValidationFailure]
    ) throws {
        if !relationship.isToMany {
            guard object.isNew || object.extra?.value(relationship.index) != nil else { return }
            if !relationship.isOptional && object.currentValue(.relationship(relationship)).isNull {
                failures.append(ValidationFailure(.missingMandatoryProperty, object, key: relationship.name, "a destination is required"))
            }
            return
        }
        guard object.isNew || object.extra?.toMany(relationship.index)?.hasChanges == true else { return }
        let (least, most) = (relationship.leastCount, relationship.declaration.maxCount)
        let count = try object.loadedState(relationship).count
        if relationship.isOptional && count == 0 { return }
        if count < least {
            failures.append(
                ValidationFailure(
                    .relationshipLacksMinimumCount, object, key: relationship.name, value: .int(Int64(count)),
                    "\(count) destinations are fewer than \(least)"))
        } else if most > 0 && count > most {
            failures.append(
                ValidationFailure(
                    .relationshipExceedsMaximumCount, object, key: relationship.name, value: .int(Int64(count)),
                    "\(count) destinations are more than \(most)"))
        }
    }

    private func checkDenied(_ object: ManagedObject, _ failures: inout [ValidationFailure]) throws {
        for relationship in object.entity.relationships where relationship.deleteRule == .deny {
            if try object.destinationIDs(relationship).allSatisfy({ context.object(with: $0).isDeleted }) { continue }
            // What was loaded may have gone, or gone over to another object, in the store.
            let remaining = try currentDestinations(of: object, relationship)
            if !remaining.isEmpty { failures.append(ValidationFailure(denying: object, relationship.name, remaining)) }
        }
    }

    /// The destinations of a saved object's relationship as the stores have them now, with the changes made here.
    ///
    /// - Throws: What a store throws.
    private func currentDestinations(of object: ManagedObject, _ relationship: RelationshipDescription) throws -> [ObjectID] {
        var ids: Set<ObjectID> = []
        if relationship.isToMany {
            ids = Set(try context.loader.savedDestinations(of: relationship, from: object))
            if let state = object.extra?.toMany(relationship.index) { ids = ids.subtracting(state.removed).union(state.added) }
        } else if case .objectID(let id) = object.currentValue(.relationship(relationship)) {
            let isThere = try context.registeredObject(for: id)?.isNew == true || context.loader.savedRow(of: id) != nil
            if isThere { ids = [id] }
        }
        // Saved ones first, as they are numbered.
        return ids.filter { context.registeredObject(for: $0)?.isDeleted != true }
            .sorted { ($0.isTemporary ? 1 : 0, $0.reference) < ($1.isTemporary ? 1 : 0, $1.reference) }
    }
}

/// What the model says of the properties of an entity's objects, found once for all of them.
private struct EntityRules {
    let attributes: [AttributeDescription]
    let relationships: [RelationshipDescription]

    init(_ entity: EntityDescription) {
        attributes = entity.attributes.filter(\.hasRules)
        relationships = entity.relationships.filter { relationship in
            relationship.isToMany ? relationship.leastCount > 0 || relationship.declaration.maxCount > 0 : !relationship.isOptional
        }
    }
}

extension RelationshipDescription {
    /// The least number of destinations.
    fileprivate var leastCount: Int { isOptional ? declaration.minCount : max(1, declaration.minCount) }
}

extension AttributeType {
    /// What is wrong with a value that attributes of this type do not hold.
    fileprivate func misfit(of value: Value) -> (ValidationFailure.Rule, String) {
        if self == .date { return (.invalidDate, "\(value.excerpt) is no date") }
        switch value {
        case .int, .double, .decimal: break
        case .string where self == .uri: return (.invalidURI, "\(value.excerpt) is no URI")
        default: return (.custom, "\(value.excerpt) is no \(self)")
        }
        guard isNumeric else { return (.custom, "\(value.excerpt) is no \(self)") }
        // What is no number is below every range, as it is below a range of the model's.
        if !value.equals(value) { return (.numberTooSmall, "\(value) is no \(self)") }
        let range = integerRange ?? Int64.min...Int64.max
        let isNegative = value.compare(.int(0)) == .less
        if isInteger, value.compare(.int(range.upperBound)) != .greater, value.compare(.int(range.lowerBound)) != .less {
            return (.custom, "\(value) is no whole number")
        }
        return isNegative ? (.numberTooSmall, "\(value) is too small for \(self)") : (.numberTooLarge, "\(value) is too large for \(self)")
    }
}

extension Value {
    /// The value as a message shows it: of a long text the beginning.
    fileprivate var excerpt: String {
        guard case .string(let text) = self else { return description }
        let beginning = text.prefix(80)
        return beginning.endIndex == text.endIndex ? description : "\"\(beginning)…\""
    }

    /// The number of characters of a text, or of bytes of data.
    fileprivate var length: Int? {
        switch self {
        case .string(let text): text.count
        case .data(let data): data.count
        default: nil
        }
    }
}
