import Strata

/// A model as data: generated from a seed, printed with what failed, and read again.
struct Schema: Codable {
    struct Kind: Codable {
        let name: String
        var parent: Int?
        var attributes: [Field] = []
    }

    struct Field: Codable {
        let name: String
        let type: FieldType
        var standard: Int?
        var isRequired = false
        var range: ClosedRange<Int>?
        var greatestLength: Int?
    }

    /// One side of a pair of relationships.
    struct End: Codable {
        let name: String
        let owner: Int
        let destination: Int
        /// The index of the other side among all ends; its own where a relationship is its own inverse.
        let inverse: Int
        var shape: Shape
        var rule: Rule
        var isRequired = false
        var least = 0
        var most = 0
        var isToMany: Bool { shape != .one }

        /// What the relationship is set to, so that it has the destinations.
        func value(_ destinations: [ManagedObject]) -> Any? {
            switch shape {
            case .one: destinations.first
            case .many: Set(destinations)
            case .ordered: destinations
            }
        }
    }

    enum Shape: String, Codable { case one, many, ordered }
    enum Rule: String, Codable { case nullify, cascade, deny }

    var kinds: [Kind] = []
    var ends: [End] = []
    /// The root entities of which no two objects have the same code.
    var uniqueKinds: [Int] = []

    func root(_ kind: Int) -> Int { kinds[kind].parent.map(root) ?? kind }
    func isKind(_ kind: Int, of other: Int) -> Bool { kind == other || kinds[kind].parent.map { isKind($0, of: other) } ?? false }
    var roots: [Int] { kinds.indices.filter { kinds[$0].parent == nil } }

    /// The attributes of an entity's objects, those of its ancestors first.
    func fields(of kind: Int) -> [Field] { (kinds[kind].parent.map(fields) ?? []) + kinds[kind].attributes }
    /// The relationships of an entity's objects, by their indices.
    func ends(of kind: Int) -> [Int] { ends.indices.filter { isKind(kind, of: ends[$0].owner) } }

    /// The model; every object has its tag, by which it is known wherever it is met.
    ///
    /// - Throws: `ModelError` where the schema is none.
    func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: kinds.enumerated().map { index, kind in
                var entity = Entity(kind.name, parent: kind.parent.map { kinds[$0].name })
                if kind.parent == nil { entity.attributes.append(Attribute("tag", .integer64)) }
                entity.attributes += kind.attributes.map { field in
                    var attribute = Attribute(field.name, field.type.type, default: field.standard.map { field.type.value($0) })
                    attribute.isOptional = !field.isRequired
                    if let range = field.range {
                        attribute.validation.append(
                            .range(min: field.type.value(range.lowerBound), max: field.type.value(range.upperBound)))
                    }
                    if let length = field.greatestLength { attribute.validation.append(.length(min: nil, max: length)) }
                    return attribute
                }
                for end in ends where end.owner == index {
                    var relationship = Relationship(
                        end.name, to: kinds[end.destination].name, inverse: ends[end.inverse].name,
                        end.shape == .one ? .toOne : end.shape == .many ? .toMany : .ordered,
                        deleteRule: end.rule == .nullify ? .nullify : end.rule == .cascade ? .cascade : .deny, minCount: end.least,
                        maxCount: end.isToMany ? end.most : nil)
                    relationship.isOptional = !end.isRequired
                    entity.relationships.append(relationship)
                }
                if uniqueKinds.contains(index) { entity.uniquenessConstraints.append(Unique("code")) }
                return entity
            })
    }
}
