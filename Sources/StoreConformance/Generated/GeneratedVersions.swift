import Strata

/// A model that changes at random from version to version, and what each change makes of the objects: computed here
/// from the changes alone.
struct GeneratedVersions {
    /// An attribute, known by its number through all versions.
    private struct Field {
        let id: Int
        var name: String
        var before: String?
        var isText: Bool
        var isWide = false
        var standard: Int?
    }

    private struct Kind {
        let id: Int
        var name: String
        var before: String?
        var parent: Int?
        var fields: [Field] = []
    }

    /// Two relationships that are each other's inverse, or one without.
    private struct Bond {
        let id: Int
        let first: Int
        let second: Int
        var name: String
        var before: String?
        var back: String?
        var backBefore: String?
        var cardinality: Relationship.Cardinality
        var backCardinality: Relationship.Cardinality
    }

    private struct Item {
        var kind: Int
        var values: [Int: Int] = [:]
    }

    private var generator: SeededGenerator
    private var next = 0
    private var kinds: [Kind] = []
    private var bonds: [Bond] = []
    /// The objects by their names.
    private var items: [String: Item] = [:]
    /// The pairs of each bond, by the names of the objects.
    private var links: [Int: Set<[String]>] = [:]

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        for _ in 0..<3 { addKind(parent: nil) }
        addKind(parent: kinds[0].id)
        for _ in 0..<6 { addField() }
        for _ in 0..<4 { addBond() }
    }

    // MARK: - The model

    func model() throws -> ManagedObjectModel {
        let names = Dictionary(uniqueKeysWithValues: kinds.map { ($0.id, $0.name) })
        return try ManagedObjectModel(
            entities: kinds.map { kind in
                Entity(kind.name, parent: kind.parent.flatMap { names[$0] }) {
                    if kind.parent == nil { Attribute("name", .string) }
                    kind.fields.map { field in
                        Attribute(
                            field.name, field.isText ? .string : field.isWide ? .integer64 : .integer32,
                            default: field.standard.map { field.isText ? .string("t\($0)") : .int(Int64($0)) }
                        ).with { $0.renamingIdentifier = field.before }
                    }
                    bonds.filter { $0.first == kind.id }.map { bond in
                        Relationship(bond.name, to: names[bond.second] ?? "", inverse: bond.back, bond.cardinality)
                            .with { $0.renamingIdentifier = bond.before }
                    }
                    bonds.filter { $0.second == kind.id }.compactMap { bond in
                        bond.back.map { back in
                            Relationship(back, to: names[bond.first] ?? "", inverse: bond.name, bond.backCardinality)
                                .with { $0.renamingIdentifier = bond.backBefore }
                        }
                    }
                }.with { $0.renamingIdentifier = kind.before }
            })
    }

    /// What is in a store at this version, as ``ConformanceStack/contents()`` lists it, orders apart.
    func contents() -> [String] {
        items.map { name, item in
            var parts: [String] = []
            for field in fields(of: item.kind) {
                if let value = item.values[field.id] { parts.append("\(field.name)=\(field.isText ? "t" : "")\(value)") }
            }
            for bond in bonds {
                if isKind(item.kind, of: bond.first) {
                    parts += text(bond.name, bond.cardinality, (links[bond.id] ?? []).filter { $0[0] == name }.map { $0[1] })
                }
                if let back = bond.back, isKind(item.kind, of: bond.second) {
                    parts += text(back, bond.backCardinality, (links[bond.id] ?? []).filter { $0[1] == name }.map { $0[0] })
                }
            }
            let kind = kinds.first { $0.id == item.kind }?.name ?? ""
            return "\(kind) \(name)" + (parts.isEmpty ? "" : ": ") + parts.sorted().joined(separator: " ")
        }.sorted()
    }

    private func text(_ name: String, _ cardinality: Relationship.Cardinality, _ others: [String]) -> [String] {
        if others.isEmpty { return [] }
        return ["\(name)=\(cardinality == .toOne ? others[0] : "[\(others.sorted().joined(separator: " "))]")"]
    }

    private func fields(of kind: Int) -> [Field] {
        guard let found = kinds.first(where: { $0.id == kind }) else { return [] }
        return found.fields + (found.parent.map { fields(of: $0) } ?? [])
    }

    private func isKind(_ kind: Int, of other: Int) -> Bool {
        kind == other || kinds.first { $0.id == kind }?.parent.map { isKind($0, of: other) } ?? false
    }

    // MARK: - Changes of the model

    /// Makes the next version.
    mutating func evolve() {
        for index in kinds.indices {
            kinds[index].before = nil
            for field in kinds[index].fields.indices { kinds[index].fields[field].before = nil }
        }
        for index in bonds.indices { (bonds[index].before, bonds[index].backBefore) = (nil, nil) }
        // Something always changes.
        addField()
        for _ in 0..<(1 + generator.below(3)) {
            switch generator.below(11) {
            case 0: addKind(parent: generator.chance(50) ? kinds[generator.below(kinds.count)].id : nil)
            case 1: dropKind()
            case 2: rename { $0.kinds[$1].before = $0.kinds[$1].before ?? $0.kinds[$1].name }
            case 3, 4:
                changeField { field, generator in
                    if generator.chance(50) {
                        field.before = field.before ?? field.name
                        field.name = "f\(field.id)v\(generator.below(1000))"
                    } else {
                        field.isWide = true
                    }
                }
            case 5: dropField()
            case 6: addBond()
            case 7: if !bonds.isEmpty { links[bonds.remove(at: generator.below(bonds.count)).id] = nil }
            default: changeBond()
            }
        }
    }

    private mutating func number() -> Int {
        next += 1
        return next
    }

    private mutating func addKind(parent: Int?) {
        let id = number()
        kinds.append(Kind(id: id, name: "\(["A", "M", "Z"][generator.below(3)])kind\(id)", parent: parent))
    }

    /// Drops an entity without sub-entities, with its objects and the relationships to it.
    private mutating func dropKind() {
        let leaves = kinds.indices.filter { index in !kinds.contains { $0.parent == kinds[index].id } }
        guard kinds.count > 3, let index = leaves.randomElement(using: &generator) else { return }
        let id = kinds.remove(at: index).id
        for bond in bonds where bond.first == id || bond.second == id { links[bond.id] = nil }
        bonds.removeAll { $0.first == id || $0.second == id }
        for (name, _) in items.filter({ $0.value.kind == id }) { remove(name) }
    }

    private mutating func rename(_ note: (inout GeneratedVersions, Int) -> Void) {
        let index = generator.below(kinds.count)
        note(&self, index)
        kinds[index].name = "\(["B", "N", "Y"][generator.below(3)])kind\(kinds[index].id)v\(generator.below(1000))"
    }

    private mutating func addField() {
        let id = number()
        let index = generator.below(kinds.count)
        let standard = generator.chance(50) ? generator.below(100) : nil
        kinds[index].fields.append(Field(id: id, name: "f\(id)", isText: generator.chance(40), standard: standard))
        guard let standard else { return }
        let owner = kinds[index].id
        for (name, item) in items where isKind(item.kind, of: owner) { items[name]?.values[id] = standard }
    }

    private mutating func changeField(_ change: (inout Field, inout SeededGenerator) -> Void) {
        let index = generator.below(kinds.count)
        guard let field = kinds[index].fields.indices.randomElement(using: &generator) else { return }
        change(&kinds[index].fields[field], &generator)
    }

    private mutating func dropField() {
        let index = generator.below(kinds.count)
        guard let field = kinds[index].fields.indices.randomElement(using: &generator) else { return }
        let id = kinds[index].fields.remove(at: field).id
        for name in Array(items.keys) { items[name]?.values[id] = nil }
    }

    private mutating func addBond() {
        let id = number()
        let (first, second) = (kinds[generator.below(kinds.count)].id, kinds[generator.below(kinds.count)].id)
        let cardinalities: [Relationship.Cardinality] = [.toOne, .toMany, .ordered]
        bonds.append(
            Bond(
                id: id, first: first, second: second, name: "r\(id)", back: generator.chance(75) ? "s\(id)" : nil,
                cardinality: cardinalities[generator.below(3)], backCardinality: cardinalities[generator.below(3)]))
    }

    private mutating func changeBond() {
        guard let index = bonds.indices.randomElement(using: &generator) else { return }
        let suffix = generator.below(1000)
        switch generator.below(5) {
        case 0:
            bonds[index].before = bonds[index].before ?? bonds[index].name
            bonds[index].name = "r\(bonds[index].id)v\(suffix)"
        case 1:
            guard let back = bonds[index].back else { return }
            bonds[index].backBefore = bonds[index].backBefore ?? back
            bonds[index].back = "s\(bonds[index].id)v\(suffix)"
        // What was to-one becomes to-many, and orders change; the other way loses something.
        case 2:
            // Without an inverse several objects may reference one, but only one may have it among many.
            guard bonds[index].back != nil || bonds[index].cardinality != .toOne else { return }
            bonds[index].cardinality = bonds[index].cardinality == .toMany ? .ordered : .toMany
        case 3: if bonds[index].back != nil { bonds[index].backCardinality = bonds[index].backCardinality == .toMany ? .ordered : .toMany }
        default:
            guard bonds[index].back == nil, bonds[index].backBefore == nil else { return }
            bonds[index].back = "s\(bonds[index].id)v\(suffix)"
            bonds[index].backCardinality = bonds[index].cardinality == .toOne ? .toMany : .toOne
        }
    }

    // MARK: - Changes of the objects

    /// Changes objects of a store that is at this version.
    mutating func edit(_ context: ManagedObjectContext) throws {
        for _ in 0..<(3 + generator.below(8)) {
            let name = "o\(number())"
            let kind = kinds[generator.below(kinds.count)]
            _ = try context.add(kind.name, name)
            items[name] = Item(kind: kind.id)
            for field in fields(of: kind.id) { items[name]?.values[field.id] = field.standard }
        }
        for (name, item) in items.sorted(by: { $0.key < $1.key }) where generator.chance(30) {
            if generator.chance(12) {
                context.delete(try object(name, context))
                remove(name)
                continue
            }
            guard let field = fields(of: item.kind).randomElement(using: &generator) else { continue }
            let value = generator.below(1000)
            try object(name, context).setValue(field.isText ? "t\(value)" : value, forKey: field.name)
            items[name]?.values[field.id] = value
        }
        for bond in bonds where generator.chance(70) { try relate(bond, context) }
        try context.save()
    }

    private mutating func relate(_ bond: Bond, _ context: ManagedObjectContext) throws {
        let owners = items.keys.filter { isKind(items[$0]?.kind ?? -1, of: bond.first) }.sorted()
        let others = items.keys.filter { isKind(items[$0]?.kind ?? -1, of: bond.second) }.sorted()
        guard let owner = owners.randomElement(using: &generator), !others.isEmpty else { return }
        let count = bond.cardinality == .toOne ? 1 : 1 + generator.below(3)
        let chosen = Array(Set(others.shuffled(using: &generator).prefix(count)))
        let objects = try chosen.map { try object($0, context) }
        let value: Any = bond.cardinality == .toOne ? objects[0] as Any : bond.cardinality == .ordered ? objects as Any : Set(objects)
        try object(owner, context).setValue(value, forKey: bond.name)
        // A to-one inverse has room for one; so has a relationship to many without an inverse.
        let isExclusive = bond.back == nil ? bond.cardinality != .toOne : bond.backCardinality == .toOne
        var pairs = (links[bond.id] ?? []).filter { $0[0] != owner && !(isExclusive && chosen.contains($0[1])) }
        pairs.formUnion(chosen.map { [owner, $0] })
        links[bond.id] = pairs
    }

    private func object(_ name: String, _ context: ManagedObjectContext) throws -> ManagedObject {
        var kind = items[name].flatMap { item in kinds.first { $0.id == item.kind } }
        while let parent = kind?.parent { kind = kinds.first { $0.id == parent } }
        return try context.one(kind?.name ?? "", name)
    }

    private mutating func remove(_ name: String) {
        items[name] = nil
        links = links.mapValues { pairs in pairs.filter { !$0.contains(name) } }
    }
}
