import Synchronization

/// The metadata of a store.
public struct StoreMetadata: Sendable, Hashable {
    /// The kind of store.
    public var type: StoreType
    /// The ID of the store: an upper-case UUID in those that Strata makes.
    public var storeID: StoreID
    /// The version hash of each entity in the model that the store was made with: Core Data's.
    ///
    /// Earlier versions of Strata hashed in another way: their stores get Core Data's hashes with the next save.
    public var versionHashes: [String: [UInt8]]
    /// The application's identifiers of the model's version.
    public var versionIdentifiers: [String]
    /// Values of the application, and of other software.
    public var userInfo: [String: PropertyListValue]
    /// Whether stores of the kind hold all entities of the model, as those of Core Data do in its SQLite and XML formats: a configuration only
    /// selects what is stored.
    ///
    /// No store keeps it: the driver sets it in what it reads. The default is false.
    public var holdsWholeModel = false

    /// Creates the metadata of an existing store.
    public init(
        type: StoreType, storeID: StoreID, versionHashes: [String: [UInt8]], versionIdentifiers: [String] = [],
        userInfo: [String: PropertyListValue] = [:]
    ) {
        self.type = type
        self.storeID = storeID
        self.versionHashes = versionHashes
        self.versionIdentifiers = versionIdentifiers
        self.userInfo = userInfo
    }

    /// Creates the metadata of a new store: an ID, the hashes of its entities, and the model itself.
    ///
    /// - Parameters:
    ///   - type: The type of the store.
    ///   - model: The model of the store.
    ///   - configuration: The configuration that the store has entities of; `nil` for all entities of the model.
    ///   - storeID: The ``StoreDescription/newStoreID`` of the store's description; `nil` for a new ID.
    ///   - holdsWholeModel: Whether stores of the kind hold all entities of the model, whatever their configuration.
    /// - Throws: ``StoreError`` with `wrongValue` where a default value does not fit its attribute.
    public init(
        newStoreOf type: StoreType, model: ManagedObjectModel, configuration: String?, storeID: StoreID? = nil,
        holdsWholeModel: Bool = false
    ) throws(StoreError) {
        self.init(type: type, storeID: storeID ?? StoreID(UUID().uuidString), versionHashes: [:])
        self.holdsWholeModel = holdsWholeModel
        try keep(model, entities(of: model, configuration), .open)
        derivations = model.derivations
    }

    /// Returns these metadata after a migration to another version of the model.
    ///
    /// - Throws: ``StoreError`` with `wrongValue` where a default value does not fit its attribute.
    public func migrated(to model: ManagedObjectModel, configuration: String?) throws(StoreError) -> StoreMetadata {
        var metadata = self
        try metadata.keep(model, entities(of: model, configuration), .migrate)
        // They are computed when the store is opened.
        metadata.derivations = [:]
        return metadata
    }

    /// Returns these metadata with the hashes of a model that is the store's own, in place of an earlier version's.
    ///
    /// - Throws: ``StoreError`` with `wrongValue` where a default value does not fit its attribute.
    public func rehashed(for model: ManagedObjectModel) throws(StoreError) -> StoreMetadata {
        var metadata = self
        try metadata.keep(model, hashedEntities(of: model), .save)
        return metadata
    }

    /// Returns the entities that a new store of a configuration has tables and hashes of.
    private func entities(of model: ManagedObjectModel, _ configuration: String?) -> [EntityIndex] {
        model.entities(inConfiguration: holdsWholeModel ? nil : configuration) ?? []
    }

    private mutating func keep(
        _ model: ManagedObjectModel, _ entities: [EntityIndex], _ operation: StoreError.Operation
    ) throws(StoreError) {
        versionHashes = Dictionary(entities.map { (model.entities[$0].name, model.entities[$0].versionHash) }) { first, _ in first }
        versionIdentifiers = model.versionIdentifiers
        userInfo[StoreMetadata.writerKey] = StoreMetadata.writer
        let layout = model.layoutHashes(of: entities).mapValues { PropertyListValue.data(Data($0)) }
        userInfo[StoreMetadata.layoutKey] = layout.isEmpty ? nil : .dictionary(layout)
        do { userInfo[StoreMetadata.modelKey] = .data(Data(try model.encoded())) } catch {
            throw StoreError(.wrongValue, operation, "the model cannot be kept in the store", underlying: error)
        }
    }

