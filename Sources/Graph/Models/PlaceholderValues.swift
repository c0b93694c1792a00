public import StrataModel
public import StrataQuery

/// The values that required attributes without a value read as.
@usableFromInline
enum PlaceholderValues {
    @usableFromInline
    static func placeholder<V: ValueConvertible>(_ key: Key<V>) -> V {
        for candidate in candidates { if let value = V(value: candidate) { return value } }
        if let first = SampleValues.samples(of: V.self).first { return first }
        programmerError("\(key.path) has no value and nothing to read as: give the property a default value, or make it an optional")
    }

    private static let candidates: [Value] =
        [
            "", 0, 0.0, false, .decimal(0), .date(Date(timeIntervalSinceReferenceDate: 0)), .data(Data()),
            .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
        ] + [URL(string: "about:blank")].compactMap { $0.map { .url($0) } }
}
