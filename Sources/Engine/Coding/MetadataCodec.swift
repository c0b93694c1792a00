/// The coding of metadata as bytes: type, ID, hashes, identifiers and user info, as tags and values.
public struct MetadataCodec<Length: FixedWidthInteger & Sendable>: Sendable {
    /// The coding of a truth value.
    public enum Truth: Sendable {
        /// A tag for each of the two.
        case asTag
        /// One tag, and a byte.
        case asByte
    }

    private let truth: Truth

    /// Creates a codec with the width of lengths that its type has.
    public init(truth: Truth) { self.truth = truth }

    /// The kinds of values; tags are numbered in this order, those of truth values first.
    private enum Kind: UInt8 {
        case int, double, string, date, data, array, dictionary
    }

    /// Writes metadata.
    ///
    /// - Throws: `StoreError` with `tooLarge` where they could not be read, see `StoreMetadata.greatestNestingRead`.
    public func write(_ metadata: StoreMetadata, to writer: inout ByteWriter<Length>) throws(StoreError) {
        try metadata.checkNesting(atMost: StoreMetadata.greatestNestingRead, .save, path: nil)
        writer.put(text: metadata.type.rawValue)
        writer.put(text: metadata.storeID.rawValue)
        writer.put(count: metadata.versionHashes.count)
        for (name, hash) in MetadataCodec.sorted(metadata.versionHashes) {
            writer.put(text: name)
            writer.put(content: hash)
        }
        writer.put(count: metadata.versionIdentifiers.count)
        for identifier in metadata.versionIdentifiers { writer.put(text: identifier) }
        write(.dictionary(metadata.userInfo), to: &writer)
    }

    /// Reads metadata, leaving the bytes after them.
    ///
    /// - Throws: `MalformedBytes` where they are truncated, nested too deep, or malformed.
    public func read(_ reader: inout ByteReader<Length>) throws(MalformedBytes) -> StoreMetadata {
        let type = StoreType(rawValue: try reader.text())
        var metadata = StoreMetadata(type: type, storeID: StoreID(try reader.text()), versionHashes: [:])
        for _ in 0..<(try reader.count(ofSize: 2 * MemoryLayout<Length>.size)) {
            let name = try reader.text()
            metadata.versionHashes[name] = unsafe Array(try reader.content())
        }
        for _ in 0..<(try reader.count(ofSize: MemoryLayout<Length>.size)) { metadata.versionIdentifiers.append(try reader.text()) }
        guard case .dictionary(let values) = try value(&reader, room: StoreMetadata.greatestNestingRead + 1) else { throw MalformedBytes() }
        metadata.userInfo = values
        return metadata
    }

    private var firstTag: UInt8 { truth == .asTag ? 2 : 1 }

    private func write(_ value: PropertyListValue, to writer: inout ByteWriter<Length>) {
        func put(_ kind: Kind) { writer.put(kind.rawValue + firstTag) }
        switch value {
        case .bool(let flag):
            if truth == .asByte { writer.put(UInt8(0)) }
            writer.put(UInt8(flag ? 1 : 0))
        case .int(let number):
            put(.int)
            writer.put(number)
        case .double(let number):
            put(.double)
            writer.put(number.bitPattern)
        case .string(let text):
            put(.string)
            writer.put(text: text)
        case .date(let date):
            put(.date)
            writer.put(date.timeIntervalSinceReferenceDate.bitPattern)
        case .data(let data):
            put(.data)
            writer.put(content: data)
        case .array(let values):
            put(.array)
            writer.put(count: values.count)
            for value in values { write(value, to: &writer) }
        case .dictionary(let values):
            put(.dictionary)
            writer.put(count: values.count)
            for (key, value) in MetadataCodec.sorted(values) {
                writer.put(text: key)
                write(value, to: &writer)
            }
        case .uid(let uid): write(.dictionary(ofUID: uid), to: &writer)
        }
    }

    /// - Parameter room: The number of levels that may still be nested.
    private func value(_ reader: inout ByteReader<Length>, room: Int) throws(MalformedBytes) -> PropertyListValue {
        let tag = try reader.byte()
        if tag < firstTag { return .bool(try truth == .asTag ? tag != 0 : reader.byte() != 0) }
        guard let kind = Kind(rawValue: tag - firstTag) else { throw MalformedBytes() }
        switch kind {
        case .int: return .int(try reader.number())
        case .double: return .double(Double(bitPattern: try reader.number()))
        case .string: return .string(try reader.text())
        case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: try reader.number())))
        case .data: return unsafe .data(Data(try reader.content()))
        case .array:
            guard room > 0 else { throw MalformedBytes() }
            var values: [PropertyListValue] = []
            for _ in 0..<(try reader.count()) { values.append(try value(&reader, room: room - 1)) }
            return .array(values)
        case .dictionary:
            guard room > 0 else { throw MalformedBytes() }
            var values: [String: PropertyListValue] = [:]
            for _ in 0..<(try reader.count(ofSize: MemoryLayout<Length>.size + 1)) {
                let key = try reader.text()
                values[key] = try value(&reader, room: room - 1)
            }
            return .dictionary(values)
        }
    }

    /// Sorts keys, so that equal metadata have equal bytes.
    private static func sorted<Value>(_ values: [String: Value]) -> [(key: String, value: Value)] {
        values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
}
