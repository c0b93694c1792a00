extension KeyedEncodingContainer {
    mutating func encode<T: Encodable & Equatable>(_ value: T, unless usual: T, forKey key: Key) throws {
        if value != usual { try encode(value, forKey: key) }
    }
}

extension KeyedDecodingContainer {
    /// Decodes a value, or returns the default if it is missing.
    func decode<T: Decodable>(forKey key: Key, else usual: T) throws -> T { try decodeIfPresent(T.self, forKey: key) ?? usual }
}
