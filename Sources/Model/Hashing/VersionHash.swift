/// Core Data's version hashes: SHA-256 digests of the properties of a model that matter to stored data.
///
/// Equal hashes are the same version of an entity, here and in Core Data. Names, types, optionality, destinations,
/// inverses, counts, order, parent, abstractness, constraints and modifiers count; defaults, rules, indexes, delete
/// rules, classes, user info, transient and fetched properties do not.
public enum VersionHash {
    /// Returns the hash of an attribute: of a derived one that of its expression, of a composite one that of its
    /// elements.
    public static func of(_ attribute: Attribute) -> [UInt8] {
        if let expression = attribute.derivationExpression { return SHA2.digest256(Array(description(of: expression).utf8)) }
        if attribute.type == .composite {
            return SHA2.digest256(sorted(attribute.elements.filter { !$0.isTransient }, by: \.name).flatMap(of))
        }
        var bytes = common(attribute.name, attribute.isOptional, attribute.versionHashModifier)
        add(attribute.type.rawValue, to: &bytes)
        if attribute.allowsExternalStorage { bytes.append(1) }
        if attribute.preservesValueInHistoryOnDeletion { bytes.append(1) }
        return SHA2.digest256(bytes)
    }

    /// Returns the hash of a relationship that an entity declares.
    public static func of(_ relationship: Relationship, in entity: String) -> [UInt8] {
        var bytes = common(relationship.name, relationship.isOptional, relationship.versionHashModifier)
        bytes += relationship.destination.utf8
        if let inverse = relationship.inverse ?? relationship.unmatchedInverse, !isOwnInverse(relationship, in: entity) {
            bytes += inverse.utf8
        }
        add(relationship.maxCount, to: &bytes)
        add(relationship.minCount, to: &bytes)
        if relationship.cardinality == .ordered || relationship.hasIgnoredOrder { bytes += [1, 0] }
        return SHA2.digest256(bytes)
    }

    /// Returns the digest of a store's hashes in its metadata: that of names and hashes, in the order of the names.
    public static func digest(of hashes: [String: [UInt8]]) -> [UInt8] {
        SHA2.digest512(sorted(hashes, by: \.key).flatMap { Array($0.key.utf8) + $0.value })
    }

    /// Returns the checksum of a model: the digest of its entities' hashes, in the order of their names.
    public static func checksum(of hashes: [String: [UInt8]]) -> [UInt8] {
        SHA2.digest256(sorted(hashes, by: \.key).flatMap(\.value))
    }

    /// Returns the hash of an entity.
    ///
    /// - Parameter properties: The hashes of the persistent properties, inherited ones included, by name.
    static func of(_ entity: Entity, parentHash: [UInt8]?, properties: [String: [UInt8]]) -> [UInt8] {
        var bytes = Array(entity.name.utf8)
        bytes.append(entity.isAbstract ? 1 : 0)
        bytes += parentHash ?? []
        for (_, hash) in sorted(properties, by: \.key) { bytes += hash }
        bytes += (entity.versionHashModifier ?? "").utf8
        let constraints = (entity.uniquenessConstraints + entity.unenforcedConstraints).map { $0.attributes.joined(separator: ".") }
        for constraint in sorted(constraints, by: \.self) { bytes += constraint.utf8 }
        return SHA2.digest256(bytes)
    }

    /// Returns the hashes of the persistent properties that an entity declares, by name.
    static func properties(of entity: Entity) -> [String: [UInt8]] {
        var hashes: [String: [UInt8]] = [:]
        for attribute in entity.attributes where !attribute.isTransient { hashes[attribute.name] = of(attribute) }
        for relationship in entity.relationships where !relationship.isTransient {
            hashes[relationship.name] = of(relationship, in: entity.name)
        }
        return hashes
    }

    static func isOwnInverse(_ relationship: Relationship, in entity: String) -> Bool {
        relationship.inverse == relationship.name && relationship.destination == entity
    }

    private static func common(_ name: String, _ isOptional: Bool, _ modifier: String?) -> [UInt8] {
        var bytes = Array(name.utf8)
        bytes.append(isOptional ? 1 : 0)
        bytes.append(0)
        if let modifier { bytes += modifier.utf8 }
        return SHA2.digest256(bytes)
    }

    private static func add(_ number: Int, to bytes: inout [UInt8]) {
        unsafe withUnsafeBytes(of: Int32(clamping: number).littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Returns the description that Core Data has of a derivation expression.
    private static func description(of expression: String) -> String {
        let count = ".@count"
        return expression.hasSuffix(count) ? "count:(\(expression.dropLast(count.count)))" : expression
    }

    /// Sorts by code units, as Core Data sorts names.
    private static func sorted<Value>(_ values: some Sequence<Value>, by name: (Value) -> String) -> [Value] {
        values.sorted { a, b in
            let (a, b) = (name(a), name(b))
            // Only from U+E000 on have bytes another order than code units.
            let isSameOrder = a.utf8.allSatisfy { $0 < 0xEE } && b.utf8.allSatisfy { $0 < 0xEE }
            return isSameOrder ? a.utf8.lexicographicallyPrecedes(b.utf8) : a.utf16.lexicographicallyPrecedes(b.utf16)
        }
    }
}
