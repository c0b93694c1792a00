import StrataModel
public import StrataQuery
import StrataText

extension ManagedObject {
    /// The value of a composite attribute; `nil` where none of its elements has one.
    ///
    /// Each access makes it of the elements: changes take effect on assignment. An element that cannot be read, or
    /// whose value its property's type does not have, is as in a new value, and stays in the store until it is assigned
    /// another one. A value with an element that cannot be encoded is refused, and ``ManagedObjectContext/save()``
    /// throws why.
    ///
    /// - Precondition: The entity has the composite attribute, with the elements of the type.
    public final subscript<C: CompositeValue>(key: Key<C>) -> C? {
        get {
            if KeyPathProbe.isProbe(self) { return KeyPathRecorder.current?.sample(key, of: self) }
            let composite = compositeAttribute(key.path)
            var values: [String: Value] = [:]
            for attribute in composite.attributes { values[attribute.name] = currentValue(.attribute(attribute)) }
            return C(values, behind: key.path + ".")
        }
        set {
            let composite = compositeAttribute(key.path)
            var values: [String: Value] = [:]
            if newValue == nil { for attribute in composite.attributes { values[attribute.name] = .null } }
            let encoded = recording(key.path, isAnswered: false) {
                try newValue?.add(to: &values, behind: key.path + ".")
                return values
            }
            guard let encoded else { return }
            if flags.contains(.unreadable) { managedObjectContext?.failedAccesses.didAssign(self, key.path) }
            let unread = newValue == nil ? [] : unreadElements(of: key, composite, encoded)
            for (path, value) in encoded.sortedByKey() where !unread.contains(path) {
                guard let attribute = entity.attribute(named: path) else { programmerError("\(entity.name) has no element \(path)") }
                setAttribute(value, entity.propertySlots[attribute.index])
            }
        }
    }

    /// Returns the elements whose values their types do not have, and which are assigned as they are read: changing
    /// another element in place leaves them as they are.
    private func unreadElements<C: CompositeValue>(
        of key: Key<C>, _ composite: CompositeAttributeDescription, _ values: [String: Value]
    ) -> Set<String> {
        let prefix = key.path + "."
        let mayBeUnread = C.types(behind: prefix).filter { $0.transformer != nil || $0.type is any RawRepresentable.Type }
        if mayBeUnread.isEmpty { return [] }
        var current: [String: Value] = [:]
        for attribute in composite.attributes { current[attribute.name] = currentValue(.attribute(attribute)) }
        let changed = mayBeUnread.map(\.path).filter { current[$0]?.isNull == false && current[$0] != values[$0] }
        var read: [String: Value] = [:]
        guard !changed.isEmpty, (try? C(current, behind: prefix)?.add(to: &read, behind: prefix)) != nil else { return [] }
        return Set(changed.filter { read[$0] == values[$0] })
    }

    /// The value of a required composite attribute: a new value of the type where there is none.
    public final subscript<C: CompositeValue>(required key: Key<C>, else placeholder: @autoclosure () -> C = C()) -> C {
        get { self[key] ?? placeholder() }
        set { self[key] = newValue }
    }

    /// The value of an optional composite attribute.
    public final subscript<C: CompositeValue>(optional key: Key<C>) -> C? {
        get { self[key] }
        set { self[key] = newValue }
    }

    /// The value of a composite attribute without a type, as ``ManagedObjectMembers/value(forKey:)`` gives it.
    ///
    /// It is `nil` where no element has a value. What cannot be set is refused, and ``ManagedObjectContext/save()``
    /// throws why.
    ///
    /// - Precondition: The entity has the composite attribute.
    public final subscript(key: Key<[String: Any]>) -> [String: Any]? {
        get {
            if KeyPathProbe.isProbe(self) { return nil }
            return currentDictionary(compositeAttribute(key.path).name)
        }
        set { recording(key.path, isAnswered: false) { try setValue(newValue, forKey: key.path) } }
    }

    private func compositeAttribute(_ path: String) -> CompositeAttributeDescription {
        guard let composite = entity.compositeAttribute(named: path)
        else { programmerError("\(entity.name) has no composite attribute \(path)") }
        return composite
    }

    /// Returns the current elements of a composite attribute that have a readable value.
    final func currentDictionary(_ name: String) -> [String: Any]? {
        guard let composite = entity.compositeAttribute(named: name) else { return nil }
        return dictionary(composite) { readable(currentValue(.attribute($0)), $0) }
    }

