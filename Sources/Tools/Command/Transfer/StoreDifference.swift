import Strata
import StrataStoreTool

/// The differences between the objects of two stores.
struct StoreDifference {
    /// A difference: an object that one store lacks, or one property of an object of both.
    struct Difference: CustomStringConvertible {
        let object: String
        let key: String?
        let old: Value?
        let new: Value?

        var description: String {
            guard let key else { return old == nil ? "+ \(object)" : "- \(object)" }
            return "~ \(object).\(key): \(old ?? .null) -> \(new ?? .null)"
        }

        /// The difference as JSON.
        var json: JSON {
            .object([
                "object": .string(object), "kind": .string(key != nil ? "changed" : old == nil ? "added" : "removed"),
                "property": JSON(key),
                "old": key == nil ? .null : (old ?? .null).json, "new": key == nil ? .null : (new ?? .null).json,
            ])
        }
    }

    private let old: OpenStore
    private let new: OpenStore
    private let keys: [String: [String]]

    /// Creates the differences of two stores.
    ///
    /// - Parameter keys: The attributes that identify the objects of an entity; where there are none, their IDs do.
    init(_ old: OpenStore, _ new: OpenStore, keys: [String: [String]]) {
        self.old = old
        self.new = new
        self.keys = keys
    }

    /// Calls a block with each difference, entity by entity.
    ///
    /// - Throws: What the stores throw; `CommandFailure` where several objects have one key.
    func forEach(_ body: (Difference) throws -> Void) throws {
        let names = Set(old.model.entities.filter { !$0.isAbstract }.map(\.name)).union(
            new.model.entities.filter { !$0.isAbstract }.map(\.name))
        try old.read { oldContext in
            try new.read { newContext in
                for name in names.sorted() { try compare(name, oldContext, newContext, body) }
            }
        }
    }

    private func compare(
        _ name: String, _ oldContext: ManagedObjectContext, _ newContext: ManagedObjectContext, _ body: (Difference) throws -> Void
    ) throws {
        let before = try ObjectIndex(name, keys[name] ?? [], oldContext)
        var after = try ObjectIndex(name, keys[name] ?? [], newContext)
        for (key, id) in before.ids.sorted(by: { $0.value.reference < $1.value.reference }) {
            guard let other = after.ids.removeValue(forKey: key) else {
                try body(Difference(object: key, key: nil, old: .objectID(id), new: nil))
                continue
            }
            let (first, second) = (try before.values(of: id, oldContext), try after.values(of: other, newContext))
            for property in Set(first.keys).union(second.keys).sorted() where first[property] != second[property] {
                try body(Difference(object: key, key: property, old: first[property], new: second[property]))
            }
        }
        for (key, id) in after.ids.sorted(by: { $0.value.reference < $1.value.reference }) {
            try body(Difference(object: key, key: nil, old: nil, new: .objectID(id)))
        }
    }
}

/// The objects of an entity in a store by what identifies them.
private struct ObjectIndex {
    var ids: [String: ObjectID] = [:]
    private let comparesReferences: Bool

    init(_ name: String, _ keys: [String], _ context: ManagedObjectContext) throws {
        comparesReferences = keys.isEmpty
        guard context.model.entity(named: name) != nil else { return }
        var request = ObjectFetchRequest<ManagedObject>(entityName: name)
        request.includesSubentities = false
        guard !keys.isEmpty else {
            for id in try context.fetchObjectIDs(request) { ids["\(name)/p\(id.reference)"] = id }
            return
        }
        request.propertiesToFetch = [ExpressionDescription("SELF")] + keys.map { ExpressionDescription($0) }
        for row in try context.fetchDictionaries(request) {
            guard case .objectID(let id) = row.values[0] else { continue }
            let key = "\(name)(\(row.values.dropFirst().map(\.description).joined(separator: ", ")))"
            guard ids.updateValue(id, forKey: key) == nil else {
                throw CommandFailure(.data, "several objects of \(name) have the key \(key)")
            }
        }
    }

    /// Returns the values of an object: its attributes, and where objects are identified by their IDs also its destinations.
    func values(of id: ObjectID, _ context: ManagedObjectContext) throws -> [String: Value] {
        let members = try ObjectMembers(try context.existingObject(with: id)).all.dropFirst()
        let kept = comparesReferences ? members : members.filter { id.entity.attribute(named: $0.name) != nil }
        return Dictionary(uniqueKeysWithValues: kept.map { ($0.name, $0.value.withReferences) })
    }
}

extension Value {
    /// The value with objects as entity and number, which are the same in both stores.
    fileprivate var withReferences: Value {
        switch self {
        case .objectID(let id): .string("\(id.entity.name)/p\(id.reference)")
        case .list(let values): .list(values.map(\.withReferences))
        default: self
        }
    }
}
