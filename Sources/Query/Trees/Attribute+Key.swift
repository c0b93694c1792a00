public import StrataModel

extension Attribute {
    /// An attribute named by the typed key of its class, optional and persistent by default.
    ///
    /// ```swift
    /// Attribute(Person.age, .integer16, default: 0)
    /// ```
    /// A model refuses the attribute where the key's type does not fit its own; declared by name, that shows only when
    /// the key is used.
    public init<V: ValueConvertible>(
        _ key: Key<V>, _ type: AttributeType, default defaultValue: Value? = nil, validation: [ValidationRule] = [],
        transformer: ValueTransformer? = nil
    ) {
        self.init(key.path, type, default: defaultValue, validation: validation, transformer: transformer)
        self.key = ("Key<\(V.self)>", Set(AttributeType.allCases.filter { V.fits($0) }))
    }

    /// A composite attribute named by the typed key of its class, with the elements of the key's type; optional and
    /// persistent by default.
    ///
    /// ```swift
    /// Attribute(Theme.colors)
    /// Attribute(Theme.colors, default: ColorScheme(primary: "black")).required
    /// ```
    ///
    /// - Parameters:
    ///   - key: The typed key.
    ///   - defaultValue: The value that a new object starts with: the default of each element is what it has there; none
    ///     where one cannot be encoded.
    public init<C: CompositeValue>(_ key: Key<C>, default defaultValue: C? = nil) {
        self.init(key.path, .composite)
        elements = C.attributes
        guard let defaultValue else { return }
        var values: [String: StrataModel.Value] = [:]
        do { try defaultValue.add(to: &values, behind: "") } catch { return }
        setDefaults(of: &elements, values, behind: "")
    }

    private func setDefaults(of elements: inout [Attribute], _ values: [String: StrataModel.Value], behind prefix: String) {
        for index in elements.indices {
            let path = prefix + elements[index].name
            if elements[index].type == .composite {
                setDefaults(of: &elements[index].elements, values, behind: path + ".")
            } else if let value = values[path], !value.isNull {
                elements[index].defaultValue = value
            }
        }
    }
}
