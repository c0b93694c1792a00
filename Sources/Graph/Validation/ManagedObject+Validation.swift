import StrataModel
import StrataStore

extension ManagedObject {
    /// Checks a value for a property, before it is set or without: by the model's rules, and by the object's own where it is ``PropertyValidating``.
    ///
    /// - Parameters:
    ///   - value: What ``setValue(_:forKey:)`` takes.
    ///   - key: The name of the property.
    /// - Throws: ``ValidationError`` with everything that is wrong with the value, one that is none of the attribute's type too; `StoreError` with
    ///   `unknownKey`, and with `wrongValue` for what cannot be a destination; what a transformer throws.
    public final func validateValue(_ value: Any?, forKey key: String) throws {
        var failures: [ValidationFailure] = []
        switch try property(key) {
        case .attribute(let attribute) where attribute.isDerived: _ = try assignable(value, attribute)
        case .attribute(let attribute):
            if let fitting = try stored(value, attribute) {
                var rules = RuleChecker()
                check(fitting, attribute, &rules, &failures)
            } else {
                let value = (value as? any ValueConvertible)?.value ?? (value as? Value) ?? .null
                let (rule, message) = attribute.type.misfit(of: value)
                failures.append(ValidationFailure(rule, self, key: key, value: value, message))
            }
        case .relationship(let relationship) where relationship.isToMany:
            let count = try Set(destinations(value, relationship)).count
            if let failure = failure(ofCount: count, relationship) { failures.append(failure) }
        case .relationship(let relationship):
            if try destination(value, relationship) == nil, let failure = missing(relationship) { failures.append(failure) }
        }
        if !failures.isEmpty { throw ValidationError(failures: failures) }
    }

    /// Checks the properties of the object as they are, unless a save does so by itself.
    ///
    /// - Throws: ``ValidationError`` with all failures; what a store throws.
    final func validateProperties(onlyChanged: Bool) throws {
        if managedObjectContext?.isValidating == true { return }
        try requireValues()
        var failures: [ValidationFailure] = []
        var rules = RuleChecker()
        let unfit = extra?.unfit ?? []
        for property in entity.properties {
            switch property {
            case .attribute(let attribute):
                if attribute.isDerived || onlyChanged && !isPending(attribute.index) { continue }
                let value = currentValue(property)
                if unfit.contains(attribute.index) {
                    let (rule, message) = attribute.type.misfit(of: value)
                    failures.append(ValidationFailure(rule, self, key: attribute.name, value: value, message))
                } else {
                    check(value, attribute, &rules, &failures)
                }
            case .relationship(let relationship) where relationship.isHidden: continue
            case .relationship(let relationship) where relationship.isToMany:
                if relationship.declaration.minCount == 0 && relationship.declaration.maxCount == 0 { continue }
                if onlyChanged && extra?.toMany(relationship.index)?.hasChanges != true { continue }
                if let failure = failure(ofCount: try readMembers(relationship).count, relationship) { failures.append(failure) }
            case .relationship(let relationship):
                if onlyChanged && !isPending(relationship.index) { continue }
                if destination(relationship) == nil, let failure = missing(relationship) { failures.append(failure) }
            }
        }
        if !failures.isEmpty { throw ValidationError(failures: failures) }
    }

    /// Checks the delete rules of the object, unless a save does so by itself.
    ///
    /// - Throws: ``ValidationError`` with all failures; what a store throws.
    final func validateDeletion() throws {
        guard let context = managedObjectContext, !context.isValidating, !isNew, !isGone else { return }
        let failures = try Validator(context).deniedDeletions(of: self)
        if !failures.isEmpty { throw ValidationError(failures: failures) }
    }

    private func check(
        _ value: Value, _ attribute: AttributeDescription, _ rules: inout RuleChecker, _ failures: inout [ValidationFailure]
    ) {
        if value.isNull && !attribute.isOptional {
            failures.append(ValidationFailure(.missingMandatoryProperty, self, key: attribute.name, "a value is required"))
            return
        }
        if !value.isNull {
            for rule in attribute.declaration.validation {
                guard let (broken, message) = rules.failure(of: rule, value, attribute, entity, managedObjectContext?.model) else {
                    continue
                }
                failures.append(ValidationFailure(broken, self, key: attribute.name, value: value, message))
            }
        }
        guard let validating = self as? any PropertyValidating else { return }
        do { try validating.validate(value, forKey: attribute.name) } catch let failure as ValidationFailure {
            failures.append(failure)
        } catch let error as ValidationError {
            failures += error.failures
        } catch {
            failures.append(ValidationFailure(.custom, self, key: attribute.name, value: value, "\(error)"))
        }
    }

    private func failure(ofCount count: Int, _ relationship: RelationshipDescription) -> ValidationFailure? {
        relationship.failure(ofCount: count).map {
            ValidationFailure($0.rule, self, key: relationship.name, value: .int(Int64(count)), $0.message)
        }
    }

    private func missing(_ relationship: RelationshipDescription) -> ValidationFailure? {
        if relationship.isOptional { return nil }
        return ValidationFailure(.missingMandatoryProperty, self, key: relationship.name, "a destination is required")
    }
}
