/// Digests the properties of an entity that matter to stored data.
///
/// Their choice follows Core Data: names, types, optionality, destinations, inverses, counts, order, parent,
/// abstractness, constraints and the modifiers; defaults, rules, indexes, delete rules, classes and user info do not.
/// Nor do transient properties, which are not stored and need no migration. The bytes are Strata's own.
struct VersionHash {
    private var bytes: [UInt8] = []

    mutating func add(_ text: String?) {
        guard let text else { return bytes.append(0) }
        bytes.append(1)
        unsafe withUnsafeBytes(of: UInt32(text.utf8.count).littleEndian) { unsafe bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: text.utf8)
    }

    mutating func add(_ number: Int) {
        unsafe withUnsafeBytes(of: Int64(number).littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    mutating func add(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

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

    /// - Parameter hidden: The inverses that the model created: rows contain them.
    static func of(_ entity: Entity, hidden: [Relationship], parentHash: [UInt8]?) -> [UInt8] {
        var hash = VersionHash()
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
        for relationship in hidden.sorted(by: { $0.name < $1.name }) {
            hash.add("hidden")
            hash.add(relationship.name)
        }
        for constraint in entity.uniquenessConstraints.map({ $0.attributes.joined(separator: "\u{0}") }).sorted() {
            hash.add("unique")
            hash.add(constraint)
        }
        return SHA2.digest256(hash.bytes)
    }
}
