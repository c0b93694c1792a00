import Strata
import StrataTestModels

@testable import StrataConformance

/// Steps that take members from ordered relationships, undone and redone where the relationships are not loaded.
enum UndoOrderCases {
    /// The companies c, with the departments 0 to 2, and d, in a context with an undo manager.
    private struct Objects {
        let context: ManagedObjectContext
        let manager = UndoManager()
        let c, d: Company
        let departments: [Department]

        init(_ stack: ConformanceStack) throws {
            context = stack.context()
            (c, d) = (Company(context: context), Company(context: context))
            departments = ["0", "1", "2"].map { [context] name in
                let department = Department(context: context)
                department.name = name
                return department
            }
            c.departments = departments
            try context.save()
            context.undoManager = manager
        }

        var order: [String] { c.departments.compactMap(\.name) }
    }

    private static let owning = ModelResult.declared {
        Entity("Owner") {
            Attribute("name", .string)
            Relationship("items", to: "Item", inverse: "owners", .ordered, deleteRule: .cascade)
        }
        Entity("Item", attributes: ["name": .string], relationships: ["owners": .toMany("Owner.items")])
    }

    /// A list has items in order, and picks of some of them, which it deletes by cascade.
    private static let picking = ModelResult.declared {
        Entity("List") {
            Relationship("items", to: "Item", inverse: "list", .ordered)
            Relationship("picks", to: "Item", inverse: "pickers", .ordered, deleteRule: .cascade)
        }
        Entity("Item") { Relationships(["list": .toOne("List.items"), "pickers": .ordered("List.picks")]) }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        // The order was loaded while the member was still deleted, and the link that was saved, too, was taken for one
        // that the deletion removed.
        ConformanceCase("A link that another context saved, too, stays when the deletion of its ends is undone", in: .undo) { environment in
            let stack = try environment.stack(owning.get())
            let (mine, theirs) = (stack.context(), stack.context())
            let names = ["x", "y", "old", "new"]
            let objects = try names.map { name in
                let object = try mine.insert(name.count == 1 ? "Owner" : "Item")
                try object.setValue(name, forKey: "name")
                return object
            }
            for owner in objects[..<2] { try owner.setValue([objects[2]], forKey: "items") }
            try mine.save()
            mine.undoManager = UndoManager()
            mine.automaticallyMergesChangesFromParent = true
            try mine.undoManager?.group {
                try objects[3].setValue(Set(objects[..<2]), forKey: "owners")
                mine.delete(objects[0])
            }
            let others = try objects.map { try theirs.existingObject(with: $0.objectID) }
            try others[3].setValue(Set(others[..<2]), forKey: "owners")
            try theirs.save()
            _ = try mine.count(for: ObjectFetchRequest<ManagedObject>(entityName: "Item"))
            try mine.undo()
            try expectEqual(try objects[3].value(forKey: "owners") as? Set<ManagedObject>, Set(objects[..<2]))
            for owner in objects[..<2] { try expectEqual(try owner.value(forKey: "items") as? [ManagedObject], Array(objects[2...])) }
            try expect(!mine.hasChanges, "there are changes")
        }
        // The redo loaded the order when one of the members had left it already, and the next undo did not know its
        // position.
        ConformanceCase("Undo of a redone step puts members back into their positions", in: .undo) { environment in
            let steps: [(name: String, make: (Objects) -> Void)] = [
                (
                    "move",
                    { objects in
                        objects.departments[2].company = objects.d
                        objects.departments[1].company = objects.d
                        objects.context.delete(objects.departments[1])
                    }
                ),
                (
                    "remove",
                    { objects in
                        objects.departments[0].company = nil
                        objects.context.delete(objects.departments[0])
                    }
                ),
            ]
            for step in steps {
                for saves in [false, true] {
                    let message = "\(step.name) \(saves)"
                    let stack = try environment.stack(Models.company.get(), message)
                    let objects = try Objects(stack)
                    objects.manager.group { step.make(objects) }
                    for _ in 0..<2 {
                        objects.context.refreshAllObjects()
                        try objects.context.undo()
                        try expectEqual(objects.order, ["0", "1", "2"], message)
                        objects.context.refreshAllObjects()
                        try objects.context.redo()
                        if saves { try objects.context.save() }
                    }
                    objects.context.refreshAllObjects()
                    try objects.context.undo()
                    try expectEqual(objects.order, ["0", "1", "2"], message)
                    try objects.context.save()
                    let stored = try unwrap(stack.context().object(with: objects.c.objectID) as? Company)
                    try expectEqual(stored.departments.compactMap(\.name), ["0", "1", "2"], message)
                }
            }
        }
        // The redo took the item's reference away before the order was loaded, which the next undo appended to what was
        // left.
        ConformanceCase("Undo of a deletion that was done again puts unsaved members back into their positions", in: .undo) { environment in
            let context = try environment.stack(picking.get()).context()
            let manager = UndoManager()
            context.undoManager = manager
            let (list, other) = (try context.insert("List"), try context.insert("List"))
            let items = [try context.insert("Item"), try context.insert("Item")]
            for value in [items, [items[0]]] { try list.setValue(value, forKey: value.count == 2 ? "items" : "picks") }
            try context.processPendingChanges()
            try manager.group { try items[1].setValue(other, forKey: "list") }
            try context.save()
            try context.undo()
            manager.group { context.delete(list) }
            for _ in 0..<2 {
                context.refreshAllObjects()
                try context.undo()
                try expectEqual(try list.value(forKey: "items") as? [ManagedObject], items)
                context.refreshAllObjects()
                try context.redo()
            }
        }
    }
}
