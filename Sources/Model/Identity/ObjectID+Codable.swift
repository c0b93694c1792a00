extension CodingUserInfoKey {
    /// The ``ManagedObjectModel`` with the entities of decoded object IDs, also within predicates and expressions.
    ///
    /// Without one, predicates and expressions contain casts of the URIs instead, and a single ID cannot be decoded.
    public static let queryModel = CodingUserInfoKey(rawValue: "StrataQuery.model")
}

/// Coded as its URI. With this a `#Predicate` captures object IDs.
extension ObjectID: Codable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(uriRepresentation)
    }

    /// Decodes the URI of an ID.
    ///
    /// - Throws: `DecodingError` if `userInfo` has no model under `queryModel`, or the text is no URI of its objects.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let model = CodingUserInfoKey.queryModel.flatMap({ decoder.userInfo[$0] as? ManagedObjectModel }) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "userInfo has no managed object model")
        }
        guard let id = ObjectID(uriRepresentation: text, in: model) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\(text.excerpt(200)) is no URI of an object of the model")
        }
        self = id
    }
}

extension ObjectID: ValueConvertible {
    /// The ID as a reference.
    public var value: Value { .objectID(self) }
    /// Creates the ID in a query's constant; `nil` for any other value.
    public init?(value: Value) { if case .objectID(let id) = value { self = id } else { return nil } }
}
