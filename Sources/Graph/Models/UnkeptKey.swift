import StrataModel

// What `@Model` writes of a property whose type no store keeps: one error says so, and these keep others from hiding it.

/// Stands for the key of a property that cannot be kept in a store; there is none.
public struct UnkeptKey<T>: Sendable {
    init() {}
}

extension ManagedObject {
    /// A property that cannot be kept has no value.
    public final subscript<T>(required key: UnkeptKey<T>, else placeholder: @autoclosure () -> T) -> T {
        get { placeholder() }
        set {}
    }

    /// A property that cannot be kept has no value.
    public final subscript<T>(required key: UnkeptKey<T>) -> T {
        get { programmerError("\(T.self) cannot be kept in a store") }
        set {}
    }

    /// A property that cannot be kept has no value.
    public final subscript<T>(optional key: UnkeptKey<T>) -> T? {
        get { nil }
        set {}
    }
}

extension DeclaredProperty {
    /// Unavailable: a property of an unsupported type is not part of an entity.
    @available(*, unavailable, message: "a property of this type cannot be kept in a store")
    public init<T>(
        _ key: UnkeptKey<T>, isOptional: Bool, default defaultValue: T? = nil, options: [AttributeOption] = [],
        originalName: String? = nil, hashModifier: String? = nil
    ) {
        programmerError("\(T.self) cannot be kept in a store")
    }

    /// Creates a relationship has no options of an attribute.
    @available(*, unavailable, message: "the property is a relationship: mark it @Relationship; an attribute's options are not for it")
    public init<D: ManagedObject>(
        _ key: ToOne<D>, isOptional: Bool, default defaultValue: D? = nil, options: [AttributeOption], originalName: String? = nil,
        hashModifier: String? = nil
    ) {
        programmerError("\(key.path) is a relationship")
    }

    /// Creates a relationship has no options of an attribute.
    @available(*, unavailable, message: "the property is a relationship: mark it @Relationship; an attribute's options are not for it")
    public init<D: ManagedObject>(
        _ key: ToMany<D>, isOptional: Bool, default defaultValue: [D]? = nil, options: [AttributeOption], originalName: String? = nil,
        hashModifier: String? = nil
    ) {
        programmerError("\(key.path) is a relationship")
    }
}