    /// Returns the model that the store was made with, of plain managed objects.
    ///
    /// - Returns: `nil` for a store that keeps none: Core Data's own, Strata's oldest ones, and those that Core Data
    ///   migrated, which keep the earlier model with other hashes.
    /// - Throws: ``StoreError`` with `corrupt` where the model is malformed.
    public func model() throws(StoreError) -> ManagedObjectModel? {
        guard let kept = try keptModel(), hasEarlierHashes || isHashed(kept) else { return nil }
        return kept
    }

    /// Whether the version hashes are those of entities of a model.
    func isHashed(_ model: ManagedObjectModel) -> Bool {
        versionHashes.allSatisfy { model.entity(named: $0)?.versionHash == $1 }
    }

    func keptModel() throws(StoreError) -> ManagedObjectModel? {
        guard let kept = userInfo[StoreMetadata.modelKey] else { return nil }
        guard case .data(let bytes) = kept else { throw StoreError(.corrupt, .metadata, "the model in the store's metadata is malformed") }
        do {
            return try StoreMetadata.latestModel.withLock { latest in
                if let latest, latest.bytes == bytes { return latest.model }
                let model = try ManagedObjectModel(encoded: bytes)
                latest = (bytes, model)
                return model
            }
        } catch {
            throw StoreError(.corrupt, .metadata, "the model in the store's metadata is malformed", underlying: error)
        }
    }

    /// The model that was decoded last: a migration reads the same one several times.
    private static let latestModel = Mutex<(bytes: Data, model: ManagedObjectModel)?>(nil)

    /// The digest and the checksum of the version hashes, under Core Data's keys.
    public var digests: [String: PropertyListValue] {
        [
            StoreMetadata.digestKey: .string(Data(VersionHash.digest(of: versionHashes)).base64EncodedString()),
            StoreMetadata.checksumKey: .string(Data(VersionHash.checksum(of: versionHashes)).base64EncodedString()),
        ]
    }

    /// Whether Apple's Core Data, or a compatible program, made the store.
    public var isForeign: Bool { userInfo[StoreMetadata.writerKey] == nil }

    /// Whether the store has no version hashes, as the oldest ones of Core Data: its tables identify its model.
    public var isUnversioned: Bool { isForeign && versionHashes.isEmpty }

    /// The derivation expressions of the stored values, by the names of entity and attribute.
    package var derivations: [String: String] {
        get {
            guard case .dictionary(let kept)? = userInfo[StoreMetadata.derivationsKey] else { return [:] }
            return kept.compactMapValues { if case .string(let text) = $0 { text } else { nil } }
        }
        set {
            let kept = newValue.mapValues { PropertyListValue.string($0) }
            userInfo[StoreMetadata.derivationsKey] = kept.isEmpty ? nil : .dictionary(kept)
        }
    }

    /// Checks that no stage of a migration is unfinished, whose objects lack the values of its handler; throws
    /// ``StoreError`` with `migration`.
    package func checkStages(_ operation: StoreError.Operation, path: String?) throws(StoreError) {
        if userInfo[StoreMetadata.unfinishedStageKey] == nil { return }
        throw StoreError(
            .migration, operation,
            "a stage of a migration, whose handler failed or was interrupted, has not ended: migrate the store through its stages first",
            path: path)
    }

    /// The greatest nesting of arrays and dictionaries in ``userInfo``, in every store.
    ///
    /// It is checked where user info comes from outside: ``replacing(_:_:path:)``, and conversions. Stores write what
    /// they are given.
    public static let greatestNesting = 64
    /// The greatest nesting that is read: a foreign file may nest more deeply than a store writes.
    public static let greatestNestingRead = 512

    /// Checks the nesting of arrays and dictionaries in ``userInfo``.
    ///
    /// - Throws: ``StoreError`` with `tooLarge` where it is deeper than `limit`: the greatest of every store, by
    ///   default.
    public func checkNesting(
        atMost limit: Int = StoreMetadata.greatestNesting, _ operation: StoreError.Operation, path: String?
    ) throws(StoreError) {
        for (key, value) in userInfo where value.isNested(deeperThan: limit) {
            throw StoreError(
                .tooLarge, operation, "the user info nests more than \(limit) arrays and dictionaries in each other", path: path, key: key)
        }
    }

