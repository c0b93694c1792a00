public import StrataModel
public import StrataQuery

// Attributes of types that are only Codable, compared by their stored form. The operators are disfavoured, but the
// compiler may pick them in long conditions: natively supported types compare as by their own.

extension KeyPath where Root: ManagedObject, Value: Codable & Sendable & Equatable {
    /// Met where the attribute stores a value: an enumeration's raw value, or the same encoded bytes; `nil` for none.
    ///
    /// A value that contains a set, or a dictionary whose keys are no text, has no stable encoding: the fetch throws.
    @_disfavoredOverload
    public static func == (lhs: KeyPath, rhs: Value) -> ObjectPredicate<Root> {
        .init(StoredForm.equals(rhs, at: QueryExpression.path(of: lhs)))
    }

    /// Met where the attribute stores another value; otherwise as `==`.
    @_disfavoredOverload
    public static func != (lhs: KeyPath, rhs: Value) -> ObjectPredicate<Root> {
        .init(StoredForm.differs(rhs, at: QueryExpression.path(of: lhs)))
    }

    /// Met where the attribute stores one of some values; otherwise as `==`.
    @_disfavoredOverload
    public func isIn(_ values: some Sequence<Value>) -> ObjectPredicate<Root> {
        .init(StoredForm.isIn(Array(values), at: QueryExpression.path(of: self)))
    }
}

extension Key where Value: Codable & Sendable & Equatable {
    /// Met where the attribute stores a value: an enumeration's raw value, or the same encoded bytes; `nil` for none.
    ///
    /// A value that contains a set, or a dictionary whose keys are no text, has no stable encoding: the fetch throws.
    @_disfavoredOverload
    public static func == (lhs: Key, rhs: Value?) -> QueryPredicate { StoredForm.equals(rhs, at: lhs.path) }

    /// Met where the attribute stores another value; otherwise as `==`.
    @_disfavoredOverload
    public static func != (lhs: Key, rhs: Value?) -> QueryPredicate { StoredForm.differs(rhs, at: lhs.path) }

    /// Met where the attribute stores one of some values; otherwise as `==`.
    @_disfavoredOverload
    public func isIn(_ values: some Sequence<Value>) -> QueryPredicate { StoredForm.isIn(Array(values), at: path) }
}

// A case of a Codable enumeration is stored as its raw value.
extension Key where Value: RawRepresentable & Codable & Sendable & Equatable, Value.RawValue: ValueConvertible {
    /// Met where the attribute keeps a case; for `nil` where it keeps none.
    @_disfavoredOverload
    public static func == (lhs: Key, rhs: Value?) -> QueryPredicate { Key<Value.RawValue>(lhs.path) == rhs?.rawValue }
    /// Met where the attribute keeps another case.
    @_disfavoredOverload
    public static func != (lhs: Key, rhs: Value?) -> QueryPredicate { Key<Value.RawValue>(lhs.path) != rhs?.rawValue }
    /// Met where the attribute keeps one of some cases.
    @_disfavoredOverload
    public func isIn(_ values: some Sequence<Value>) -> QueryPredicate { Key<Value.RawValue>(path).isIn(values.map(\.rawValue)) }
}

/// The stored form of a value whose type is only `Codable`.
private enum StoredForm {
    static func equals<V: Codable & Sendable>(_ value: V, at path: String) -> QueryPredicate {
        // The compiler may pick this for natively supported values; testing more values costs as much as a small fetch.
        if let plain = value as? any ValueConvertible { return QueryExpression.keyPath(path) == plain.value }
        if let composite = composite(value, at: path) { return composite }
        return condition([value], at: path)
    }

    static func differs<V: Codable & Sendable>(_ value: V, at path: String) -> QueryPredicate {
        if let composite = composite(value, at: path) { return !composite }
        return condition([value], at: path, isNegated: true)
    }

    static func isIn<V: Codable & Sendable>(_ values: [V], at path: String) -> QueryPredicate {
        let composites = values.compactMap { composite($0, at: path) }
        if !composites.isEmpty { return .or(composites) }
        return condition(values, at: path)
    }

    /// Returns the condition on the elements of a composite value, whichever operator was picked; `nil` for any other.
    private static func composite<V>(_ value: V, at path: String) -> QueryPredicate? {
        func equals<C: CompositeValue>(_ composite: C) -> QueryPredicate { Key<C>(path) == composite }
        return (unwrapped(value) as? any CompositeValue).map { equals($0) }
    }

    /// Returns the condition that an attribute stores one of some values, or none of them.
    private static func condition<V: Codable & Sendable>(_ values: [V], at path: String, isNegated: Bool = false) -> QueryPredicate {
        let (attribute, forms): (QueryExpression, [StrataModel.Value])
        do throws(QueryError) {
            var stored: [StrataModel.Value] = []
            for value in values { stored += try of(value) }
            (attribute, forms) = (.keyPath(path), stored)
        } catch {
            (attribute, forms) = (.keyPath(QueryError.placeholder(because: error.message)), [.null])
        }
        if values.count == 1 && forms.count == 1 { return isNegated ? attribute != forms[0] : attribute == forms[0] }
        let condition = QueryPredicate.comparison(.init(attribute, .isIn, .constant(.list(forms))))
        return isNegated ? !condition : condition
    }

    /// Returns the forms in which stores may have a value, at least one; throws where it cannot be queried.
    private static func of<V: Codable & Sendable>(_ value: V) throws(QueryError) -> [StrataModel.Value] {
        guard let present = unwrapped(value) else { return [.null] }
        if let raw = rawValue(present) { return [raw] }
        return try QueryExpression.storedForms(of: value)
    }

    private static func rawValue(_ value: Any) -> StrataModel.Value? {
        if let known = value as? any ValueConvertible { return known.value }
        return ((value as? any RawRepresentable)?.rawValue as? any ValueConvertible)?.value
    }
}
