import FoundationEssentials
import StrataModel
import StrataStore

/// What is in a file, as `Codable` writes and reads it: everything by name, so that the file explains itself.
struct JSONFile: Codable {
    /// What the store says about itself.
    struct Header: Codable {
        var type: String
        var storeID: StoreID
        var versionHashes: [String: Data]
        var versionIdentifiers: [String]
        var userInfo: [String: JSONValue]
    }

    /// The rows of an entity's hierarchy, and the greatest reference that was ever given out in it.
    struct Hierarchy: Codable {
        var lastReference: Int64
        var objects: [Object]
    }

    /// A row.
    struct Object: Codable {
        var entity: String
        var reference: Int64
        var version: UInt32
        /// The content of every slot that holds something, as text.
        var values: [String: String] = [:]
        /// The names of the files of values that lie in files of their own.
        var files: [String: String] = [:]
    }

    /// A pair of a many-to-many relationship.
    struct Pair: Codable {
        var first: Int64
        var second: Int64
        var orderInFirst: OrderKey?
        var orderInSecond: OrderKey?
    }

    var store: Header
    /// By the name of the root entity.
    var hierarchies: [String: Hierarchy] = [:]
    /// By the names of the relationship's entity and of the relationship.
    var links: [String: [Pair]] = [:]
}

extension JSONFile.Header {
    init(_ metadata: StoreMetadata) {
        type = metadata.type.rawValue
        storeID = metadata.storeID
        versionHashes = metadata.versionHashes.mapValues { Data($0) }
        versionIdentifiers = metadata.versionIdentifiers
        userInfo = metadata.userInfo.mapValues { JSONValue($0) }
    }

    func metadata() throws -> StoreMetadata {
        StoreMetadata(
            type: StoreType(rawValue: type), storeID: storeID, versionHashes: versionHashes.mapValues { Array($0) },
            versionIdentifiers: versionIdentifiers,
            userInfo: try userInfo.mapValues { try $0.value(room: StoreMetadata.greatestNestingRead) })
    }
}

/// A value of a property list: JSON has neither dates nor bytes, and does not tell whole numbers from others.
indirect enum JSONValue: Codable {
    case bool(Bool)
    case int(Int64)
    case double(String)
    case string(String)
    case date(String)
    case data(Data)
    case array([JSONValue])
    case dictionary([String: JSONValue])

    init(_ value: PropertyListValue) {
        self =
            switch value {
            case .bool(let flag): .bool(flag)
            case .int(let number): .int(number)
            case .double(let number): .double("\(number)")
            case .string(let text): .string(text)
            case .date(let date): .date("\(date.timeIntervalSinceReferenceDate)")
            case .data(let data): .data(data)
            case .array(let values): .array(values.map { JSONValue($0) })
            case .dictionary(let values): .dictionary(values.mapValues { JSONValue($0) })
            case .uid(let uid): JSONValue(.dictionary(ofUID: uid))
            }
    }

    func value(room: Int) throws -> PropertyListValue {
        switch self {
        case .bool(let flag): return .bool(flag)
        case .int(let number): return .int(number)
        case .double(let text): return .double(try number(text))
        case .string(let text): return .string(text)
        case .date(let text): return .date(Date(timeIntervalSinceReferenceDate: try number(text)))
        case .data(let data): return .data(data)
        case .array(let values): return .array(try values.map { try $0.value(room: below(room)) })
        case .dictionary(let values): return .dictionary(try values.mapValues { try $0.value(room: below(room)) })
        }
    }

    private func below(_ room: Int) throws -> Int {
        guard room > 0 else { throw JSONCodec.Malformed() }
        return room - 1
    }

    private func number(_ text: String) throws -> Double {
        guard let number = Double(text) else { throw JSONCodec.Malformed() }
        return number
    }
}
