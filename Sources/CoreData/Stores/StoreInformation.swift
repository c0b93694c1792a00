import StrataModel
import StrataStore

/// Metadata as dictionaries, with Core Data's keys.
enum StoreInformation {
    /// - Parameter path: The file that the metadata were read from.
    static func dictionary(of metadata: StoreMetadata, at path: String? = nil) -> [String: Any] {
        var information: [String: Any] = metadata.userInfo.mapValues { plain($0) }
        information[NSStoreTypeKey] = metadata.type.rawValue
        information[NSStoreUUIDKey] = metadata.storeID.description
        information[NSStoreModelVersionHashesKey] = metadata.versionHashes.mapValues { Data($0) }
        information[NSStoreModelVersionIdentifiersKey] = metadata.versionIdentifiers
        if metadata.isForeign { information[ForeignMetadata.pathKey] = path }
        return information
    }

    /// Returns the application's part of metadata; throws `wrongValue` for values that no property list holds.
    static func userInfo(of information: [String: Any]) throws -> [String: PropertyListValue] {
        let own = information.filter { !StoreMetadata.coreDataKeys.contains($0.key) && $0.key != ForeignMetadata.pathKey }
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

/// Metadata of a store that Core Data itself wrote, whose columns identify its model, as its hashes are Apple's.
struct ForeignMetadata {
    static let pathKey = "StrataStorePath"

    private let store: StoreDescription
    private let metadata: StoreMetadata

    /// `nil` for metadata of other stores, and if the store does not exist.
    init?(_ information: [String: Any]) {
        guard information[StoreMetadata.writerKey] == nil, let path = information[ForeignMetadata.pathKey] as? String,
            let type = information[NSStoreTypeKey] as? String, let driver = try? StoreKinds.driver(type, [:]),
            let metadata = try? driver.metadata(at: path), metadata.isForeign
        else { return nil }
        store = StoreDescription(driver, path: path)
        self.metadata = metadata
    }

    /// Returns whether the store opens with a model's configuration.
    func isMade(with model: NSManagedObjectModel, configuration: String? = nil) -> Bool {
        guard let model = try? model.declared() else { return false }
        var store = store
        store.configuration = configuration
        return (try? store.isMade(with: model, metadata)) ?? false
    }
}
