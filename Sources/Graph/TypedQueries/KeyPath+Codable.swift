import FoundationEssentials
import StrataModel
public import StrataQuery

// Attributes of types that are only Codable, compared by what is kept of them. These operators are disfavoured, which the compiler does not
// always heed in long conditions: they compare a type that stores know as its own do.

extension KeyPath where Root: ManagedObject, Value: Codable & Sendable & Equatable {
    /// Met where the attribute keeps a value: a case of an enumeration with raw values, or one that is encoded to the same bytes; `nil` where
    /// it keeps none.
    ///
    /// A value that contains a set, or a dictionary whose keys are no text, is encoded otherwise each time: the fetch throws.
    @_disfavoredOverload
    public static func == (lhs: KeyPath, rhs: Value) -> ObjectPredicate<Root> {
        .init(lhs.attribute(for: [rhs]) == KeptValue.of(rhs))
    }

    /// Met where the attribute keeps another value; otherwise as `==`.
    @_disfavoredOverload
    public static func != (lhs: KeyPath, rhs: Value) -> ObjectPredicate<Root> {
        .init(lhs.attribute(for: [rhs]) != KeptValue.of(rhs))
    }

    /// Met where the attribute keeps one of some values; otherwise as `==`.
    @_disfavoredOverload
    public func isIn(_ values: some Sequence<Value>) -> ObjectPredicate<Root> {
        let values = Array(values)
        return .init(.comparison(.init(attribute(for: values), .isIn, .constant(.list(values.map { KeptValue.of($0) })))))
    }

    /// The attribute's path, or why one of the values cannot be asked for.
    private func attribute(for values: [Value]) -> QueryExpression {
        let refusal = values.lazy.compactMap { KeptValue.refusal(of: $0) }.first
        return .keyPath(refusal.map { QueryError.placeholder(because: $0) } ?? QueryExpression.path(of: self))
    }
}

/// What a store keeps of a value whose type is only `Codable`.
private enum KeptValue {
    static func of<V: Codable & Sendable>(_ value: V) -> StrataModel.Value {
        guard let present = unwrapped(value) else { return .null }
        return rawValue(present) ?? (try? bytes(value)).flatMap { $0 }.map { .data($0) } ?? .null
    }

    /// Why a value cannot be asked for; `nil` where it can.
    static func refusal<V: Codable & Sendable>(of value: V) -> String? {
        guard let present = unwrapped(value), rawValue(present) == nil else { return nil }
        if isUnordered(present) { return "a \(V.self) contains what is encoded in no fixed order, and cannot be asked for" }
        do { _ = try bytes(value) } catch { return "\(V.self) cannot be encoded: \(error)" }
        return nil
    }

    /// The bytes, the same for a value and for an optional of it.
    private static func bytes<V: Codable & Sendable>(_ value: V) throws -> Data? { try ValueTransformer.codable(V.self).data(from: value) }

    private static func rawValue(_ value: Any) -> StrataModel.Value? {
        if let known = value as? any ValueConvertible { return known.value }
        return ((value as? any RawRepresentable)?.rawValue as? any ValueConvertible)?.value
    }

    /// Whether a value contains a set, or a dictionary that is encoded as a list of its keys and values.
    private static func isUnordered(_ value: Any) -> Bool {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .set { return true }
        if mirror.displayStyle == .dictionary, !(value is [String: Any] || value is [Int: Any]), !mirror.children.isEmpty { return true }
        return mirror.children.contains { isUnordered($0.value) }
    }
}
