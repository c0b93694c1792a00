import StrataCoordinator
import StrataModel
import StrataStore

/// The versions of a model that stages migrate through, in their order.
struct StagePath {
    struct Step {
        let model: NSManagedObjectModel
        /// The stage with handlers before the version; `nil` for an inferred migration.
        let stage: NSCustomMigrationStage?
    }

    private struct Version {
        var checksums: Set<String>
        /// `nil` for a version known by a checksum only.
        var model: NSManagedObjectModel?
        /// The stage from the version before.
        var stage: NSCustomMigrationStage?
    }

    private var versions: [Version] = []
    /// The index of the target version.
    private var target = 0
    private let path: String?

    /// The models of all known versions.
    var models: [NSManagedObjectModel] { versions.compactMap(\.model) }

    /// - Throws: An `NSError` if a version is unknown, or the model is not among the versions.
    init(_ stages: [NSMigrationStage], to model: NSManagedObjectModel, path: String?) throws {
        self.path = path
        for stage in stages {
            switch stage {
            case let stage as NSLightweightMigrationStage:
                for checksum in stage.versionChecksums { add(Version(checksums: [checksum])) }
            case let stage as NSCustomMigrationStage:
                add(try StagePath.version(stage.currentModel))
                var next = try StagePath.version(stage.nextModel)
                next.stage = stage
                versions.append(next)
            default: continue
            }
        }
        findModels(model)
        guard let target = index(of: model) else {
            throw unknownVersion("Cannot use staged migration with an unknown coordinator model version.")
        }
        self.target = target
    }

    private static func version(_ reference: NSManagedObjectModelReference) throws -> Version {
        let model = try reference.resolve()
        return Version(checksums: [reference.versionChecksum, model.versionChecksum], model: model)
    }

    /// Adds a version, except if the last one is the same.
    private mutating func add(_ version: Version) {
        guard let last = versions.last, !last.checksums.isDisjoint(with: version.checksums) else {
            versions.append(version)
            return
        }
        versions[versions.count - 1].checksums.formUnion(version.checksums)
        versions[versions.count - 1].model = last.model ?? version.model
    }

    /// Finds the models of versions that are known by a checksum only.
    private mutating func findModels(_ model: NSManagedObjectModel) {
        guard versions.contains(where: { $0.model == nil }) else { return }
        var known: [String: NSManagedObjectModel] = [:]
        for version in ModelLocator.versions(in: nil) { known[version.model.versionChecksum] = version.model }
        for version in versions { for checksum in version.checksums { if let model = version.model { known[checksum] = model } } }
        known[model.versionChecksum] = model
        for index in versions.indices where versions[index].model == nil {
            versions[index].model = versions[index].checksums.lazy.compactMap { known[$0] }.first
        }
    }

    private func index(of model: NSManagedObjectModel) -> Int? {
        let checksum = model.versionChecksum
        return versions.lastIndex { $0.model?.versionChecksum == checksum }
    }

    /// Returns the index of a store's version; throws if it has none of them.
    func position(of description: StoreDescription, _ metadata: StoreMetadata) throws -> Int {
        let checksum = Data(VersionHash.checksum(of: metadata.versionHashes)).base64EncodedString()
        if let index = versions.lastIndex(where: { $0.checksums.contains(checksum) }) { return index }
        for index in versions.indices.reversed() {
            guard let model = try versions[index].model?.declared() else { continue }
            if try description.passing(model, metadata).isMade(with: model, metadata) { return index }
        }
        throw unknownVersion("Cannot use staged migration with an unknown model version.")
    }

    private func unknownVersion(_ text: String) -> NSError {
        MigrationErrors.staged(NSManagedObjectModelReferenceNotFoundError, text, path: path)
    }

    /// Returns the steps from a version on, with its own; throws if the store is newer than the target.
    func steps(from position: Int) throws -> [Step] {
        guard position <= target else {
            let text = "Cannot migrate a store backward with staged migration."
            throw MigrationErrors.staged(NSStagedMigrationBackwardMigrationError, text, path: path)
        }
        return versions[position...target].compactMap { version in
            version.model.map { Step(model: $0, stage: version.stage) }
        }
    }
}
