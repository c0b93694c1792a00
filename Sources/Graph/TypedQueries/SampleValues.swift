import StrataModel

/// The sample values of a probe's attributes: of each type some that a computed property would change.
enum SampleValues {
    /// Returns distinct values of a type; none where none is known.
    static func samples<V: ValueConvertible>(of type: V.Type) -> [V] {
        if let type = type as? any CaseIterable.Type {
            let cases = allCases(type).compactMap { $0 as? V }
            if !cases.isEmpty { return cases }
        }
        let made = candidates.compactMap { candidate in
            // Only what is held exactly is read back as the same value.
            V(value: candidate).flatMap { $0.value == candidate ? $0 : nil }
        }
        return made.isEmpty ? EnumerationCases.cases(of: type) : made
    }

    static func cases<V: RawRepresentable>(of type: V.Type) -> [V] where V.RawValue: ValueConvertible {
        let made = samples(of: V.RawValue.self).compactMap { V(rawValue: $0) }
        return made.isEmpty ? EnumerationCases.cases(of: type) : made
    }

    /// Returns distinct values as an attribute stores them: natively, by raw values, or by a transformer.
    static func stored<V>(_ type: V.Type, _ transformer: ValueTransformer?) -> [Value] {
        func native<N: ValueConvertible>(_ type: N.Type) -> [Value] { samples(of: type).map(\.value) }
        if let type = type as? any ValueConvertible.Type { return native(type) }
        let values = SampleDecoder.samples(of: type)
        if transformer == nil { return values.compactMap { ($0 as? any RawRepresentable)?.rawValue as? any ValueConvertible }.map(\.value) }
        // A form that is another one when it was read, as by a decoder that changes what it reads, recognises no element.
        let forms = values.compactMap { try? transformer?.data(from: $0) }.filter { form in
            (try? transformer.flatMap { try $0.data(from: try $0.value(from: form)) }) == form
        }
        return forms.indices.filter { forms.firstIndex(of: forms[$0]) == $0 }.map { .data(forms[$0]) }
    }

    private static func allCases<C: CaseIterable>(_ type: C.Type) -> [Any] { Array(type.allCases) }

    private static let candidates: [Value] =
        [1_234_567, -7_654_321, 29_876, -12_345, 101, -101].map { .int($0) } + (-1...16).map { .int($0) }
        + [1234.5625, -0.015625, 3.5e10, -77.75, 0, 0.5].map { .double($0) }
        + [Decimal(1_234_567) / 1000, Decimal(-3) / 8, 0].map { .decimal($0) }
        + [
            " \tÜnï-Côde ß, Mixed 42 \u{1F600} e\u{301}\n" + String(repeating: "long ", count: 60), "", "a", "B", "0", "-1.5", "true",
            "someone@example.org", "https://example.org/Path?q=1#f", "2001-01-01", "00000000-0000-4000-8000-00000000000A",
        ].map { .string($0) }
        + [-1_000_000_000.125, 700_000_000.5, 0].map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        + [Data([0, 255, 1, 128, 10]), Data()].map { .data($0) }
        + [UInt8(1), 2, 3, 4].map { .uuid(UUID(uuid: ($0, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10, 11, 12, 13, 14, 15, 16))) }
        + [URL(string: "https://example.org/A/b?c=D#e"), URL(string: "file:///tmp/x")].compactMap { $0.map { .url($0) } }
        + [.bool(true), .bool(false)]
}

/// The cases of an enumeration that does not list them.
enum EnumerationCases {
    /// Returns whether a value is the raw value of a case; `nil` where that is unknown.
    static func contains<V: RawRepresentable>(_ value: Value, _ type: V.Type) -> Bool? {
        guard let rawType = V.RawValue.self as? any ValueConvertible.Type else { return nil }
        guard let raw = rawType.init(value: value) as? V.RawValue else { return false }
        return V(rawValue: raw) != nil
    }

    /// Returns the cases of an enumeration without payloads whose values fill one byte; none for any other type.
    static func cases<V>(of type: V.Type) -> [V] {
        guard V.self is any RawRepresentable.Type || V.self is any CodingKey.Type, MemoryLayout<V>.size <= 1, let count = caseCount(type)
        else { return [] }
        // An enumeration of one case has no bits to be wrong; the cases of any other are the bytes from 0 up to their number.
        if MemoryLayout<V>.size == 0 { return unsafe count == 1 ? [unsafeBitCast((), to: V.self)] : [] }
        return (0..<min(count, 24)).map { unsafe unsafeBitCast(UInt8($0), to: V.self) }
    }

    /// Returns the number of cases, by the type's metadata: raw values may be any strings.
    ///
    /// The layout is fixed by Swift's ABI: kind 0x201 is an enumeration's, and its descriptor has the numbers of cases
    /// with and without payload in its sixth and seventh words.
    private static func caseCount(_ type: Any.Type) -> Int? {
        // A type's value is the address of its metadata, which are never freed.
        let metadata = unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
        guard unsafe metadata.load(as: UInt.self) == 0x201 else { return nil }
        let descriptor = unsafe metadata.load(fromByteOffset: MemoryLayout<UInt>.size, as: UnsafeRawPointer.self)
        guard unsafe descriptor.load(fromByteOffset: 20, as: UInt32.self) & 0xFF_FFFF == 0 else { return nil }
        return unsafe Int(descriptor.load(fromByteOffset: 24, as: UInt32.self))
    }
}
