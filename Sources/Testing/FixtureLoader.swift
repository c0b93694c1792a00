import StrataGraph
import StrataModel
import StrataValueText

/// Makes objects of fixtures: all objects first, so that relationships find their destinations in any order.
struct FixtureLoader {
    /// An object with the members that the fixtures give it.
    private struct Entry {
        let object: ManagedObject
        let label: String
        let members: [(name: String, value: FixtureNode)]
    }

    private let context: ManagedObjectContext
    private var named: [String: ManagedObject] = [:]
    private var entries: [Entry] = []

    init(_ context: ManagedObjectContext) { self.context = context }

    mutating func load(_ entities: [(name: String, value: FixtureNode)]) throws -> [String: ManagedObject] {
        for (entity, objects) in entities.sorted(by: { $0.name < $1.name }) {
            guard let description = context.model.entity(named: entity) else { throw FixtureError("the model has no entity \(entity)") }
            guard !description.isAbstract else { throw FixtureError("\(entity) is abstract and has no objects") }
            switch objects.content {
            case .array(let objects): for (index, object) in objects.enumerated() { try insert(entity, "\(index + 1)", object) }
            case .object(let objects):
                for (name, object) in objects.sorted(by: { $0.name < $1.name }) {
                    let inserted = try insert(entity, name, object)
                    guard named.updateValue(inserted, forKey: name) == nil else {
                        throw FixtureError("\(entity) \(name), line \(object.line): another object of the fixtures has the name")
                    }
                }
            default: throw FixtureError("\(entity), line \(objects.line): neither an array nor an object")
            }
        }
        for entry in entries {
            for (name, value) in entry.members.sorted(by: { $0.name < $1.name }) { try set(name, value.json, of: entry) }
        }
        return named
    }

    @discardableResult
    private mutating func insert(_ entity: String, _ name: String, _ node: FixtureNode) throws -> ManagedObject {
        let label = "\(entity) \(name), line \(node.line)"
        guard case .object(let members) = node.content else { throw FixtureError("\(label): no object of JSON") }
        let object = try context.insert(entity)
        entries.append(Entry(object: object, label: label, members: members))
        return object
    }

    private func set(_ name: String, _ json: JSON, of entry: Entry) throws {
        let entity = entry.object.entity
        if let attribute = entity.attribute(named: name) {
            let value = json == .null ? .null : attribute.type.value(json)
            guard let value else { throw FixtureError("\(entry.label): \(name) is \(attribute.type), and does not take \(json.line)") }
            return try setValue(value, name, of: entry)
        }
        if entity.compositeAttribute(named: name) != nil, case .object(let elements) = json {
            for (element, value) in elements.sorted(by: { $0.key < $1.key }) { try set("\(name).\(element)", value, of: entry) }
            return
        }
        guard let relationship = entity.relationship(named: name), !relationship.isHidden else {
            throw FixtureError("\(entry.label): \(entity.name) has no property \(name)")
        }
        switch json {
        case .null: try setValue(nil, name, of: entry)
        case .string(let text) where !relationship.isToMany: try setValue(try destination(text, name, of: entry), name, of: entry)
        case .array(let names) where relationship.isToMany:
            let objects = try names.map { destinationName in
                guard case .string(let text) = destinationName else {
                    throw FixtureError("\(entry.label): \(name) takes the names of objects, not \(destinationName.line)")
                }
                return try destination(text, name, of: entry)
            }
            try setValue(objects, name, of: entry)
        default:
            throw FixtureError(
                "\(entry.label): \(name) takes \(relationship.isToMany ? "an array of names" : "the name of an object"), not \(json.line)")
        }
    }

    private func destination(_ name: String, _ property: String, of entry: Entry) throws -> ManagedObject {
        guard let object = named[name] else { throw FixtureError("\(entry.label): \(property) names \(name), which the fixtures have not") }
        return object
    }

    private func setValue(_ value: Any?, _ name: String, of entry: Entry) throws {
        do { try entry.object.setValue(value, forKey: name) } catch { throw FixtureError("\(entry.label): \(error)") }
    }
}