    /// Returns the elements of a composite attribute that have a value, by name; `nil` where none has one.
    final func dictionary<E: Error>(
        _ composite: CompositeAttributeDescription, _ value: (AttributeDescription) throws(E) -> Any?
    ) throws(E) -> [String: Any]? {
        var dictionary: [String: Any] = [:]
        for element in composite.elements {
            switch element {
            case .attribute(let attribute, _): if let value = try value(attribute) { dictionary[element.name] = value }
            case .composite(let inner): if let inner = try self.dictionary(inner, value) { dictionary[element.name] = inner }
            }
        }
        return dictionary.isEmpty ? nil : dictionary
    }

    /// Returns the element values of a composite value: a dictionary, a `CompositeValue`, or nil; throws `StoreError`
    /// with `wrongValue`, or with `unknownKey` for an unknown element; what a transformer throws.
    final func stored(
        _ value: Any?, _ composite: CompositeAttributeDescription
    ) throws -> [(attribute: AttributeDescription, value: Value)] {
        try given(value, composite).map { element in
            guard let attribute = element.attribute, let fitting = element.fitting else { throw wrongValue(element.path, element.misfit) }
            return (attribute, fitting)
        }
    }

    /// Returns the values of all elements of a composite value; throws `StoreError` with `unknownKey` for an unknown
    /// element; what a transformer throws.
    final func given(_ value: Any?, _ composite: CompositeAttributeDescription) throws -> [GivenElement] {
        var given: [GivenElement] = []
        try add(value, composite, to: &given)
        return given
    }

    private func add(_ value: Any?, _ composite: CompositeAttributeDescription, to given: inout [GivenElement]) throws {
        let elements: [String: Any]
        switch value.flatMap(unwrapped) {
        case nil: elements = [:]
        case let value as Value where value.isNull: elements = [:]
        case let typed as any CompositeValue: return try add(typed, composite, to: &given)
        case let dictionary as [String: Any]: elements = dictionary
        default:
            let names = composite.elements.map(\.name).joined(separator: ", ")
            let misfit = "\(composite.name) takes a dictionary of its elements, \(names), or a CompositeValue, not \(shown(value))"
            return given.append(GivenElement(path: composite.name, misfit: misfit))
        }
        if let unknown = elements.keys.sorted().first(where: { composite.element(named: $0) == nil }) {
            throw unknownKey(composite.name + "." + unknown, "is no element")
        }
        for element in composite.elements {
            let value = elements[element.name].flatMap(unwrapped)
            switch element {
            case .composite(let inner): try add(value, inner, to: &given)
            case .attribute(let attribute, _): given.append(GivenElement(value, try stored(value, attribute), attribute, of: self))
            }
        }
    }

    private func add<C: CompositeValue>(_ typed: C, _ composite: CompositeAttributeDescription, to given: inout [GivenElement]) throws {
        var values: [String: Value] = [:]
        try typed.add(to: &values, behind: composite.name + ".")
        for attribute in composite.attributes where values[attribute.name] == nil { values[attribute.name] = .null }
        for (path, value) in values.sortedByKey() {
            guard let attribute = entity.attribute(named: path) else { throw unknownKey(path, "is no element") }
            given.append(GivenElement(value, attribute.type.coerce(value), attribute, of: self))
        }
    }
}

/// The value that an attribute is given, on its own or as an element of a composite one.
struct GivenElement {
    let path: String
    /// `nil` where a composite attribute was given a value of another kind.
    let attribute: AttributeDescription?
    /// The value to store; `nil` where the given one is not of the attribute's type.
    let fitting: Value?
    /// The given value, where it does not fit; `null` for no value.
    let given: Value
    /// The reason why it does not fit.
    let misfit: String

    init(_ value: Any?, _ fitting: Value?, _ attribute: AttributeDescription, of object: ManagedObject) {
        path = attribute.name
        self.attribute = attribute
        self.fitting = fitting
        given = fitting == nil ? (value as? Value) ?? (value as? any ValueConvertible)?.value ?? .null : .null
        misfit = fitting == nil ? object.misfit(of: value, attribute) : ""
    }

    /// Creates the element for a value that is not composite.
    init(path: String, misfit: String) { (self.path, attribute, fitting, given, self.misfit) = (path, nil, nil, .null, misfit) }
}
