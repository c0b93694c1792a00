import StrataModel

/// Makes sample values of `Decodable` types: whatever is decoded has a value, and containers have few.
///
/// Values of distinct numbers differ where their type allows it. A type that refuses the samples has none.
struct SampleDecoder: Decoder {
    private var number: Int
    /// The number of containers around the value: recursive types end by it.
    private var depth = 0
    /// The number of values in a list: of a set, whose order is not fixed, one; else two, which differ.
    private var memberCount = 2

    let codingPath: [any CodingKey] = []
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    private init(number: Int) { self.number = number }

    /// Returns some values of a type, in which some may be equal; none where none is known.
    static func samples<V>(of type: V.Type) -> [V] {
        var samples: [V] = []
        // A type that checks what it decodes takes few of them.
        for number in 0..<32 where samples.count < 5 {
            if let sample = try? SampleDecoder(number: number).sample(type) { samples.append(sample) }
        }
        return samples
    }

    private var isDeep: Bool { depth > 3 }

    private func sample<T>(_ type: T.Type) throws -> T {
        func native<N: ValueConvertible>(_ type: N.Type) -> T? { pick(SampleValues.samples(of: type)) as? T }
        if let type = type as? any ValueConvertible.Type, let value = native(type) { return value }
        if let type = type as? any FixedWidthInteger.Type, let value = type.init(truncatingIfNeeded: number) as? T { return value }
        if let value = pick(EnumerationCases.cases(of: type)) { return value }
        var inner = self
        inner.depth += 1
        inner.memberCount = type is any SetAlgebra.Type ? 1 : 2
        guard depth < 16, let type = type as? any Decodable.Type, let value = try type.init(from: inner) as? T else { throw refusal }
        return value
    }

    private func pick<V>(_ values: [V]) -> V? { values.isEmpty ? nil : values[number % values.count] }

    private var refusal: DecodingError { .dataCorrupted(.init(codingPath: [], debugDescription: "no sample")) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Keyed<Key>(decoder: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer { Unkeyed(decoder: self) }
    func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }

    private struct Single: SingleValueDecodingContainer {
        let decoder: SampleDecoder
        var codingPath: [any CodingKey] { [] }

        func decodeNil() -> Bool { decoder.isDeep }
        func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.sample(type) }
    }

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: SampleDecoder
        var codingPath: [any CodingKey] { [] }

        /// A case of an enumeration, or a key of a dictionary, whose keys may be numbers.
        var allKeys: [Key] {
            let key = decoder.isDeep ? nil : Key(stringValue: "\(decoder.number)")
            return [decoder.pick(EnumerationCases.cases(of: Key.self)) ?? key].compactMap(\.self)
        }

        func contains(_ key: Key) -> Bool { true }
        func decodeNil(forKey key: Key) -> Bool { decoder.isDeep }
        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try decoder.sample(type) }

        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedDecodingContainer<Nested> {
            decoder.container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { decoder.unkeyedContainer() }
        func superDecoder() -> any Decoder { decoder }
        func superDecoder(forKey key: Key) -> any Decoder { decoder }
    }

    /// A list, or a dictionary whose keys are not text, which is decoded from pairs.
    private struct Unkeyed: UnkeyedDecodingContainer {
        let decoder: SampleDecoder
        var codingPath: [any CodingKey] { [] }
        var currentIndex = 0
        var count: Int? { decoder.isDeep ? 0 : decoder.memberCount }
        var isAtEnd: Bool { currentIndex >= count ?? 0 }

        init(decoder: SampleDecoder) { self.decoder = decoder }

        mutating func decodeNil() -> Bool { false }

        mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
            var member = decoder
            member.number += currentIndex
            currentIndex += 1
            return try member.sample(type)
        }

        mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedDecodingContainer<Nested> {
            currentIndex += 1
            return decoder.container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer {
            currentIndex += 1
            return decoder.unkeyedContainer()
        }

        func superDecoder() -> any Decoder { decoder }
    }
}
