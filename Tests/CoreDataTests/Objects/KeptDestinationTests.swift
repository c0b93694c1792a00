import CoreData
import Testing

// Objects kept nobody alive: what a relationship led to was made anew each time that it was read, a fault again, and without what its class had
// stored beside the model's properties. Core Data's objects keep their destinations until they are faults.
struct KeptDestinationTests {
    final class Node: NSManagedObject {
        var mark = 0
        var awakenings = 0

        override func awakeFromFetch() { awakenings += 1 }

        var next: Node? {
            get { value(forKey: "next") as? Node }
            set { setValue(newValue, forKey: "next") }
        }
        var leaves: Set<Node> { value(forKey: "leaves") as? Set<Node> ?? [] }
    }

    private static func relationship(_ name: String, _ destination: NSEntityDescription, isToMany: Bool) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = isToMany ? 0 : 1
        return relationship
    }

    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        let node = NSEntityDescription()
        node.name = "Node"
        node.managedObjectClassName = NSStringFromClass(Node.self)
        let name = NSAttributeDescription()
        name.name = "name"
        name.attributeType = .stringAttributeType
        let (next, previous) = (Self.relationship("next", node, isToMany: false), Self.relationship("previous", node, isToMany: false))
        let (leaves, trunk) = (Self.relationship("leaves", node, isToMany: true), Self.relationship("trunk", node, isToMany: false))
        for (relationship, inverse) in [(next, previous), (leaves, trunk)] {
            relationship.inverseRelationship = inverse
            inverse.inverseRelationship = relationship
        }
        node.properties = [name, next, previous, leaves, trunk]
        let model = NSManagedObjectModel()
        model.entities = [node]
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    }

    private func makeContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// Saves a chain of nodes, the first of which has the others as its leaves too where it is asked for.
    private func saveChain(of count: Int, withLeaves: Bool = false) throws {
        let context = makeContext()
        try context.performAndWait {
            var last: Node?
            let nodes = (0..<count).map { place in
                let node = Node(context: context)
                node.setValue("\(place)", forKey: "name")
                node.setValue(last, forKey: "previous")
                last = node
                return node
            }
            if withLeaves { nodes[0].setValue(Set(nodes.dropFirst()), forKey: "leaves") }
            try context.save()
        }
    }

    private func first(in context: NSManagedObjectContext) throws -> Node {
        let request = NSFetchRequest<Node>(entityName: "Node")
        request.predicate = NSPredicate(format: "previous == nil")
        return try #require(context.fetch(request).first)
    }

    @Test("A destination that was read stays what it is") func staying() throws {
        try saveChain(of: 4, withLeaves: true)
        let context = makeContext()
        try context.performAndWait {
            let first = try first(in: context)
            weak let next = first.next
            #expect(next?.isFault == true)
            #expect(first.next?.value(forKey: "name") as? String == "1")
            first.next?.mark = 5
            #expect(first.next === next)
            #expect(first.next?.isFault == false)
            #expect(first.next?.mark == 5)
            #expect(first.next?.awakenings == 1)
            for leaf in first.leaves { leaf.mark += 1 }
            #expect(first.leaves.map(\.mark).sorted() == [1, 1, 6])
        }
    }

    @Test("A destination goes as its source becomes a fault, has another one, or the context is reset") func going() throws {
        try saveChain(of: 3, withLeaves: true)
        let context = makeContext()
        try context.performAndWait {
            let first = try first(in: context)
            weak let next = first.next
            weak let leaf = first.leaves.first { $0 !== next }
            #expect(next != nil)
            #expect(leaf != nil)
            context.refresh(first, mergeChanges: false)
            #expect(next == nil)
            #expect(leaf == nil)
            weak let again = first.next
            #expect(again != nil)
            first.next = nil
            #expect(first.next == nil)
            context.reset()
            #expect(again == nil)
            #expect(first.isFault)
        }
    }

    @Test("Objects that keep each other go with their context") func goingTogether() throws {
        try saveChain(of: 3, withLeaves: true)
        weak var kept: Node?
        do {
            let context = makeContext()
            try context.performAndWait {
                let first = try first(in: context)
                kept = first
                #expect(first.next?.value(forKey: "previous") as? Node === first)
                for leaf in first.leaves { #expect(leaf.value(forKey: "trunk") as? Node === first) }
            }
            #expect(kept != nil)
        }
        // A context lets go of what is used on its queue there.
        for _ in 0..<60_000 where kept != nil { Thread.sleep(forTimeInterval: 0.01) }
        #expect(kept == nil)
    }

    // One object that lets go of the next, each within the other's end, overflowed the stack.
    @Test("A long chain goes without overflowing the stack") func longChain() throws {
        try saveChain(of: 60_000)
        let context = makeContext()
        weak var last: Node?
        try context.performAndWait {
            var node = try first(in: context)
            let first = node
            while let next = node.next { node = next }
            last = node
            #expect(first.next != nil)
        }
        #expect(last == nil)
    }

    /// A destination that was read was kept for good, whatever came in its place, and be it none.
    @Test("A destination goes when its source gets another, or none, and when it is deleted") func replacing() throws {
        try saveChain(of: 2)
        for way in 0..<3 {
            let context = makeContext()
            try context.performAndWait {
                let node = try first(in: context)
                weak let next = node.next
                #expect(next != nil)
                switch way {
                case 0: node.next = nil
                case 1: node.next = Node(context: context)
                default: if let next { context.delete(next) }
                }
                try context.save()
                #expect(next == nil, "\(way)")
            }
            try context.performAndWait {
                for node in try context.fetch(NSFetchRequest<Node>(entityName: "Node")) { context.delete(node) }
                try context.save()
            }
            try saveChain(of: 2)
        }
    }

    /// Only what was read was kept: what an object was given went as nobody else had it, with all that its class kept beside the model.
    @Test("What an object is given is kept as what it reads is, at both ends") func given() throws {
        let context = makeContext()
        try context.performAndWait {
            let first = Node(context: context)
            weak var next: Node?
            weak var leaf: Node?
            do {
                let (other, member) = (Node(context: context), Node(context: context))
                (other.mark, member.mark) = (1, 2)
                first.next = other
                member.setValue(first, forKey: "trunk")
                (next, leaf) = (other, member)
            }
            try context.save()
            #expect(next?.isFault == false)
            #expect(first.next?.mark == 1)
            #expect(first.leaves.map(\.mark) == [2])
            leaf?.setValue(nil, forKey: "trunk")
            try context.save()
            #expect(leaf == nil)
        }
    }

    /// A member that was read and taken away was kept until the others were read again.
    @Test("A member that is taken away is kept no longer") func takingAway() throws {
        try saveChain(of: 4, withLeaves: true)
        let context = makeContext()
        try context.performAndWait {
            let first = try first(in: context)
            weak let leaf = first.leaves.first { $0.value(forKey: "name") as? String == "3" }
            #expect(leaf != nil)
            first.mutableSetValue(forKey: "leaves").remove(try #require(leaf))
            try context.save()
            #expect(leaf == nil)
            #expect(first.leaves.count == 2)
        }
    }

    /// What an object had was looked for in the row that it had when the event began, and a fault had none.
    @Test("A fault that fires within an event had its saved values before") func firing() throws {
        try saveChain(of: 2)
        let context = makeContext()
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObjectID>(entityName: "Node")
            request.resultType = .managedObjectIDResultType
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            let nodes = try context.fetch(request).compactMap { context.object(with: $0) as? Node }
            try #require(nodes.count == 2)
            let trunk = nodes[0]
            trunk.setValue(Set([nodes[1]]), forKey: "leaves")
            nodes[1].setValue("x", forKey: "name")
            #expect(nodes[1].changedValuesForCurrentEvent()["name"] as? String == "1")
        }
    }
}
