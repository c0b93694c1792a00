import Strata

@testable import StrataConformance

/// Steps that are undone after another context saved: what that one saved stays, be it the same.
enum UndoMergeCases {
    /// How what another context saved comes into a context.
    private enum Arrival: CaseIterable { case merge, automatic, refresh }

    /// The objects of one context: p, q and r, of whom q is a friend of p; c with p and the departments 0, 1 and 2; d;
    /// and s.
    private struct Objects {
        let context: ManagedObjectContext
        let p, q, r: Person
        let c, d: Company
        let s: Skill

        init(_ context: ManagedObjectContext) throws {
            self.context = context
            (p, q, r) = (try context.named("p"), try context.named("q"), try context.named("r"))
            (c, d, s) = (try context.named("c"), try context.named("d"), try context.named("s"))
        }
    }

    /// Two contexts over one store, of which the first has an undo manager.
    private struct Pair {
        let stack: ConformanceStack
        let mine: Objects
        let theirs: Objects
        private let arrival: Arrival

        init(_ environment: ConformanceEnvironment, _ name: String, _ arrival: Arrival = .refresh) throws {
            stack = try environment.stack(Models.company.get(), name)
            self.arrival = arrival
            let first = stack.context()
            let (p, q, company) = (Person("p", first, age: 1), Person("q", first), Company(context: first))
            _ = Person("r", first)
            (company.name, Company(context: first).name, Skill(context: first).name) = ("c", "d", "s")
            (p.friends, p.company) = ([q], company)
            company.departments = ["0", "1", "2"].map { name in
                let department = Department(context: first)
                department.name = name
                return department
            }
            try first.save()
            mine = try Objects(stack.context())
            theirs = try Objects(stack.context())
            mine.context.undoManager = UndoManager()
            mine.context.automaticallyMergesChangesFromParent = arrival == .automatic
        }

        /// Makes changes in the other context, saves them, and brings them into the first one.
        func saveTheirs(_ change: (Objects) throws -> Void) throws {
            try change(theirs)
            let saved = try theirs.context.save()
            switch arrival {
            case .merge:
                mine.context.mergeChanges(
                    fromRemoteContextSave: RemoteChanges(
                        inserted: saved.inserted.map(\.id), updated: saved.updated.map(\.id),
                        deleted: saved.deleted.map(\.id)))
            case .automatic: _ = try mine.context.count(for: ObjectFetchRequest<Skill>())
            case .refresh: mine.context.refreshAllObjects()
            }
        }
    }

    /// A change, and the outcome to be seen in a context.
    private struct Change {
        let name: String
        let make: (Objects) throws -> Void
        let seen: (Objects) throws -> String
    }

