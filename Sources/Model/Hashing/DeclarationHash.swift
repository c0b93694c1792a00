import Synchronization

/// The hashes of all declarations that decide how Strata lays out rows, those among them that ``VersionHash`` leaves out.
///
/// Stores that Strata wrote before it computed Core Data's hashes have them as version hashes.
struct DeclarationHash {
    private var bytes: [UInt8] = []

    private mutating func add(_ text: String?) {
        guard let text else { return bytes.append(0) }
        bytes.append(1)
        unsafe withUnsafeBytes(of: UInt32(text.utf8.count).littleEndian) { unsafe bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func add(_ number: Int) {
        unsafe withUnsafeBytes(of: Int64(number).littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    private mutating func add(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    private mutating func add(_ attributes: [Attribute]) {
        for attribute in attributes.sorted(by: { $0.name < $1.name }) where !attribute.isTransient {
            add("attribute")
            add(attribute.name)
            add(attribute.type.rawValue)
            add(attribute.isOptional)
            add(attribute.isTransient)
            add(attribute.versionHashModifier)
            // Such values are stored differently.
            if attribute.allowsExternalStorage { add("external") }
            if attribute.type == .composite {
                add("elements")
                add(attribute.elements)
                add("end")
            }
        }
    }

    /// - Parameter hidden: The names of the inverses that the model created: rows contain them.
    static func of(_ entity: Entity, hidden: [String], parentHash: [UInt8]?) -> [UInt8] {
        var hash = DeclarationHash()
        hash.add("entity")
        hash.add(entity.name)
        hash.add(entity.isAbstract)
        hash.add(entity.versionHashModifier)
        hash.bytes.append(contentsOf: parentHash ?? [])
        hash.add(entity.attributes)
        for relationship in entity.relationships.sorted(by: { $0.name < $1.name }) where !relationship.isTransient {
            hash.add("relationship")
            hash.add(relationship.name)
            hash.add(relationship.destination)
            hash.add(relationship.inverse)
            hash.add(relationship.isOptional)
            hash.add(relationship.isTransient)
            hash.add(relationship.cardinality == .ordered)
            hash.add(relationship.minCount)
            hash.add(relationship.maxCount)
            hash.add(relationship.versionHashModifier)
        }
        for name in hidden.sorted() {
            hash.add("hidden")
            hash.add(name)
        }
        for constraint in entity.uniquenessConstraints.map({ $0.attributes.joined(separator: "\u{0}") }).sorted() {
            hash.add("unique")
            hash.add(constraint)
        }
        return SHA2.digest256(hash.bytes)
    }
}

extension ManagedObjectModel {
    /// The hash of all declarations of each entity that decide how rows are laid out, by name: the version hashes of
    /// stores that Strata wrote before it computed Core Data's ``VersionHash``.
    public var declarationHashesByName: [String: [UInt8]] {
        if let known = declarationHashes.withLock({ $0 }) { return known }
        let declared = Dictionary(declarations.entities.map { ($0.name, $0) }) { first, _ in first }
        var hashes: [String: [UInt8]] = [:]
        for entity in entities {
            guard let declaration = declared[entity.name] else { continue }
            let own = entity.properties.compactMap(\.relationship).filter { $0.isHidden && $0.declaringEntity == entity.index }
            hashes[entity.name] = DeclarationHash.of(
                declaration, hidden: own.map(\.name), parentHash: declaration.parent.flatMap { hashes[$0] })
        }
        declarationHashes.withLock { $0 = hashes }
        return hashes
    }

    /// Returns further hashes of those entities whose ``VersionHash`` leaves out what decides how their rows are laid
    /// out: the name of a composite attribute, name and type of a derived one, that a relationship is its own inverse,
    /// and the inverses that the model created.
    public func layoutHashes(of entities: some Sequence<EntityIndex>) -> [String: [UInt8]] {
        let names = entities.map { self.entities[$0] }.filter(\.hasUnhashedLayout).map(\.name)
        if names.isEmpty { return [:] }
        let hashes = declarationHashesByName
        return Dictionary(names.map { ($0, hashes[$0] ?? []) }) { first, _ in first }
    }
}
