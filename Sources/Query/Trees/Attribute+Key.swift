public import StrataModel

extension Attribute {
    /// An attribute named by the typed key of its class, optional and persistent unless said otherwise.
    ///
    /// ```swift
    /// Attribute(Person.age, .integer16, default: 0)
    /// ```
    /// A model refuses the attribute where the key's type does not fit its own; declared by name, that shows only when the key is used.
    public init<V: ValueConvertible>(
        _ key: Key<V>, _ type: AttributeType, default defaultValue: Value? = nil, validation: [ValidationRule] = [],
        transformer: ValueTransformer? = nil
    ) {
        self.init(key.path, type, default: defaultValue, validation: validation, transformer: transformer)
        self.key = ("Key<\(V.self)>", Set(AttributeType.allCases.filter { V.fits($0) }))
    }
}