    private static var changes: [Change] {
        [
            Change(name: "attribute") {
                $0.p.age = 2
            } seen: {
                "\($0.p.age as Any)"
            },
            Change(name: "cleared attribute") {
                $0.p.age = nil
            } seen: {
                "\($0.p.age as Any)"
            },
            Change(name: "to-one") {
                $0.p.company = $0.d
            } seen: {
                "\($0.p.company?.name as Any) \(try names($0.c.people)) \(try names($0.d.people))"
            },
            Change(name: "to-many") {
                $0.c.people = [$0.q]
            } seen: {
                "\(try names($0.c.people)) \($0.p.company?.name as Any) \($0.q.company?.name as Any)"
            },
            Change(name: "added link") {
                $0.p.friends.insert($0.r)
            } seen: {
                "\(try names($0.p.friends)) \(try names($0.r.friends))"
            },
            Change(name: "removed link") {
                $0.p.friends.remove($0.q)
            } seen: {
                "\(try names($0.p.friends)) \(try names($0.q.friends))"
            },
            Change(name: "link from its other end") {
                $0.s.people = [$0.p]
            } seen: {
                "\(try names($0.s.people)) \(try names($0.p.skills))"
            },
            Change(name: "order") {
                $0.c.departments.reverse()
            } seen: {
                "\(try inOrder($0.c.departments))"
            },
            Change(name: "shorter order") {
                $0.c.departments.removeFirst()
            } seen: {
                "\(try inOrder($0.c.departments))"
            },
        ]
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        // The undo took back what the other context had saved.
        ConformanceCase("A change that another context saved, too, stays when it is undone", in: .undo) { environment in
            for change in changes {
                for arrival in Arrival.allCases {
                    let what = "\(change.name), \(arrival)"
                    let pair = try Pair(environment, what, arrival)
                    try change.make(pair.mine)
                    try pair.mine.context.processPendingChanges()
                    let expected = try change.seen(pair.mine)
                    try pair.saveTheirs(change.make)
                    try expectEqual(try change.seen(pair.mine), expected, "\(what): merged")
                    try pair.mine.context.undo()
                    try expectEqual(try change.seen(pair.mine), expected, "\(what): undone")
                    try expect(!pair.mine.context.updatedObjects.contains { $0.hasPersistentChangedValues }, "\(what): there are changes")
                    try pair.mine.context.save()
                    try expectEqual(try change.seen(Objects(pair.stack.context())), expected, "\(what): stored")
                }
            }
        }
        ConformanceCase("Undo goes back to what another context saved of the same property", in: .undo) { environment in
            for arrival in Arrival.allCases {
                let pair = try Pair(environment, "\(arrival)", arrival)
                let (mine, manager) = (pair.mine, try unwrap(pair.mine.context.undoManager))
                manager.group { (mine.p.age, mine.p.name, mine.p.company) = (2, "p2", nil) }
                manager.group { mine.p.age = 3 }
                try pair.saveTheirs { ($0.p.age, $0.p.company) = (7, $0.d) }
                try expectEqual(mine.p.age, 3)
                try mine.context.undo()
                try expectEqual(mine.p.age, 2)
                try mine.context.undo()
                try expectEqual(mine.p.age, 7)
                try expect(mine.p.name == "p" && mine.p.company === mine.d, "the step was not undone upon what was saved")
                try expect(!mine.context.hasChanges, "there are changes")
                try mine.context.redo()
                try mine.context.redo()
                try mine.context.save()
                let stored = try pair.stack.context().named("p2", Person.self)
                try expect(stored.age == 3 && stored.company == nil, "the steps were not done again")
            }
        }
        // The elements that the step had not set kept the values of before the merge.
        ConformanceCase("Undo of one element goes back to the whole composite that another context saved", in: .undo) { environment in
            let stack = try CompositeCases.build(environment)
            let (mine, other) = (stack.context(), stack.context())
            mine.undoManager = UndoManager()
            let theme: Theme = try mine.named("a")
            theme[Theme.colors.primary] = "green"
            try mine.processPendingChanges()
            try other.named("a", Theme.self)[Theme.colors.secondary] = "white"
            try other.save()
            mine.refreshAllObjects()
            try mine.undo()
            try expectEqual(theme.colors, ColorScheme("red", "white"))
            try expect(!mine.hasChanges, "there are changes")
            try mine.redo()
            try mine.save()
            try expectEqual(try stack.context().named("a", Theme.self).colors?.primary, "green")
        }
        ConformanceCase("Undo of a saved step sets the value of before it", in: .undo) { environment in
            let pair = try Pair(environment, "saved")
            pair.mine.p.age = 2
            try pair.mine.context.save()
            try pair.saveTheirs {
                $0.context.refreshAllObjects()
                $0.p.age = 3
            }
            try pair.mine.context.undo()
            try expectEqual(pair.mine.p.age, 1)
        }
        ConformanceCase("A deletion that another context saved, too, stays when it is undone", in: .undo) { environment in
            for arrival in Arrival.allCases {
                let pair = try Pair(environment, "\(arrival)", arrival)
                pair.mine.context.delete(pair.mine.c)
                try pair.mine.context.processPendingChanges()
                try pair.saveTheirs { $0.context.delete($0.c) }
                try pair.mine.context.undo()
                try expect(pair.mine.p.company == nil, "the person references a deleted company")
                try pair.mine.context.save()
                try expectEqual(try pair.stack.context().names(of: Company.self), ["d"])
                try expectEqual(try pair.stack.context().all("Department").count, 0)
            }
        }
        ConformanceCase("What another context did to members of a deleted object stays when the deletion is undone", in: .undo) {
            environment in
            for arrival in Arrival.allCases {
                let pair = try Pair(environment, "\(arrival)", arrival)
                let mine = pair.mine
                mine.context.delete(mine.c)
                mine.context.delete(mine.q)
                try mine.context.processPendingChanges()
                try pair.saveTheirs { theirs in
                    theirs.p.company = theirs.d
                    theirs.q.friends = [theirs.r]
                    theirs.c.departments[1].company = theirs.d
                }
                try mine.context.undo()
                try expectEqual(try inOrder(mine.c.departments), ["0", "2"])
                try expectEqual(try inOrder(mine.d.departments), ["1"])
                try expectEqual(try names(mine.q.friends) + names(mine.r.friends) + names(mine.p.friends), ["r", "q"])
                try expect(mine.p.company === mine.d && mine.c.people.isEmpty, "the person is not where the other context put it")
                try expect(!mine.context.hasChanges, "there are changes")
            }
        }
        // The owner was loaded without the deleted member, and the undo of the deletion left it so: the next save
        // removed the link.
        ConformanceCase("A link that another context saved to a deleted object is there when the deletion is undone", in: .undo) {
            environment in
            for isSaved in [false, true] {
                let pair = try Pair(environment, "\(isSaved)")
                let mine = pair.mine
                try expectEqual(mine.p.skills.count, 0)
                mine.context.delete(mine.p)
                try mine.context.processPendingChanges()
                pair.theirs.p.skills = [pair.theirs.s]
                try pair.theirs.context.save()
                try expectEqual(try names(mine.s.people), [])
                if isSaved { try mine.context.save() }
                try mine.context.undo()
                try expectEqual(try names(mine.s.people) + names(mine.p.skills), ["p", "s"])
                if !isSaved { try expect(!mine.context.hasChanges, "there are changes") }
                try mine.context.redo()
                try expectEqual(try names(mine.s.people), [])
                try mine.context.undo()
                try mine.context.save()
                try expectEqual(try names(Objects(pair.stack.context()).s.people), ["p"])
            }
        }
        // The object came back with the value that it was set to, which was the saved one and no change.
        ConformanceCase("Undo of a saved deletion goes back to what another context saved of a value set to what it was", in: .undo) {
            environment in
            let pair = try Pair(environment, "set")
            let mine = pair.mine
            mine.context.undoManager?.group {
                mine.p.age = 1
                mine.context.delete(mine.p)
            }
            pair.theirs.p.age = 7
            try pair.theirs.context.save()
            mine.context.mergePolicy = .mergeByPropertyObjectTrump
            try mine.context.save()
            try mine.context.undo()
            try expectEqual(mine.p.age, 7)
            try mine.context.save()
            try expectEqual(try Objects(pair.stack.context()).p.age, 7)
        }
        // What the save found out, and deleted by cascade, was of no step.
        ConformanceCase("Undo after a save restores what the save deleted in consequence", in: .undo) { environment in
            for ending in ["save", "event", "group"] {
                let pair = try Pair(environment, ending)
                let mine = pair.mine
                let manager = try unwrap(mine.context.undoManager)
                if ending == "group" { manager.group { mine.context.delete(mine.c) } } else { mine.context.delete(mine.c) }
                if ending == "event" { try mine.context.processPendingChanges() }
                let department = Department(context: pair.theirs.context)
                (department.name, department.company) = ("3", pair.theirs.c)
                try pair.theirs.context.save()
                try mine.context.save()
                try expectEqual(try pair.stack.context().all("Department").count, 0, ending)
                try expectEqual(manager.undoCount, 1, ending)
                try mine.context.undo()
                try expectEqual(try inOrder(mine.c.departments).sorted(), ["0", "1", "2", "3"], ending)
                try mine.context.save()
                try expectEqual(try inOrder(Objects(pair.stack.context()).c.departments).sorted(), ["0", "1", "2", "3"], ending)
                try mine.context.redo()
                try mine.context.save()
                try expectEqual(try pair.stack.context().all("Department").count, 0, ending)
            }
        }
    }
}
