import StrataStore

/// The part of a file before the objects.
struct StoreInformation {
    var storeID: StoreID?
    /// The highest number of an object.
    var lastNumber: Int64 = 0
    var metadata: PropertyListValue?
    /// The offsets of objects' numbers, see ``ObjectNumbers``.
    var numberOffsets: [String: Int64] {
        guard case .dictionary(let values)? = metadata, case .dictionary(let offsets)? = values[ObjectNumbers.key] else { return [:] }
        return offsets.compactMapValues { if case .int(let offset) = $0 { offset } else { nil } }.filter { $0.value >= 0 }
    }

    static let hashesKey = "NSStoreModelVersionHashes"
    static let hashesVersionKey = "NSStoreModelVersionHashesVersion"
    static let identifiersKey = "NSStoreModelVersionIdentifiers"
    /// The default version of the hashes in the metadata.
    static let hashesVersion: Int64 = 3

    /// Returns the metadata of the store.
    ///
    /// - Throws: `StoreError` with `corrupt` if they are malformed.
    func storeMetadata(_ type: StoreType, _ errors: XMLErrors) throws(StoreError) -> StoreMetadata {
        guard let storeID, !storeID.rawValue.isEmpty else { throw errors.corrupt("the metadata are malformed") }
        var metadata = StoreMetadata(type: type, storeID: storeID, versionHashes: [:])
        metadata.holdsWholeModel = true
        guard let value = self.metadata else { return metadata }
        guard case .dictionary(var values) = value else { throw errors.corrupt("the metadata are malformed") }
        if let hashes = values.removeValue(forKey: StoreInformation.hashesKey) {
            let message = "the version hashes in the metadata are malformed"
            guard case .dictionary(let hashes) = hashes else { throw errors.corrupt(message) }
            for (name, hash) in hashes {
                guard case .data(let bytes) = hash else { throw errors.corrupt(message, entity: name) }
                metadata.versionHashes[name] = [UInt8](bytes)
            }
            if values[StoreInformation.hashesVersionKey] == .int(StoreInformation.hashesVersion) {
                values[StoreInformation.hashesVersionKey] = nil
            }
        }
        if case .array(let identifiers)? = values[StoreInformation.identifiersKey] {
            let texts = identifiers.compactMap { if case .string(let text) = $0 { text } else { nil } }
            if texts.count == identifiers.count {
                metadata.versionIdentifiers = texts
                values[StoreInformation.identifiersKey] = nil
            }
        }
        values[ObjectNumbers.key] = nil
        if values[StoreMetadata.writerKey] != nil {
            values[StoreMetadata.digestKey] = nil
            values[StoreMetadata.checksumKey] = nil
        }
        metadata.userInfo = values
        return metadata
    }

    /// Returns the property list of the metadata; `nil` if it is empty.
    static func propertyList(_ metadata: StoreMetadata, _ numberOffsets: [String: Int64]) -> [String: PropertyListValue]? {
        var values = metadata.userInfo
        values[ObjectNumbers.key] = numberOffsets.isEmpty ? nil : .dictionary(numberOffsets.mapValues { .int($0) })
        if !metadata.versionHashes.isEmpty {
            values[hashesKey] = .dictionary(metadata.versionHashes.mapValues { .data(Data($0)) })
            if values[hashesVersionKey] == nil { values[hashesVersionKey] = .int(hashesVersion) }
            // Older versions of Core Data wrote no digests, and a store keeps being of its version.
            for (key, digest) in metadata.digests where !metadata.isForeign || values[key] != nil { values[key] = digest }
        }
        if !metadata.versionIdentifiers.isEmpty || !metadata.versionHashes.isEmpty {
            values[identifiersKey] = values[identifiersKey] ?? .array(metadata.versionIdentifiers.map { .string($0) })
        }
        return values.isEmpty ? nil : values
    }
}
