public import StrataModel

extension QueryExpression {
    /// Returns the forms in which stores may have a value whose type is only `Codable`, at least one.
    ///
    /// - Throws: `QueryError` where the value cannot be encoded, or contains a set, or a dictionary whose keys are no text:
    ///   these are encoded in no fixed order.
    public static func storedForms<V: Codable & Sendable>(of value: V) throws(QueryError) -> [Value] {
        let forms: [Data]
        do { forms = try ValueTransformer.storedForms(of: value) } catch { throw refusal(of: value, "cannot be encoded: \(error)") }
        if isUnordered(value) { throw refusal(of: value, "contains what is encoded in no fixed order, and cannot be asked for") }
        return forms.map { .data($0) }
    }

    private static func refusal(of value: Any, _ reason: String) -> QueryError {
        let mirror = Mirror(reflecting: value)
        let type = type(of: mirror.displayStyle == .optional ? mirror.children.first?.value ?? value : value)
        return QueryError(.typeMismatch, subject: "\(type)", "a value of the type \(type) \(reason)")
    }

    /// Returns whether a value contains a set, or a dictionary that is encoded as a list of its keys and values.
    private static func isUnordered(_ value: Any) -> Bool {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .set { return true }
        if let dictionary = value as? any KeyedByText, !type(of: dictionary).hasTextKeys, !mirror.children.isEmpty { return true }
        return mirror.children.contains { isUnordered($0.value) }
    }
}

/// A dictionary, which is encoded by its keys where these are texts, in the order of these.
private protocol KeyedByText {
    static var hasTextKeys: Bool { get }
}

extension Dictionary: KeyedByText {
    fileprivate static var hasTextKeys: Bool { Key.self is any CodingKeyRepresentable.Type }
}
