import Foundation
import Strata
import StrataModel
import StrataTestRandom

/// Objects of every entity of a model, with values of every attribute and destinations of every relationship.
enum FilledStore {
    /// Inserts objects that a seed determines, and saves them.
    static func fill(_ context: ManagedObjectContext, seed: UInt64, each count: Int = 3) throws {
        var generator = SeededGenerator(seed: seed)
        let model = context.model
        var objects: [EntityIndex: [ManagedObject]] = [:]
        for entity in model.entities where !entity.isAbstract {
            for number in 0..<count {
                let object = try context.insert(entity.name)
                for attribute in entity.attributes where !attribute.isDerived {
                    let isConstrained = entity.uniquenessConstraints.contains { $0.names.contains(attribute.name) }
                    guard let value = value(of: attribute, isConstrained ? objects.count * count + number : nil, &generator) else {
                        continue
                    }
                    try object.setValue(value, forKey: attribute.name)
                }
                objects[entity.index, default: []].append(object)
            }
        }
        for entity in model.entities where !entity.isAbstract {
            for (number, object) in (objects[entity.index] ?? []).enumerated() {
                for relationship in entity.relationships where !relationship.isHidden && !relationship.isTransient {
                    let tree = model.destination(of: relationship).entities(includingSubentities: true)
                    let candidates = tree.flatMap { objects[$0] ?? [] }
                    if candidates.isEmpty { continue }
                    let chosen = (0..<2).map { _ in candidates[Int.random(in: 0..<candidates.count, using: &generator)] }
                    if !relationship.isToMany {
                        // Partners that take each other's are left alone, where one must have one.
                        let own = candidates[number % candidates.count]
                        try object.setValue(relationship.isOptional ? chosen[0] : own, forKey: relationship.name)
                    } else if relationship.isOrdered {
                        try object.setValue(chosen[0] === chosen[1] ? [chosen[0]] : chosen, forKey: relationship.name)
                    } else if model.inverse(of: relationship)?.isToMany != false {
                        try object.setValue(Set(chosen), forKey: relationship.name)
                    }
                }
            }
        }
        try context.save()
    }

    private static func value(
        of attribute: AttributeDescription, _ number: Int?, _ generator: inout SeededGenerator
    ) -> Any? {
        if attribute.isOptional, number == nil, Int.random(in: 0..<5, using: &generator) == 0 { return nil }
        let texts = ["", "a\u{0}b", "<&>\"'\n\r\t", "Größe 🜁", String(repeating: "long ", count: 300), "nil"]
        let dates = [0, -63_114_076_800, 0.1, 1e9, 978_307_200.5]
        let place = Int.random(in: 0..<60, using: &generator)
        // The fixtures' rules are bounds.
        if !attribute.declaration.validation.isEmpty, attribute.type.isNumeric { return attribute.type == .decimal ? Decimal(3) as Any : 3 }
        switch attribute.type {
        case .integer16, .integer32, .integer64:
            if let number { return number }
            let range = attribute.type.integerRange ?? 0...0
            return [range.lowerBound, range.upperBound, 0, 1, -1, 77][place % 6]
        case .decimal: return Decimal(string: ["0", "-12345678901234567890.123456789", "1e-20", "99.95"][place % 4])
        case .double: return [0, -0.1, 1e300, .leastNonzeroMagnitude, .infinity, 3][place % 6]
        case .float: return [Float(0), -0.1, 1e30, 3][place % 4]
        case .string: return number.map { "\($0)" } ?? texts[place % texts.count]
        case .boolean: return place % 2 == 0
        case .date: return Date(timeIntervalSinceReferenceDate: dates[place % dates.count])
        case .binary, .transformable: return Data((0..<[0, 1, 300, 20_000][place % 4]).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        case .uuid: return number.map { UUID(uuidString: "00000000-0000-4000-8000-\(100_000_000_000 + $0)") ?? UUID() } ?? UUID()
        case .uri: return URL(string: "https://example.org/a%20b?c=d#e")
        case .undefined, .composite: return nil
        }
    }
}

/// What a store holds: by the entity's name and the object's number its values, and whom it leads to.
struct StoreContents: Equatable {
    struct Record: Equatable {
        var attributes: [String: String] = [:]
        var destinations: [String: [String]] = [:]
    }
    var records: [String: Record] = [:]

