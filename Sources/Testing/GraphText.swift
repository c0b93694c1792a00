public import StrataGraph
import StrataModel
import StrataValueText

extension ManagedObjectContext {
    /// Returns the objects of some entities as text, with their attributes and relationships, in an order that depends on their values alone.
    ///
    /// ```
    /// Book 1
    ///   title: "Emma"
    ///   shelf: Shelf 1
    /// Shelf 1
    ///   name: "Novels"
    ///   books: Book 1
    /// ```
    /// Objects are numbered by their values and those of their destinations, so that the text is the same in whichever order they were
    /// inserted. What is nil or has no destination is left out. Unsaved changes are included.
    ///
    /// - Parameter entityNames: The entities, each without its subentities; all entities where there are none. Destinations of another entity
    ///   are shown by its name.
    /// - Complexity: O(*n* log *n*) for *n* objects where their attributes distinguish most of them.
    /// - Throws: `StoreError` with `unknownEntity`; what the stores throw.
    public func graphText(of entityNames: String...) throws -> String {
        let names = entityNames.isEmpty ? model.entities.filter { !$0.isAbstract }.map(\.name) : entityNames
        var nodes: [GraphNode] = []
        for name in Set(names).sorted() {
            var request = ObjectFetchRequest<ManagedObject>(entityName: name)
            request.includesSubentities = false
            for object in try fetch(request) { nodes.append(try GraphNode(object)) }
        }
        return GraphNumbering(nodes).text()
    }
}

/// An object as the text of a graph shows it.
private struct GraphNode {
    let id: ObjectID
    let entityName: String
    /// The lines of its attributes.
    let attributes: [String]
    let relationships: [(name: String, isOrdered: Bool, destinations: [ObjectID])]

    init(_ object: ManagedObject) throws {
        id = object.objectID
        entityName = object.entity.name
        let snapshot = object.snapshot()
        attributes = object.entity.attributes.filter { !$0.isTransient }.compactMap { attribute in
            guard let value = snapshot.value(forKey: attribute.name), !value.isNull else { return nil }
            return "\(attribute.name): \(value.json.line)"
        }
        relationships = try object.entity.relationships.filter { !$0.isHidden }.map {
            ($0.name, $0.isOrdered, try object.objectIDs(forRelationshipNamed: $0.name))
        }
    }
}

/// Numbers the objects of a graph by their values, then by the numbers of their destinations until those distinguish no more of them
/// (colour refinement).
private struct GraphNumbering {
    private let nodes: [GraphNode]
    private let indexes: [ObjectID: Int]
    /// The rank of each node: equal ones are not distinguished.
    private var ranks: [Int]

    init(_ nodes: [GraphNode]) {
        self.nodes = nodes
        indexes = Dictionary(uniqueKeysWithValues: nodes.enumerated().map { ($1.id, $0) })
        ranks = GraphNumbering.ranks(nodes.map { [$0.entityName] + $0.attributes }) { $0.lexicographicallyPrecedes($1) }
        refine()
        // Equal nodes that are left differ in nothing, or in how they are connected: one of them is put before the others, whichever.
        while let repeated = firstRepeatedRank() {
            if let index = ranks.indices.first(where: { ranks[$0] == repeated }) {
                for other in ranks.indices where other != index && ranks[other] >= repeated { ranks[other] += 1 }
            }
            refine()
        }
    }

    func text() -> String {
        let order = nodes.indices.sorted { ranks[$0] < ranks[$1] }
        var labels: [ObjectID: String] = [:]
        var counts: [String: Int] = [:]
        for index in order {
            counts[nodes[index].entityName, default: 0] += 1
            labels[nodes[index].id] = "\(nodes[index].entityName) \(counts[nodes[index].entityName] ?? 0)"
        }
        var lines: [String] = []
        for index in order {
            let node = nodes[index]
            lines.append(labels[node.id] ?? node.entityName)
            lines += node.attributes.map { "  " + $0 }
            for relationship in node.relationships where !relationship.destinations.isEmpty {
                let destinations = sorted(relationship.destinations, isOrdered: relationship.isOrdered)
                lines.append("  \(relationship.name): " + destinations.map { labels[$0] ?? $0.entity.name }.joined(separator: ", "))
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private mutating func refine() {
        var count = Set(ranks).count
        while count < ranks.count {
            let positions = positions()
            let keys = nodes.indices.map { index in
                [[ranks[index]]] + positions[index]
                    + nodes[index].relationships.map { relationship in
                        sorted(relationship.destinations, isOrdered: relationship.isOrdered).map(rank)
                    }
            }
            ranks = GraphNumbering.ranks(keys) { $0.lexicographicallyPrecedes($1) { $0.lexicographicallyPrecedes($1) } }
            let refined = Set(ranks).count
            if refined == count { return }
            count = refined
        }
    }

    /// Returns the positions of each node in the ordered relationships of others: the owner's rank, the relationship and the index.
    private func positions() -> [[[Int]]] {
        var positions: [[[Int]]] = Array(repeating: [], count: nodes.count)
        for (owner, node) in nodes.enumerated() {
            for (number, relationship) in node.relationships.enumerated() where relationship.isOrdered {
                for (position, destination) in relationship.destinations.enumerated() {
                    if let index = indexes[destination] { positions[index].append([ranks[owner], number, position]) }
                }
            }
        }
        return positions.map { $0.sorted { $0.lexicographicallyPrecedes($1) } }
    }

    private func firstRepeatedRank() -> Int? {
        var met: Set<Int> = []
        return ranks.filter { !met.insert($0).inserted }.min()
    }

    /// The destinations of an ordered relationship as they are, and those of another one by their ranks.
    private func sorted(_ destinations: [ObjectID], isOrdered: Bool) -> [ObjectID] {
        if isOrdered { return destinations }
        return destinations.sorted { (rank($0), $0.entity.name) < (rank($1), $1.entity.name) }
    }

    /// The rank of an object; that of objects outside of the text is beyond all others.
    private func rank(_ id: ObjectID) -> Int { indexes[id].map { ranks[$0] } ?? nodes.count * 2 }

    /// Returns the position of each key among the distinct keys.
    private static func ranks<Key: Equatable>(_ keys: [Key], by precedes: (Key, Key) -> Bool) -> [Int] {
        let order = keys.indices.sorted { precedes(keys[$0], keys[$1]) }
        var ranks = Array(repeating: 0, count: keys.count)
        for (position, index) in order.enumerated() where position > 0 {
            let before = order[position - 1]
            ranks[index] = ranks[before] + (keys[before] == keys[index] ? 0 : 1)
        }
        return ranks
    }
}
