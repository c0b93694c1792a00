import Synchronization

extension ManagedObjectModel {
    /// The version hashes that stores of SwiftData have whose model consists of the same classes; `nil` where they are the
    /// model's own.
    ///
    /// SwiftData's model of a class differs from Strata's: an enumeration is a composite attribute with one element, all
    /// elements of an optional structure are optional, elements of `Codable` types are bytes, and a to-many relationship
    /// that is no optional is required. None of this changes the columns of a store.
    public var swiftDataVersionHashesByName: [String: [UInt8]]? {
        if let known = swiftDataHashes.withLock({ $0 }) { return known }
        let hashes = declarations.entities.contains { $0.differsInSwiftData } ? hashesInSwiftData : nil
        swiftDataHashes.withLock { $0 = .some(hashes) }
        return hashes
    }

    private var hashesInSwiftData: [String: [UInt8]] {
        let declared = Dictionary(declarations.entities.map { ($0.name, $0.inSwiftData) }) { first, _ in first }
        var hashes: [String: [UInt8]] = [:]
        var properties: [String: [String: [UInt8]]] = [:]
        // Ancestors precede their descendants.
        for entity in entities {
            guard let declaration = declared[entity.name] else { continue }
            var all = declaration.parent.flatMap { properties[$0] } ?? [:]
            all.merge(VersionHash.properties(of: declaration)) { $1 }
            properties[entity.name] = all
            hashes[entity.name] = VersionHash.of(declaration, parentHash: declaration.parent.flatMap { hashes[$0] }, properties: all)
        }
        return hashes
    }
}

extension Entity {
    /// Whether the entity may have another version hash in SwiftData's model.
    fileprivate var differsInSwiftData: Bool {
        attributes.contains { $0.isEnumeration || $0.type == .composite }
            || relationships.contains { $0.isOptional && $0.isRequiredInSwiftData }
    }

    fileprivate var inSwiftData: Entity {
        var entity = self
        entity.attributes = attributes.map(\.inSwiftData)
        entity.relationships = relationships.map { relationship in
            relationship.with { $0.isOptional = relationship.isOptional && !relationship.isRequiredInSwiftData }
        }
        return entity
    }
}

extension Attribute {
    /// The path of the element that holds the values of an enumeration in SwiftData's model; `nil` for other attributes.
    var elementInSwiftData: String? {
        guard isEnumeration else { return nil }
        let name = renamingIdentifier ?? name
        return name + "." + name
    }

    fileprivate var inSwiftData: Attribute {
        if isEnumeration {
            return with {
                $0.type = .composite
                $0.elements = [Attribute(name, type)]
            }
        }
        if type != .composite { return self }
        return with { $0.elements = elements.map { $0.element(ofOptional: isOptional) } }
    }

    private func element(ofOptional isOptionalComposite: Bool) -> Attribute {
        let isOptional = isOptional || isOptionalComposite
        return with {
            $0.isOptional = isOptional
            if type == .transformable { $0.type = .binary }
            $0.elements = elements.map { $0.element(ofOptional: isOptional) }
        }
    }
}
