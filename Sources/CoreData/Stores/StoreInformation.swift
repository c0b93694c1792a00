import StrataModel
import StrataSQLite
import StrataStore
import StrataXML

/// Metadata as dictionaries, with Core Data's keys.
enum StoreInformation {
    static func dictionary(of metadata: StoreMetadata) -> [String: Any] {
        var information: [String: Any] = metadata.userInfo.mapValues { plain($0) }
        // Of a store of Core Data's it may be made of the tables.
        information[StoreMetadata.historyKey] = nil
        information[NSStoreTypeKey] = metadata.type.rawValue
        information[NSStoreUUIDKey] = metadata.storeID.description
        information[NSStoreModelVersionHashesKey] = metadata.versionHashes.mapValues { Data($0) }
        information[NSStoreModelVersionIdentifiersKey] = metadata.versionIdentifiers
        if !metadata.isForeign { information.merge(metadata.digests.mapValues { plain($0) }) { $1 } }
        return information
    }

    /// Returns the part of a dictionary that a model is compared with; `nil` if it has no version hashes.
    static func versions(in information: [String: Any]) -> StoreMetadata? {
        guard let hashes = information[NSStoreModelVersionHashesKey] as? [String: Data] else { return nil }
        var metadata = StoreMetadata(
            type: StoreType(rawValue: information[NSStoreTypeKey] as? String ?? ""), storeID: "",
            versionHashes: hashes.mapValues { Array($0) })
        metadata.holdsWholeModel = [.sqlite, .xml].contains(metadata.type)
        metadata.userInfo = (try? userInfo(of: information.filter { StoreMetadata.ownKeys.contains($0.key) })) ?? [:]
        return metadata
    }

    /// Returns the application's part of metadata; throws `wrongValue` for values that no property list holds.
    static func userInfo(of information: [String: Any]) throws -> [String: PropertyListValue] {
        let own = information.filter { !StoreMetadata.coreDataKeys.contains($0.key) }
        return try own.mapValues { try value($0) }
    }

    private static func plain(_ value: PropertyListValue) -> Any {
        switch value {
        case .bool(let value): NSNumber(value: value)
        case .int(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .string(let value): value
        case .date(let value): value
        case .data(let value): value
        case .array(let values): values.map(plain)
        case .dictionary(let values): values.mapValues(plain)
        case .uid(let uid): plain(.dictionary(ofUID: uid))
        }
    }

    private static func value(_ plain: Any) throws -> PropertyListValue {
        switch Boxing.unboxed(plain, nil) {
        case let value as Bool: return .bool(value)
        case let value as Int64: return .int(value)
        case let value as any BinaryInteger: if let exact = Int64(exactly: value) { return .int(exact) }
        case let value as Double: return .double(value)
        case let value as Float: return .double(Double(value))
        case let value as String: return .string(value)
        case let value as Date: return .date(value)
        case let value as Data: return .data(value)
        case let values as [Any]: return .array(try values.map(value))
        case let values as [String: Any]: return .dictionary(try values.mapValues(value))
        case let values as NSArray: return .array(try values.map { try value($0) })
        default: break
        }
        throw StoreError(.wrongValue, .access, "metadata hold property lists, not a value of type \(type(of: plain))")
    }
}
