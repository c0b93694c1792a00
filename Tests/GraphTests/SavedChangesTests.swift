import Strata
import StrataInMemory
import StrataTestRandom
import Testing

@Suite("The objects that a save lists as changed")
struct SavedChangesTests {
    private static let model = Result {
        try ManagedObjectModel {
            Entity("Node") {
                Attribute("name", .string)
                Relationship("next", to: "Node", inverse: "previous")
                Relationship("previous", to: "Node", inverse: "next")
            }
        }
    }

    private func ends(_ nodes: [ManagedObject]) throws -> [[ObjectID?]] {
        try nodes.map { node in
            try ["next", "previous"].map { node.isDeleted ? nil : (try node.value(forKey: $0) as? ManagedObject)?.objectID }
        }
    }

    // A one-to-one relationship that was set and set back, by the deletion of the other object, was listed as changed.
    @Test(
        "The updated objects are those whose one-to-one relationships differ from the stored ones", arguments: 1...60 as ClosedRange<UInt64>
    )
    func walk(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let coordinator = PersistentStoreCoordinator(model: try Self.model.get())
        try coordinator.addStore(StoreDescription(.inMemory))
        let context = ManagedObjectContext(coordinator)
        var nodes = try (0..<5).map { _ in try context.insert("Node") }
        try context.save()
        for _ in 0..<6 {
            let before = try ends(nodes)
            var trace: [String] = []
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                let alive = nodes.indices.filter { !nodes[$0].isDeleted && nodes[$0].managedObjectContext != nil }
                guard let a = alive.randomElement(using: &random), let b = alive.randomElement(using: &random) else { continue }
                switch Int.random(in: 0..<12, using: &random) {
                case 0:
                    trace.append("delete \(a)")
                    context.delete(nodes[a])
                case 1:
                    trace.append("insert \(nodes.count)")
                    nodes.append(try context.insert("Node"))
                case 2: try context.processPendingChanges()
                default:
                    let key = Bool.random(using: &random) ? "next" : "previous"
                    let value = Bool.random(using: &random) ? nodes[b] : nil
                    trace.append("\(a).\(key) = \(value == nil ? "nil" : "\(b)")")
                    try nodes[a].setValue(value, forKey: key)
                }
            }
            try context.processPendingChanges()
            let after = try ends(nodes)
            let expected = before.indices.filter { before[$0] != after[$0] && !nodes[$0].isDeleted }.map { nodes[$0].objectID }
            let saved = try context.save()
            #expect(Set(saved.updated.map(\.id)) == Set(expected), "\(before) \(trace)")
            nodes.removeAll { $0.managedObjectContext == nil || $0.isDeleted }
        }
    }
}
