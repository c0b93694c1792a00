import CoreData
import StrataTestRandom
import Testing

/// Does the same at random to contexts that share a manager, and to an oracle, and compares.
final class UndoWalk {
    private final class Application {
        var number = 0
    }

    private let manager = UndoManager()
    private let application = Application()
    private var contexts: [NSManagedObjectContext] = []
    private var saved: [OwnersPicture]
    private var oracle: UndoOracle
    private var dice: SeededGenerator
    private var made = 0

    /// - Parameter seed: Says what is done; the manager of an even one groups by event.
    init(seed: Int) throws {
        dice = SeededGenerator(seed: UInt64(seed))
        manager.groupsByEvent = seed.isMultiple(of: 2)
        oracle = UndoOracle(groupsByEvent: manager.groupsByEvent, contexts: 2)
        saved = oracle.graphs
        for _ in 0..<2 {
            let context = try OwnersModel.makeContext()
            context.undoManager = manager
            contexts.append(context)
        }
    }

    /// Goes some steps, and then all of them back and forth.
    func run(steps: Int) throws {
        for _ in 0..<steps {
            try step()
            try compare()
        }
        while oracle.hasGroup { end() }
        while manager.canUndo { try undo() }
        while manager.canRedo { try redo() }
        for index in contexts.indices { try save(index) }
    }

    private func step() throws {
        let index = Int.random(in: 0..<2, using: &dice)
        switch Int.random(in: 0..<30, using: &dice) {
        case 0..<5: insert(index)
        case 5..<12: try relate(index)
        case 12..<14: try note(index)
        case 14..<16: try delete(index)
        case 16..<19: try undo()
        case 19..<21: try redo()
        case 21: begin()
        case 22: end()
        case 23..<25: try save(index)
        case 25: contexts[index].refreshAllObjects()
        case 26: name()
        case 27: number()
        case 28: forget(index)
        default: collect()
        }
    }

    private func compare() throws {
        for (context, picture) in zip(contexts, oracle.graphs) { #expect(try OwnersPicture(context) == picture) }
        #expect(application.number == oracle.number)
        #expect(manager.undoCount == oracle.done.count)
        #expect(manager.redoCount == oracle.undone.count)
        #expect(manager.groupingLevel == oracle.open.count)
        #expect(manager.undoActionName == oracle.undoName)
    }

    // MARK: - Objects

    private func object(_ name: String, _ index: Int) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: oracle.graphs[index].items[name]?.entity ?? "Owner")
        request.predicate = NSPredicate(format: "name == %@", name)
        return try #require(try contexts[index].fetch(request).first)
    }

    private func insert(_ index: Int) {
        let entity = ["Owner", "Pet", "Visit"].randomElement(using: &dice) ?? "Owner"
        made += 1
        _ = contexts[index].make(entity, "\(entity) \(made)")
        oracle.graphs[index].insert("\(entity) \(made)", entity)
    }

    private func note(_ index: Int) throws {
        guard let name = oracle.graphs[index].names().randomElement(using: &dice) else { return }
        let note = ["a", "b", nil].randomElement(using: &dice) ?? nil
        try object(name, index).setValue(note, forKey: "note")
        oracle.graphs[index].setNote(note, of: name)
    }

    private func delete(_ index: Int) throws {
        guard let name = oracle.graphs[index].names().randomElement(using: &dice) else { return }
        contexts[index].delete(try object(name, index))
        oracle.graphs[index].delete(name)
    }

    private func relate(_ index: Int) throws {
        let picture = oracle.graphs[index]
        guard let name = picture.names().randomElement(using: &dice),
            let end = OwnersPicture.ends.filter({ $0.entity == picture.items[name]?.entity }).randomElement(using: &dice)
        else { return }
        let others = Array(picture.names(end.destination).shuffled(using: &dice).prefix(Int.random(in: 0...3, using: &dice)))
        let chosen = end.isToMany ? others : Array(others.prefix(1))
        let objects = try chosen.map { try object($0, index) }
        let changed = try object(name, index)
        if !end.isToMany {
            changed.setValue(objects.first, forKey: end.name)
        } else if end.isOrdered {
            changed.setValue(NSOrderedSet(array: objects), forKey: end.name)
        } else {
            changed.setValue(Set(objects), forKey: end.name)
        }
        oracle.graphs[index].relate(name, end, chosen)
    }

    // MARK: - Steps

    private func undo() throws {
        while oracle.hasGroup { end() }
        manager.undo()
        oracle.undo()
        try compare()
    }

    private func redo() throws {
        while oracle.hasGroup { end() }
        manager.redo()
        oracle.redo()
        try compare()
    }

    private func begin() {
        manager.beginUndoGrouping()
        oracle.begin()
    }

    private func end() {
        guard oracle.hasGroup else { return }
        manager.endUndoGrouping()
        oracle.end()
    }

    private func name() {
        let name = "Step \(Int.random(in: 0..<9, using: &dice))"
        manager.setActionName(name)
        oracle.setName(name)
    }

    private func number() {
        let isGrouped = manager.groupsByEvent || oracle.hasGroup
        if !isGrouped { begin() }
        let number = Int.random(in: 0..<9, using: &dice)
        set(number)
        oracle.setNumber(number)
        if !isGrouped { end() }
    }

    private func set(_ number: Int) {
        manager.registerUndo(withTarget: application) { [unowned self, old = application.number] _ in self.set(old) }
        application.number = number
    }

    private func collect() {
        _ = manager.canUndo
        oracle.collect()
    }

    // MARK: - Contexts

    private func save(_ index: Int) throws {
        collect()
        try contexts[index].save()
        saved[index] = oracle.graphs[index]
        let other = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        other.persistentStoreCoordinator = contexts[index].persistentStoreCoordinator
        #expect(try OwnersPicture(other) == saved[index])
        #expect(!contexts[index].hasChanges)
    }

    private func forget(_ index: Int) {
        guard Int.random(in: 0..<4, using: &dice) == 0 else { return }
        if Bool.random(using: &dice) { contexts[index].rollback() } else { contexts[index].reset() }
        oracle.forget(index, as: saved[index])
    }
}