    /// The key that marks a store as Strata's, with the version of its hashes.
    public static let writerKey = "StrataVersion"
    /// The value of stores with Core Data's version hashes; that of earlier ones is `1`.
    static let writer = PropertyListValue.string("2")
    /// The key of the model that a store was made with.
    public static let modelKey = "StrataModel"
    /// The key of the last two-phase commit that reached the store.
    public static let lastTwoPhaseCommitKey = "StrataLastGlobalSave"
    /// The key of the last saves of a store that is written as a whole: their number, and the IDs of the last ones.
    public static let savesKey = "StrataSaves"
    /// The key of a stage of a migration whose second handler has not ended.
    package static let unfinishedStageKey = "StrataUnfinishedStage"

    /// The key of the derivation expressions of the store's values.
    static let derivationsKey = "StrataDerivations"
    /// The key of the model's layout hashes, where the version hashes leave out what decides the layout of rows.
    public static let layoutKey = "StrataLayout"

    /// Core Data's key of the digest of the version hashes.
    public static let digestKey = "NSStoreModelVersionHashesDigest"
    /// Core Data's key of the checksum of the model.
    public static let checksumKey = "NSStoreModelVersionChecksumKey"

    /// The framework's own keys in the user info.
    package static let ownKeys: Set<String> = [
        writerKey, modelKey, lastTwoPhaseCommitKey, savesKey, unfinishedStageKey, derivationsKey, layoutKey, historyKey,
        historyRecordsKey, historyMigrationsKey, historyValuesKey, historyBeginningKey, historyOrdersKey,
    ]

    /// The keys of Core Data's own values in the metadata, which some formats share.
    ///
    /// In ``userInfo`` are those that Core Data wrote and that are no members of the metadata.
    public static let coreDataKeys: Set<String> = [
        "NSStoreType", "NSStoreUUID", "NSStoreModelVersionHashes", "NSStoreModelVersionHashesVersion", digestKey, checksumKey,
        "NSStoreModelVersionIdentifiers", "NSPersistenceFrameworkVersion", "_NSAutoVacuumLevel",
    ]

    /// Returns these metadata, given by an application, as a replacement of those in a store.
    ///
    /// The framework's own values stay as they are, whatever is given: without them, it is unknown which two-phase
    /// commits have reached the store. So do the ``coreDataKeys``.
    ///
    /// - Parameters:
    ///   - stored: The metadata in the store.
    ///   - operation: The operation, for an error.
    ///   - path: The path of the store, for an error.
    /// - Throws: ``StoreError`` with `tooLarge` where ``userInfo`` is nested more deeply than ``greatestNesting``,
    ///   `unsupported` where it differs from the store in one of the ``coreDataKeys``.
    public func replacing(_ stored: StoreMetadata, _ operation: StoreError.Operation, path: String?) throws(StoreError) -> StoreMetadata {
        try checkNesting(operation, path: path)
        var copy = self
        for key in StoreMetadata.ownKeys { copy.userInfo[key] = stored.userInfo[key] }
        for key in StoreMetadata.coreDataKeys {
            if let given = userInfo[key], given != stored.userInfo[key] {
                throw StoreError(.unsupported, operation, "the key is Core Data's own", path: path, key: key)
            }
            copy.userInfo[key] = stored.userInfo[key]
        }
        return copy
    }
}

extension ManagedObjectModel {
    package var derivations: [String: String] {
        var derivations: [String: String] = [:]
        for entity in entities {
            for attribute in entity.derivedAttributes where attribute.declaringEntity == entity.index {
                derivations["\(entity.name).\(attribute.name)"] = attribute.declaration.derivationExpression
            }
        }
        return derivations
    }
}

extension PropertyListValue {
    /// Returns whether arrays and dictionaries are nested deeper than a limit, reading no deeper.
    fileprivate func isNested(deeperThan limit: Int) -> Bool {
        switch self {
        case .array(let values): limit == 0 || values.contains { $0.isNested(deeperThan: limit - 1) }
        case .dictionary(let values): limit == 0 || values.values.contains { $0.isNested(deeperThan: limit - 1) }
        default: false
        }
    }
}