    init() {}

    init(of context: ManagedObjectContext) throws {
        for entity in context.model.entities where !entity.isAbstract {
            var request = ObjectFetchRequest<ManagedObject>(entityName: entity.name)
            request.includesSubentities = false
            for object in try context.fetch(request) {
                var record = Record()
                for attribute in entity.attributes where !attribute.isTransient && !attribute.isDerived {
                    record.attributes[attribute.name] = try object.value(forKey: attribute.name).map { "\($0)" } ?? "nil"
                }
                for relationship in entity.relationships where !relationship.isHidden && !relationship.isTransient {
                    let names = try object.objectIDs(forRelationshipNamed: relationship.name).map(StoreContents.name)
                    record.destinations[relationship.name] = relationship.isOrdered ? names : names.sorted()
                }
                records[StoreContents.name(object.objectID)] = record
            }
        }
    }

    private static func name(_ id: ObjectID) -> String { "\(id.entity.name)/\(id.reference)" }

    /// What a store with these objects holds after lightweight migration, by the names of both models alone.
    func migrated(from old: ManagedObjectModel, to new: ManagedObjectModel) -> StoreContents {
        var successors: [String: EntityDescription] = [:]
        for entity in new.entities {
            let name = old.entity(named: entity.name) != nil ? entity.name : entity.renamingIdentifier ?? entity.name
            successors[name] = entity
        }
        func renamed(_ name: String) -> String? {
            let parts = name.split(separator: "/")
            return successors[String(parts[0])].flatMap { $0.isAbstract ? nil : "\($0.name)/\(parts[1])" }
        }
        var contents = StoreContents()
        for (name, record) in records {
            let entityName = String(name.split(separator: "/")[0])
            guard let newName = renamed(name), let entity = successors[entityName], let former = old.entity(named: entityName) else {
                continue
            }
            var migrated = Record()
            for attribute in entity.attributes where !attribute.isTransient && !attribute.isDerived {
                let source =
                    former.attribute(named: attribute.name) ?? former.attribute(named: attribute.declaration.renamingIdentifier ?? "")
                let value = source.flatMap { $0.isTransient ? nil : record.attributes[$0.name] }
                let isLacking = value == nil || (value == "nil" && !attribute.isOptional)
                migrated.attributes[attribute.name] = isLacking ? StoreContents.text(attribute.defaultValue) : value
            }
            for relationship in entity.relationships where !relationship.isHidden && !relationship.isTransient {
                let source =
                    former.relationship(named: relationship.name)
                    ?? former.relationship(named: relationship.declaration.renamingIdentifier ?? "")
                let names = (source.flatMap { record.destinations[$0.name] } ?? []).compactMap(renamed)
                migrated.destinations[relationship.name] = relationship.isOrdered ? names : names.sorted()
            }
            contents.records[newName] = migrated
        }
        return contents
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .null: "nil"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .string(let value): value
        case .date(let value): "\(value)"
        case .data(let value): "\(value)"
        case .uuid(let value): "\(value)"
        case .url(let value): "\(value)"
        case .objectID, .list: "none"
        }
    }

    /// The first differences, in words.
    func differences(from other: StoreContents) -> [String] {
        var found: [String] = []
        for name in Set(records.keys).union(other.records.keys).sorted() {
            guard let own = records[name], let their = other.records[name] else {
                found.append("\(name) is \(records[name] == nil ? "missing" : "left over")")
                continue
            }
            for (key, value) in own.attributes.sorted(by: { $0.key < $1.key }) where their.attributes[key] != value {
                found.append("\(name).\(key) is \(value.prefix(60)), not \((their.attributes[key] ?? "absent").prefix(60))")
            }
            for (key, value) in own.destinations.sorted(by: { $0.key < $1.key }) where their.destinations[key] != value {
                found.append("\(name).\(key) leads to \(value), not \(their.destinations[key] ?? [])")
            }
        }
        return found
    }
}
