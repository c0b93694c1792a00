extension StoreMetadata {
    /// Returns whether the store was made with the model, or with a version of it whose objects are the same.
    public func isCompatible(with model: ManagedObjectModel, configuration: String? = nil) -> Bool {
        differingEntities(model, configuration).isEmpty
    }

    /// Checks that the store was made with the model.
    ///
    /// - Throws: ``StoreError`` with `incompatibleModel` that lists the differences, and what a migration would do.
    public func checkCompatibility(with model: ManagedObjectModel, configuration: String?, path: String?) throws(StoreError) {
        try checkCompatibility(with: model, configuration: configuration, path: path, plansMigration: true)
    }

    /// Checks that a store was made with the model, without inferring a migration that follows; throws ``StoreError``
    /// with `incompatibleModel` that lists the differences.
    public func checkCompatibility(
        with model: ManagedObjectModel, opening description: StoreDescription, path: String?
    ) throws(StoreError) {
        let isMigrated = description.shouldMigrateStoreAutomatically && !description.isReadOnly
        try checkCompatibility(with: model, configuration: description.configuration, path: path, plansMigration: !isMigrated)
    }

    private func checkCompatibility(
        with model: ManagedObjectModel, configuration: String?, path: String?, plansMigration: Bool
    ) throws(StoreError) {
        let differing = differingEntities(model, configuration)
        if differing.isEmpty { return }
        var message = "the store was made with another version of: \(differing.sorted().joined(separator: ", "))"
        var obstacle: MappingError?
        if plansMigration, let kept = try? self.model() {
            do throws(MappingError) {
                let steps = try MappingModel.inferred(from: kept, to: model).plan.steps
                if !steps.isEmpty { message += "; to migrate it: " + steps.map(\.description).joined(separator: "; ") }
            } catch {
                message += "; no migration can be inferred"
                obstacle = error
            }
        }
        var error = StoreError(.incompatibleModel, .open, message, path: path, entity: differing.min(), underlying: obstacle)
        error.metadata = self
        throw error
    }

    /// Returns the entities of which the store may have objects: those of its configuration, and in formats that hold the whole model all
    /// that it has hashes of.
    public func storedEntities(of model: ManagedObjectModel, configuration: String?) -> [EntityIndex] {
        let own = model.entities(inConfiguration: configuration) ?? []
        return holdsWholeModel ? Array(Set(own).union(hashedEntities(of: model))) : own
    }

    /// Returns the entities that the store has hashes of.
    func hashedEntities(of model: ManagedObjectModel) -> [EntityIndex] {
        model.entities.filter { versionHashes[$0.name] != nil }.map(\.index)
    }

    /// Whether an earlier version of Strata hashed the model, in a way of its own.
    public var hasEarlierHashes: Bool { !isForeign && userInfo[StoreMetadata.writerKey] != StoreMetadata.writer }

    private func differingEntities(_ model: ManagedObjectModel, _ configuration: String?) -> Set<String> {
        if isUnversioned { return [] }
        let entities = model.entities(inConfiguration: configuration) ?? []
        var differing: Set<String> = []
        var known = 0
        for index in entities {
            let entity = model.entities[index]
            let hash = versionHashes[entity.name]
            if hash != nil { known += 1 }
            if hash != entity.versionHash { differing.insert(entity.name) }
        }
        let holdsMore = configuration != nil && (isForeign || holdsWholeModel)
        func isOther(_ name: String) -> Bool {
            guard let entity = model.entity(named: name) else { return true }
            return configuration != nil && !entities.contains(entity.index)
        }
        if known < versionHashes.count {
            for (name, hash) in versionHashes where isOther(name) && !(holdsMore && model.entity(named: name)?.versionHash == hash) {
                differing.insert(name)
            }
        }
        if differing.isEmpty { return isForeign ? [] : entitiesOfOtherLayout(model.layoutHashes(of: hashedEntities(of: model))) }
        if isForeign {
            guard let hashes = model.swiftDataVersionHashesByName else { return differing }
            return differing.filter { isOther($0) && !holdsMore || hashes[$0] != versionHashes[$0] }
        }
        guard hasEarlierHashes else { return differing }
        let expected = model.declarationHashesByName
        let names = Set(entities.map { model.entities[$0].name })
        let earlier = names.union(versionHashes.keys).filter { !names.contains($0) || expected[$0] != versionHashes[$0] }
        if earlier.isEmpty { return [] }
        // The oldest versions of Strata hashed more of the same model.
        guard let kept = try? self.model()?.declarationHashesByName else { return earlier }
        return earlier.filter { versionHashes[$0] == nil || !names.contains($0) || expected[$0] != kept[$0] }
    }

    /// Returns whether rows are laid out as in a model with the same version hashes.
    ///
    /// - Parameter expected: The model's layout hashes, `ManagedObjectModel.layoutHashes(of:)`, of all of its entities.
    public func isLaidOut(as expected: [String: [UInt8]]) -> Bool {
        entitiesOfOtherLayout(expected.filter { versionHashes[$0.key] != nil }).isEmpty
    }

    /// Returns the entities whose rows are laid out in another way, though their version hashes are the same.
    private func entitiesOfOtherLayout(_ expected: [String: [UInt8]]) -> Set<String> {
        var kept: [String: PropertyListValue] = [:]
        if case .dictionary(let hashes)? = userInfo[StoreMetadata.layoutKey] { kept = hashes }
        if expected.isEmpty && kept.isEmpty { return [] }
        // Core Data migrated the store, and knows of no layout: what is kept is that of the version before.
        if let model = try? keptModel(), !isHashed(model) { return [] }
        return Set(expected.keys).union(kept.keys).filter { expected[$0].map { .data(Data($0)) } != kept[$0] }
    }
}
