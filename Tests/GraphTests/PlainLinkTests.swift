import Observation
import Strata
import StrataInMemory
import StrataTestRandom
import Testing

@testable import StrataGraph

private final class Leaf: ManagedObject {
    static let number = Key<Int64>("number")
    static let branch = ToOne<Branch>("branch")
}

private final class Branch: ManagedObject {
    static let leaves = ToMany<Leaf>("leaves")
}

/// Leaves and branches in a store of their own.
private final class Tree {
    let container: PersistentContainer
    private(set) var context: ManagedObjectContext
    private(set) var leaves: [Leaf] = []
    private(set) var branches: [Branch] = []
    private let isJournaled: Bool

    /// - Parameter isJournaled: Whether an undo manager has to know of each change.
    init(isJournaled: Bool) throws {
        let model = try ManagedObjectModel {
            Entity("Leaf", class: Leaf.self) {
                Attribute("number", .integer64)
                Relationship("branch", to: "Branch", inverse: "leaves")
            }
            Entity("Branch", class: Branch.self) { Relationship("leaves", to: "Leaf", inverse: "branch", .toMany) }
        }
        container = try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)])
        context = ManagedObjectContext(container.coordinator)
        self.isJournaled = isJournaled
        if isJournaled { context.undoManager = UndoManager() }
    }

    func insertLeaf() {
        let leaf = Leaf(context: context)
        leaf[Leaf.number] = Int64(leaves.count)
        leaves.append(leaf)
    }

    /// Leaves out what the context discarded.
    func prune() {
        leaves.removeAll { $0.managedObjectContext == nil }
        branches.removeAll { $0.managedObjectContext == nil }
    }

    func insertBranch() { branches.append(Branch(context: context)) }

    /// Fetches all in a new context, so that nothing is loaded.
    func reopen() throws {
        try context.save()
        let ids = (leaves.map(\.objectID), branches.map(\.objectID))
        context = ManagedObjectContext(container.coordinator)
        if isJournaled { context.undoManager = UndoManager() }
        leaves = ids.0.compactMap { context.object(with: $0) as? Leaf }
        branches = ids.1.compactMap { context.object(with: $0) as? Branch }
        _ = try context.fetch(ObjectFetchRequest<Leaf>())
    }

    /// The number of each leaf's branch, and those of each branch's leaves.
    var state: [[Int]] {
        leaves.map { leaf in leaf[Leaf.branch].flatMap { branches.firstIndex(of: $0) }.map { [$0] } ?? [] }
            + branches.map { branch in leaves.indices.filter { branch[Branch.leaves].contains(leaves[$0]) } }
    }

    var changes: [Bool] { leaves.map(\.hasChanges) + branches.map(\.hasChanges) }
}

