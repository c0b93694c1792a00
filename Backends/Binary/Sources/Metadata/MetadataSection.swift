import FoundationEssentials
import StrataStore

/// How metadata are bytes: a property list as tags, lengths and values.
enum MetadataSection {
    private static let maximumDepth = 100

    private enum Tag: UInt8 {
        case no, yes, int, double, string, date, data, array, dictionary
    }

    static func write(_ metadata: StoreMetadata, to writer: inout ByteWriter) throws {
        writer.put(text: metadata.type.rawValue)
        writer.put(text: metadata.uuid)
        writer.put(UInt32(metadata.versionHashes.count))
        for (name, hash) in metadata.versionHashes.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            writer.put(text: name)
            writer.put(UInt32(hash.count))
            writer.put(hash)
        }
        writer.put(UInt32(metadata.versionIdentifiers.count))
        for identifier in metadata.versionIdentifiers { writer.put(text: identifier) }
        try write(.dictionary(metadata.userInfo), depth: 0, to: &writer)
    }

    static func read(_ reader: inout ByteReader) throws(ByteReader.Malformed) -> StoreMetadata {
        let type = StoreType(rawValue: try reader.text())
        var metadata = StoreMetadata(type: type, uuid: try reader.text(), versionHashes: [:])
        for _ in 0..<(try reader.count(ofSize: 8)) {
            let name = try reader.text()
            metadata.versionHashes[name] = Array(try reader.take(reader.count(ofSize: 1)))
        }
        for _ in 0..<(try reader.count(ofSize: 4)) { metadata.versionIdentifiers.append(try reader.text()) }
        guard case .dictionary(let values) = try value(&reader, depth: 0) else { throw ByteReader.Malformed() }
        metadata.userInfo = values
        try reader.end()
        return metadata
    }

    private static func write(_ value: PropertyListValue, depth: Int, to writer: inout ByteWriter) throws {
        guard depth <= maximumDepth else { throw StoreError(.tooLarge, .save, "the metadata are nested too deeply") }
        func put(_ tag: Tag) { writer.put(tag.rawValue) }
        switch value {
        case .bool(let flag): put(flag ? .yes : .no)
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
            writer.put(UInt32(truncatingIfNeeded: data.count))
            writer.put(data)
        case .array(let values):
            put(.array)
            writer.put(UInt32(truncatingIfNeeded: values.count))
            for value in values { try write(value, depth: depth + 1, to: &writer) }
        case .dictionary(let values):
            put(.dictionary)
            writer.put(UInt32(truncatingIfNeeded: values.count))
            for (key, value) in values.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                writer.put(text: key)
                try write(value, depth: depth + 1, to: &writer)
            }
        }
    }

    private static func value(_ reader: inout ByteReader, depth: Int) throws(ByteReader.Malformed) -> PropertyListValue {
        guard depth <= maximumDepth, let tag = Tag(rawValue: try reader.byte()) else { throw ByteReader.Malformed() }
        switch tag {
        case .no: return .bool(false)
        case .yes: return .bool(true)
        case .int: return .int(try reader.number())
        case .double: return .double(Double(bitPattern: try reader.number()))
        case .string: return .string(try reader.text())
        case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: try reader.number())))
        case .data: return .data(Data(try reader.take(reader.count(ofSize: 1))))
        case .array:
            var values: [PropertyListValue] = []
            for _ in 0..<(try reader.count(ofSize: 1)) { values.append(try value(&reader, depth: depth + 1)) }
            return .array(values)
        case .dictionary:
            var values: [String: PropertyListValue] = [:]
            for _ in 0..<(try reader.count(ofSize: 5)) {
                let key = try reader.text()
                values[key] = try value(&reader, depth: depth + 1)
            }
            return .dictionary(values)
        }
    }
}
