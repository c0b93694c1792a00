import Strata

/// Owners that are loaded beside members with older rows: the store gives a member to the owner, and the member's row
/// here says another one.
enum OlderRowCases {
    /// A person of one company, who is moved to another one by another context while a change of this context is
    /// pending.
    private struct Move {
        let context: ManagedObjectContext
        let person: Person
        let former, owner: Company

        /// - Parameter readsLate: Whether the former owner is loaded after the other context's save, too.
        init(_ stack: ConformanceStack, isDeleted: Bool, readsLate: Bool, hasUndo: Bool) throws {
            let first = stack.context()
            let companies = [Company(context: first), Company(context: first)]
            (companies[0].name, companies[1].name) = ("former", "owner")
            _ = Person("p", first, company: companies[0])
            try first.save()
            context = stack.context()
            if hasUndo { context.undoManager = UndoManager() }
            (person, former, owner) = (try context.named("p"), try context.named("former"), try context.named("owner"))
            if !readsLate { try expectEqual(former.people, [person]) }
            if isDeleted { context.delete(person) } else { person.company = nil }
            try context.processPendingChanges()
            let other = stack.context()
            try other.named("p", Person.self).company = try other.named("owner", Company.self)
            try other.save()
            try expectEqual(former.people.union(owner.people), [])
        }

        func expectReturn(_ message: String) throws {
            try expectEqual(owner.people, [person], message)
            try expect(!owner.hasChanges && !former.hasPersistentChangedValues, message)
        }
    }

    private static func choices(of way: String) -> [(isDeleted: Bool, readsLate: Bool, hasUndo: Bool)] {
        (way == "set" ? [false] : [false, true]).flatMap { isDeleted in
            [false, true].flatMap { readsLate in
                (way == "undo" ? [true] : [false, true]).map { (isDeleted, readsLate, $0) }
            }
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        // With an undo manager a refresh of the member left the owner without it; without one a return to the saved
        // owner did. Undo of a deletion added the member to a former owner that was loaded meanwhile.
        ConformanceCase("An owner loaded beside a member's older row has the member once its change is taken back", in: .relationships) {
            environment in
            let ways: [(name: String, takeBack: (Move) throws -> Void)] = [
                ("set", { $0.person.company = $0.former }), ("refresh", { $0.context.refresh($0.person, mergeChanges: false) }),
                ("rollback", { $0.context.rollback() }), ("undo", { try $0.context.undo() }),
            ]
            for way in ways {
                for (isDeleted, readsLate, hasUndo) in choices(of: way.name) {
                    let message = "\(way.name) \(isDeleted) \(readsLate) \(hasUndo)"
                    let stack = try environment.stack(Models.company.get(), message)
                    let move = try Move(stack, isDeleted: isDeleted, readsLate: readsLate, hasUndo: hasUndo)
                    try way.takeBack(move)
                    try move.expectReturn(message)
                    if way.name == "undo" {
                        try move.context.redo()
                        try expectEqual(move.former.people.union(move.owner.people), [], message)
                        try move.context.undo()
                        try move.expectReturn(message)
                    }
                    move.context.refreshAllObjects()
                    try move.expectReturn(message)
                    try expect(move.person.company === move.owner && move.former.people.isEmpty, message)
                }
            }
        }
    }
}
