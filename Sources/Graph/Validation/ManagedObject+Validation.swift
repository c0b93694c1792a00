import StrataModel

extension ManagedObject {
    /// Validates a value for a property, by the model's rules, and by the object's own where it is
    /// ``PropertyValidating``.
    ///
    /// A composite attribute is validated as a whole, or by the path of an element, including whether the other
    /// elements require it. For an enumeration that the class declares only raw values of its cases are valid.
    ///
    /// - Parameters:
    ///   - value: A value for ``ManagedObjectMembers/setValue(_:forKey:)``.
    ///   - key: The name of the property.
    /// - Throws: ``ValidationError`` with everything that is wrong with the value, also where it is not of the
    ///   attribute's type; `StoreError` with `unknownKey`, and with `wrongValue` for what cannot be a destination; what
    ///   a transformer throws.
    public final func validateValue(_ value: Any?, forKey key: String) throws { try validateValue(value, forKey: key, asking: ownRules) }

    /// Validates a value for a property by the model's rules, and by those of the given object, if any.
    package final func validateValue(_ value: Any?, forKey key: String, asking validating: (any PropertyValidating)?) throws {
        var failures: [ValidationFailure] = []
        if let composite = entity.compositeAttribute(named: key) {
            checkExecutor()
            try check(given(value, composite), of: key, composite.attributes, validating, &failures)
        } else {
            switch try property(key) {
            case .attribute(let attribute) where attribute.isDerived: _ = try assignable(value, attribute)
            case .attribute(let attribute):
                let fitting = try stored(value, attribute)
                try check([GivenElement(value, fitting, attribute, of: self)], of: key, [attribute], validating, &failures)
                if let fitting, let failure = failure(ofCase: fitting, attribute) { failures.append(failure) }
            case .relationship(let relationship) where relationship.isToMany:
                let count = try Set(destinations(value, relationship)).count
                if let failure = failure(ofCount: count, relationship) { failures.append(failure) }
            case .relationship(let relationship):
                if try destination(value, relationship) == nil, let failure = missing(relationship) { failures.append(failure) }
            }
        }
        if !failures.isEmpty { throw ValidationError(failures: failures) }
    }

    /// Validates values for attributes, and what their composite attribute would lack then.
    private func check(
        _ given: [GivenElement], of key: String, _ attributes: [AttributeDescription], _ validating: (any PropertyValidating)?,
        _ failures: inout [ValidationFailure]
    ) throws {
        var rules = RuleChecker()
        var values: [Int: Value] = [:]
        for element in given {
            if let attribute = element.attribute, let fitting = element.fitting {
                values[attribute.index] = fitting
                check(fitting, attribute, validating, &rules, &failures)
            } else {
                let rule = element.given.isNull ? nil : element.attribute?.type.misfit(of: element.given).rule
                failures.append(ValidationFailure(rule ?? .custom, self, key: element.path, value: element.given, message: element.misfit))
            }
        }
        guard failures.isEmpty, let name = attributes.first?.compositeName, let whole = entity.compositeAttribute(named: name)
        else { return }
        for (path, message) in whole.missing({ values[$0.index] ?? currentValue(.attribute($0)) })
        where path == key || path.hasPrefix(key + ".") || key.hasPrefix(path + ".") {
            failures.append(ValidationFailure(.missingMandatoryProperty, self, key: path, message: message))
        }
    }