@Suite("Assigned to-one relationships") struct PlainLinkTests {
    @Test("Relationships are the same whether or not something has to know of each change", arguments: 0..<24)
    func oracle(_ seed: Int) throws {
        let trees = try [Tree(isJournaled: false), Tree(isJournaled: true)]
        var random = SeededGenerator(seed: UInt64(seed))
        for step in 0..<120 {
            let (kind, first, second) = (
                Int.random(in: 0..<12, using: &random), Int.random(in: 0..<1_000, using: &random), Int.random(in: 0..<1_000, using: &random)
            )
            for tree in trees { try apply(kind, first, second, to: tree) }
            if random.next() % 3 == 0 { #expect(trees[0].changes == trees[1].changes, "step \(step)") }
            if random.next() % 5 == 0 { #expect(trees[0].state == trees[1].state, "step \(step)") }
        }
        for tree in trees { try tree.reopen() }
        #expect(trees[0].state == trees[1].state)
    }

    private func apply(_ kind: Int, _ first: Int, _ second: Int, to tree: Tree) throws {
        defer { tree.prune() }
        guard !tree.leaves.isEmpty, !tree.branches.isEmpty else {
            tree.insertLeaf()
            return tree.insertBranch()
        }
        let (leaf, branch) = (tree.leaves[first % tree.leaves.count], tree.branches[second % tree.branches.count])
        switch kind {
        case 0: tree.insertLeaf()
        case 1 where tree.branches.count < 6: tree.insertBranch()
        case 2: leaf[Leaf.branch] = nil
        case 3: _ = branch[Branch.leaves].count
        case 4 where first % 3 == 0: try tree.context.save()
        case 5 where first % 5 == 0: try tree.reopen()
        case 6 where first % 4 == 0: tree.context.refresh(leaf, mergeChanges: second % 2 == 0)
        case 7 where first % 6 == 0: tree.context.rollback()
        case 8: leaf[Leaf.number] = Int64(second)
        default: leaf[Leaf.branch] = branch
        }
    }

    @Test("A new object that is related to a saved fault is saved with it, and the fault has it as a member")
    func newToFault() throws {
        let tree = try Tree(isJournaled: false)
        tree.insertBranch()
        tree.insertLeaf()
        tree.leaves[0][Leaf.branch] = tree.branches[0]
        try tree.reopen()
        for _ in 0..<3 {
            tree.insertLeaf()
            tree.leaves[tree.leaves.count - 1][Leaf.branch] = tree.branches[0]
        }
        #expect(tree.branches[0].isFault)
        #expect(tree.branches[0][Branch.leaves].count == 4)
        try tree.reopen()
        #expect(tree.state == [[0], [0], [0], [0], [0, 1, 2, 3]])
    }

    @Test("A value that is set on an object whose row was deleted is kept by the object, which is no change")
    func deletedElsewhere() throws {
        let tree = try Tree(isJournaled: false)
        tree.insertLeaf()
        try tree.context.save()
        let context = ManagedObjectContext(tree.container.coordinator)
        let leaf = try #require(context.object(with: tree.leaves[0].objectID) as? Leaf)
        tree.context.delete(tree.leaves[0])
        try tree.context.save()
        #expect(leaf[Leaf.number] == nil)
        leaf[Leaf.number] = 70_000
        #expect(leaf[Leaf.number] == 70_000)
        #expect(context.updatedObjects.isEmpty)
        #expect(context.deletedObjects.isEmpty)
        context.rollback()
        #expect(leaf.isDeleted)
    }

    @Test("A listener is notified of both ends of a relationship that is assigned")
    func listener() throws {
        let tree = try Tree(isJournaled: false)
        tree.insertBranch()
        for _ in 0..<3 { tree.insertLeaf() }
        tree.leaves[0][Leaf.branch] = tree.branches[0]
        try tree.context.save()
        var updated: Set<ManagedObject> = []
        let subscription = tree.context.observeEvents { updated.formUnion($0.updated) }
        tree.leaves[1][Leaf.branch] = tree.branches[0]
        try tree.context.processPendingChanges()
        #expect(updated == [tree.leaves[1], tree.branches[0]])
        withExtendedLifetime(subscription) {}
    }

    @Test("A deleted destination, and one of another context, are refused as by the first assignment")
    func refused() throws {
        let tree = try Tree(isJournaled: false)
        for _ in 0..<2 { tree.insertBranch() }
        for _ in 0..<3 { tree.insertLeaf() }
        for leaf in tree.leaves.prefix(2) { leaf[Leaf.branch] = tree.branches[0] }
        try tree.context.save()
        tree.context.delete(tree.branches[0])
        tree.leaves[2][Leaf.branch] = tree.branches[0]
        try tree.context.save()
        #expect(tree.leaves.map { $0[Leaf.branch] } == [nil, nil, nil])
        tree.leaves[2][Leaf.branch] = tree.branches[1]
        #expect(tree.branches[1][Branch.leaves] == [tree.leaves[2]])
    }
}

@Suite("Parts of objects that nothing else retains") struct OwnPartsTests {
    /// The context is released first: what its objects reference without counting must not depend on it.
    @Test("An object keeps long texts, properties beyond the 64th, members and refused values after its context is released")
    func released() throws {
        let names = (0..<70).map { "a" + String($0) }
        let model = try ManagedObjectModel {
            Entity("Wide") {
                for name in names { Attribute(name, .string) }
                Relationship("parts", to: "Part", inverse: "wide", .toMany)
            }
            Entity("Part") { Relationship("wide", to: "Wide", inverse: "parts") }
        }
        let container = try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)])
        let text = String(repeating: "long ", count: 2_000)
        var objects: [ManagedObject] = []
        do {
            let context = ManagedObjectContext(container.coordinator)
            let (wide, part) = (try context.insert("Wide"), try context.insert("Part"))
            for name in names { try wide.setValue(name, forKey: name) }
            try wide.setValue(text, forKey: "a69")
            try wide.setValue(Set([part]), forKey: "parts")
            try context.save()
            try wide.setValue(text, forKey: "a0")
            try wide.setValue("short", forKey: "a68")
            try part.setValue(nil, forKey: "wide")
            objects = [wide, part]
        }
        #expect(objects[0].managedObjectContext == nil)
        #expect(try objects[0].value(forKey: "a0") as? String == text)
        #expect(try objects[0].value(forKey: "a68") as? String == "short")
        #expect(try objects[0].value(forKey: "a69") as? String == text)
        let own = try #require(objects.first?.extra)
        let property = try #require(model.entity(named: "Wide")?.attribute(named: "a68")).index
        #expect(property >= 64)
        let isPending = own.isPending(property)
        #expect(isPending)
        objects = []
        #expect(own.given.contains(property))
    }

    @Test("A set of one object's properties holds any, and is empty once they are removed")
    func properties() {
        var set = PropertiesOfObject()
        for property in [3, 63, 64, 200] { set.insert(property) }
        set.remove(3)
        set.remove(200)
        let contents = [set.contains(3), set.contains(63), set.contains(64), set.contains(200)]
        #expect(contents == [false, true, true, false])
        let copy = set.set
        for property in [63, 64] { set.remove(property) }
        let isEmpty = set.isEmpty
        #expect(isEmpty)
        #expect(copy.contains(64))
        set.set = copy
        let isRestored = set.contains(63)
        #expect(isRestored)
    }

    @Test("A probe detects that accesses are tracked, and outlives a context that is released while they are")
    func probe() throws {
        let model = try ManagedObjectModel { Entity("Thing") { Attribute("name", .string) } }
        let container = try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)])
        var context: ManagedObjectContext? = ManagedObjectContext(container.coordinator)
        context?.isObservable = true
        let thing = try #require(try context?.insert("Thing"))
        #expect(!ObservationProbe().isTracking)
        #expect(
            withObservationTracking {
                ObservationProbe().isTracking
            } onChange: {
            })
        withObservationTracking {
            #expect((try? thing.value(forKey: "name")) == nil)
            context = nil
        } onChange: {
        }
        #expect(try thing.value(forKey: "name") == nil)
    }

    @Test("Objects of alternating entities are validated and saved by the rules of their own")
    func alternating() throws {
        let model = try ManagedObjectModel {
            Entity("First") { Attribute("name", .string).required }
            Entity("Second") { Attribute("name", .string) }
        }
        let container = try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)])
        let context = ManagedObjectContext(container.coordinator)
        for number in 0..<40 { try context.insert(number % 2 == 0 ? "First" : "Second").setValue("x", forKey: "name") }
        try context.insert("Second")
        let first = try context.insert("First")
        #expect(throws: ValidationError.self) { try context.save() }
        context.delete(first)
        try context.save()
        #expect(try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "First")) == 20)
        #expect(try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "Second")) == 21)
    }

    @Test("A number is kept as it is where the attribute holds it, and fails the validation of a save where it does not")
    func ranges() throws {
        let model = try ManagedObjectModel {
            Entity("Number") {
                Attribute("small", .integer16)
                Attribute("middle", .integer32)
                Attribute("large", .integer64)
                Attribute("float", .float)
            }
        }
        let container = try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)])
        let context = ManagedObjectContext(container.coordinator)
        let numbers: [Int64] = [0, -1, 32_767, -32_768, 32_768, 2_147_483_647, -2_147_483_648, 2_147_483_648, .max, .min]
        let fitting = ["small": 4, "middle": 7, "large": 10]
        for (name, count) in fitting {
            for (index, number) in numbers.enumerated() {
                let object = try context.insert("Number")
                object[Key<Int64>(name)] = number
                #expect(object[Key<Int64>(name)] == number)
                if index < count { try context.save() } else { #expect(throws: ValidationError.self) { try context.save() } }
                context.delete(object)
                try context.save()
            }
        }
        let object = try context.insert("Number")
        object[Key<Double>("float")] = 0.1
        #expect(object[Key<Double>("float")] == Double(Float(0.1)))
        object[Key<Double>("float")] = 0.5
        #expect(object[Key<Double>("float")] == 0.5)
        object[Key<Double>("float")] = nil
        #expect(object[Key<Double>("float")] == nil)
        try context.save()
    }
}
