import Strata

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

    @ConformanceCaseList static var all: [ConformanceCase] {
        // The redo loaded the order when one of the members had left it already, and the next undo did not know its position.
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
    }
}
