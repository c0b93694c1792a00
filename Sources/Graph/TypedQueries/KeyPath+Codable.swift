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
        let forms = of(value)
        return forms.count == 1 ? attribute(path, for: [value]) == forms[0] : isIn([value], at: path)
    }

    static func differs<V: Codable & Sendable>(_ value: V, at path: String) -> QueryPredicate {
        if let composite = composite(value, at: path) { return !composite }
        let forms = of(value)
        return forms.count == 1 ? attribute(path, for: [value]) != forms[0] : !isIn([value], at: path)
    }

    static func isIn<V: Codable & Sendable>(_ values: [V], at path: String) -> QueryPredicate {
        let composites = values.compactMap { composite($0, at: path) }
        if !composites.isEmpty { return .or(composites) }
        return .comparison(.init(attribute(path, for: values), .isIn, .constant(.list(values.flatMap { of($0) }))))
    }

    /// Returns the condition on the elements of a composite value, whichever operator was picked; `nil` for any other.
    private static func composite<V>(_ value: V, at path: String) -> QueryPredicate? {
        func equals<C: CompositeValue>(_ composite: C) -> QueryPredicate { .equals(composite, at: path) }
        return (unwrapped(value) as? any CompositeValue).map { equals($0) }
    }

    /// Returns an attribute by its path, or by the reason why a value cannot be queried.
    private static func attribute<V: Codable & Sendable>(_ path: String, for values: [V]) -> QueryExpression {
        let refusal = values.lazy.compactMap { StoredForm.refusal(of: $0) }.first
        return .keyPath(refusal.map { QueryError.placeholder(because: $0) } ?? path)
    }

    /// Returns the forms in which stores may have a value, at least one.
    private static func of<V: Codable & Sendable>(_ value: V) -> [StrataModel.Value] {
        guard let present = unwrapped(value) else { return [.null] }
        if let raw = rawValue(present) { return [raw] }
        return (try? ValueTransformer.storedForms(of: value))?.map { .data($0) } ?? [.null]
    }

    /// Returns the reason why a value cannot be queried; `nil` where it can.
    private static func refusal<V: Codable & Sendable>(of value: V) -> String? {
        guard let present = unwrapped(value), rawValue(present) == nil else { return nil }
        if isUnordered(present) { return "a \(V.self) contains what is encoded in no fixed order, and cannot be asked for" }
        do { _ = try ValueTransformer.storedForms(of: value) } catch { return "\(V.self) cannot be encoded: \(error)" }
        return nil
    }

    private static func rawValue(_ value: Any) -> StrataModel.Value? {
        if let known = value as? any ValueConvertible { return known.value }
        return ((value as? any RawRepresentable)?.rawValue as? any ValueConvertible)?.value
    }

    /// Returns whether a value contains a set, or a dictionary that is encoded as a list of its keys and values.
    private static func isUnordered(_ value: Any) -> Bool {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .set { return true }
        if mirror.displayStyle == .dictionary, !(value is [String: Any] || value is [Int: Any]), !mirror.children.isEmpty { return true }
        return mirror.children.contains { isUnordered($0.value) }
    }
}
