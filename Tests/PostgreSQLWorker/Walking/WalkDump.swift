package import Strata

/// Everything in a context that can be observed, and what is wrong in it.
package struct WalkDump: Sendable {
    /// Values and destinations, written out, by root entity and reference.
    package private(set) var objects: [String: [String: String]] = [:]
    /// Who has a name.
    private var names: [String: String] = [:]
    package private(set) var problems: [String] = []

    /// How a dump reads relationships.
    package enum Way: CaseIterable { case faults, prefetched, batches }

    package init(_ context: ManagedObjectContext, _ way: Way = .faults, marks: Bool = true) throws {
        for root in WalkModel.roots where marks || root != "Mark" {
            var request = ObjectFetchRequest<ManagedObject>(entityName: root)
            switch way {
            case .faults: break
            case .prefetched:
                let entity = try context.entity(named: root)
                request.relationshipKeyPathsForPrefetching = entity.relationships.map(\.name)
                request.returnsObjectsAsFaults = false
            case .batches: request.fetchBatchSize = 3
            }
            let found = way == .batches ? Array(try context.fetchLazily(request)) : try context.fetch(request)
            for object in found { try add(object) }
        }
        try check(context)
    }

    /// What another dump has otherwise.
    package func differences(_ other: WalkDump) -> [String] {
        Set(objects.keys).union(other.objects.keys).filter { objects[$0] != other.objects[$0] }.map { id in
            guard let mine = objects[id], let theirs = other.objects[id] else {
                return "\(id) is only \(objects[id] == nil ? "there" : "here"): \(objects[id] ?? other.objects[id] ?? [:])"
            }
            let keys = Set(mine.keys).union(theirs.keys).filter { mine[$0] != theirs[$0] }.sorted()
            return "\(id): \(keys.map { "\($0) \(mine[$0] ?? "-") / \(theirs[$0] ?? "-")" })"
        }.sorted()
    }

    package func object(named name: String) -> [String: String]? { names[name].flatMap { objects[$0] } }

    private mutating func add(_ object: ManagedObject) throws {
        let id = WalkDump.text(object.objectID)
        var values: [String: String] = ["entity": object.entity.name]
        for attribute in object.entity.attributes {
            values[attribute.name] = try object.value(forKey: attribute.name).map { "\($0)" } ?? "nil"
        }
        for relationship in object.entity.relationships {
            var ids = try object.objectIDs(forRelationshipNamed: relationship.name).map(WalkDump.text)
            if Set(ids).count != ids.count { problems.append("\(id).\(relationship.name) repeats: \(ids)") }
            if !relationship.isOrdered { ids.sort() }
            values[relationship.name] = ids.joined(separator: " ")
        }
        if objects.updateValue(values, forKey: id) != nil { problems.append("\(id) is fetched twice") }
        guard let name = values["name"] else { return }
        if let other = names.updateValue(id, forKey: name) { problems.append("\(other) and \(id) are both \(name)") }
    }

    private static func text(_ id: ObjectID) -> String { "\(id.entity.rootName)/\(id.reference)" }

    /// Inverses, destinations that are gone, required ones, and what accounts have together.
    private mutating func check(_ context: ManagedObjectContext) throws {
        for (id, values) in objects {
            for relationship in try context.entity(named: values["entity"] ?? "").relationships {
                let (name, inverse) = (relationship.name, relationship.declaration.inverse ?? "")
                let destinations = (values[name] ?? "").split(separator: " ").map(String.init)
                if !relationship.isToMany, !relationship.isOptional, destinations.isEmpty { problems.append("\(id) has no \(name)") }
                for destination in destinations {
                    guard let theirs = objects[destination] else {
                        problems.append("\(id).\(name) leads to \(destination), which is gone")
                        continue
                    }
                    if !(theirs[inverse] ?? "").split(separator: " ").contains(Substring(id)) {
                        problems.append("\(id).\(name) leads to \(destination), whose \(inverse) does not lead back")
                    }
                }
            }
        }
        let accounts = objects.values.filter { $0["entity"] == "Account" }
        let sum = accounts.compactMap { $0["balance"].flatMap(Int.init) }.reduce(0, +)
        if sum != WalkModel.total { problems.append("the accounts have \(sum) together: \(accounts.map { $0["balance"] ?? "nil" })") }
        for account in accounts where account["up"] != account["down"].map({ $0 == "0" ? "0" : String($0.dropFirst()) }) {
            problems.append("a batch update is there in part: up \(account["up"] ?? "nil"), down \(account["down"] ?? "nil")")
        }
    }
}
