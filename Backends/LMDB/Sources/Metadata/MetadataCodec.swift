import FoundationEssentials
import StrataStore

/// The bytes of a store's metadata.
enum MetadataCodec {
    static func encode(_ metadata: StoreMetadata) -> [UInt8] {
        var writer = ByteWriter()
        writer.put(metadata.type.rawValue)
        writer.put(metadata.uuid)
        writer.put(metadata.versionHashes.count)
        for (name, hash) in metadata.versionHashes.sorted(by: { $0.key < $1.key }) {
            writer.put(name)
            writer.put(hash)
        }
        writer.put(metadata.versionIdentifiers.count)
        for identifier in metadata.versionIdentifiers { writer.put(identifier) }
        put(.dictionary(metadata.userInfo), &writer)
        return writer.sealed()
    }

    static func decode(_ bytes: UnsafeRawBufferPointer) throws(ByteReader.Damage) -> StoreMetadata {
        var reader = try ByteReader(sealed: bytes)
        let type = StoreType(rawValue: try reader.text())
        let uuid = try reader.text()
        var hashes: [String: [UInt8]] = [:]
        for _ in 0..<(try reader.count()) {
            let name = try reader.text()
            hashes[name] = try reader.content()
        }
        var identifiers: [String] = []
        for _ in 0..<(try reader.count()) { identifiers.append(try reader.text()) }
        guard case .dictionary(let userInfo) = try value(&reader, depth: 0), reader.isAtEnd else { throw ByteReader.Damage() }
        return StoreMetadata(type: type, uuid: uuid, versionHashes: hashes, versionIdentifiers: identifiers, userInfo: userInfo)
    }

    private static func put(_ value: PropertyListValue, _ writer: inout ByteWriter) {
        switch value {
        case .bool(let flag):
            writer.put(UInt8(0))
            writer.put(UInt8(flag ? 1 : 0))
        case .int(let number):
            writer.put(UInt8(1))
            writer.put(number)
        case .double(let number):
            writer.put(UInt8(2))
            writer.put(Int64(bitPattern: number.bitPattern))
        case .string(let text):
            writer.put(UInt8(3))
            writer.put(text)
        case .date(let date):
            writer.put(UInt8(4))
            writer.put(Int64(bitPattern: date.timeIntervalSinceReferenceDate.bitPattern))
        case .data(let data):
            writer.put(UInt8(5))
            writer.put(Array(data))
        case .array(let values):
            writer.put(UInt8(6))
            writer.put(values.count)
            for value in values { put(value, &writer) }
        case .dictionary(let values):
            writer.put(UInt8(7))
            writer.put(values.count)
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                writer.put(key)
                put(value, &writer)
            }
        }
    }

    private static func value(_ reader: inout ByteReader, depth: Int) throws(ByteReader.Damage) -> PropertyListValue {
        // More than any store is given to write, so that a file of an earlier version, which did not ask, still opens.
        guard depth < 512 else { throw ByteReader.Damage() }
        switch try reader.byte() {
        case 0: return .bool(try reader.byte() != 0)
        case 1: return .int(try reader.long())
        case 2: return .double(Double(bitPattern: UInt64(bitPattern: try reader.long())))
        case 3: return .string(try reader.text())
        case 4:
            let seconds = Double(bitPattern: UInt64(bitPattern: try reader.long()))
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case 5: return .data(Data(try reader.content()))
        case 6:
            var values: [PropertyListValue] = []
            for _ in 0..<(try reader.count()) { values.append(try value(&reader, depth: depth + 1)) }
            return .array(values)
        case 7:
            var values: [String: PropertyListValue] = [:]
            for _ in 0..<(try reader.count()) {
                let key = try reader.text()
                values[key] = try value(&reader, depth: depth + 1)
            }
            return .dictionary(values)
        default: throw ByteReader.Damage()
        }
    }
}