    /// Validates all values, unless a save does; throws ``ValidationError`` with all failures; what a store throws.
    final func validateProperties() throws {
        if withContext(\.saveState.isValidating) == true { return }
        try requireContext(for: Int?.none)
        try requireValues()
        var failures: [ValidationFailure] = []
        let validating = ownRules
        var rules = RuleChecker()
        let unfit = extra?.unfit ?? []
        for property in entity.properties {
            switch property {
            case .attribute(let attribute):
                if attribute.isDerived || cannotBeValidated(attribute) { continue }
                let value = currentValue(property)
                if unfit.contains(attribute.index) {
                    let (rule, message) = attribute.type.misfit(of: value)
                    failures.append(ValidationFailure(rule, self, key: attribute.name, value: value, message: message))
                } else {
                    check(value, attribute, validating, &rules, &failures)
                }
            case .relationship(let relationship) where relationship.isHidden: continue
            case .relationship(let relationship) where relationship.isToMany:
                if relationship.declaration.minCount == 0 && relationship.declaration.maxCount == 0 { continue }
                if let failure = failure(ofCount: try readMembers(relationship).count, relationship) { failures.append(failure) }
            case .relationship(let relationship):
                try requireContext(for: relationship)
                if destination(relationship) == nil, let failure = missing(relationship) { failures.append(failure) }
            }
        }
        for composite in entity.compositeAttributes
        where !composite.requirements.isEmpty && !composite.attributes.contains(where: cannotBeValidated) {
            failures += composite.missing { currentValue(.attribute($0)) }
                .map { ValidationFailure(.missingMandatoryProperty, self, key: $0.path, message: $0.message) }
        }
        if !failures.isEmpty { throw ValidationError(failures: failures) }
    }

    /// Returns whether an attribute's value cannot be validated: unreadable, or unknown of a saved object.
    private func cannotBeValidated(_ attribute: AttributeDescription) -> Bool {
        if isPending(attribute.index) || isNew { return false }
        if attribute.isTransient { return true }
        return row.flatMap { unavailability(entity.propertySlots[attribute.index], $0) } != nil
    }

    /// Validates the deletion of the object by its delete rules, unless a save does so by itself; throws
    /// ``ValidationError`` with all failures; what a store throws.
    final func validateDeletion() throws {
        if hasLostContext, !isNew { throw lostContextError(nil) }
        guard let context = managedObjectContext, !context.saveState.isValidating, !isNew, !isInaccessible else { return }
        let failures = try Validator(context).deniedDeletions(of: self)
        if !failures.isEmpty { throw ValidationError(failures: failures) }
    }

    private func check(
        _ value: Value, _ attribute: AttributeDescription, _ validating: (any PropertyValidating)?, _ rules: inout RuleChecker,
        _ failures: inout [ValidationFailure]
    ) {
        if value.isNull && !attribute.isOptional {
            failures.append(ValidationFailure(.missingMandatoryProperty, self, key: attribute.name, message: "a value is required"))
            return
        }
        failures += rules.failures(of: value, attribute, self, managedObjectContext?.model)
        guard let validating else { return }
        failures.addError(of: self, attribute.name, value) { try validating.validate(value, forKey: attribute.name) }
    }

    /// Returns the failure of a raw value without a case in the enumeration that the class declares, if any.
    private func failure(ofCase value: Value, _ attribute: AttributeDescription) -> ValidationFailure? {
        guard !value.isNull, let type = declaredType(attribute.name) as? any RawRepresentable.Type,
            EnumerationCases.contains(value, type) == false
        else { return nil }
        let message = "\(attribute.name) is of the enumeration \(type), which has no case \(value.excerpt)"
        return ValidationFailure(.custom, self, key: attribute.name, value: value, message: message)
    }

    /// Returns the non-optional type of the property that the object's class declares for an attribute.
    private func declaredType(_ name: String) -> Any.Type? {
        var declaration = type(of: self).entityDeclaration
        while let declared = declaration {
            if let property = declared.properties.first(where: { $0.name == name }) {
                let type = property.keyPath.map { Swift.type(of: $0 as AnyKeyPath).valueType }
                return (type as? any OptionalType.Type)?.wrappedType ?? type
            }
            declaration = declared.parent?.entityDeclaration
        }
        return nil
    }

    private func failure(ofCount count: Int, _ relationship: RelationshipDescription) -> ValidationFailure? {
        relationship.failure(ofCount: count).map {
            ValidationFailure($0.rule, self, key: relationship.name, value: .int(Int64(count)), message: $0.message)
        }
    }

    private func missing(_ relationship: RelationshipDescription) -> ValidationFailure? {
        if relationship.isOptional { return nil }
        return ValidationFailure(.missingMandatoryProperty, self, key: relationship.name, message: "a destination is required")
    }
}
