import Strata

@testable import StrataConformance

/// Taking changes back, and doing them again: what a step is, and what comes back.
enum UndoCases {
    /// A context with an undo manager over a store.
    private struct Desk {
        let stack: ConformanceStack
        let context: ManagedObjectContext
        let undoManager = UndoManager()

        init(_ environment: ConformanceEnvironment, _ model: ModelResult = Models.company, _ name: String = "store") throws {
            stack = try environment.stack(model.get(), name)
            context = stack.context()
            context.undoManager = undoManager
        }

        /// The names of the people that another context finds.
        func saved() throws -> [String] { try stack.context().names(of: Person.self) }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A context without an undo manager takes nothing back", in: .undo) { environment in
            let context = try environment.stack(Models.company.get()).context()
            let person = Person("p", context)
            try context.undo()
            try context.redo()
            try expect(context.undoManager == nil && person.isInserted, "something was taken back")
        }
        ConformanceCase("A deletion in a group is one step with what its delete rules took", in: .undo) { environment in
            // The rules were followed after the group, as a step of their own: undone first, they had no destination,
            // and the links were lost.
            for propagates in [true, false] {
                let desk = try Desk(environment)
                let (context, undoManager) = (desk.context, desk.undoManager)
                context.propagatesDeletesAtEndOfEvent = propagates
                let company = Company(context: context)
                let department = Department(context: context)
                company.departments = [department]
                let skill = Skill(context: context)
                let person = Person("p", context)
                person.skills = [skill]
                try context.save()
                undoManager.removeAllActions()
                undoManager.group("Delete Skill") { context.delete(skill) }
                try context.processPendingChanges()
                try expectEqual(undoManager.undoCount, 1)
                try expectEqual(undoManager.undoActionName, "Delete Skill")
                try context.undo()
                try expectEqual(person.skills, [skill])
                try expect(!context.hasChanges, "what is as it was has changes")
                try undoManager.group("Delete Company") {
                    context.delete(company)
                    undoManager.group("inner") {}
                    try context.save()
                }
                try context.undo()
                try expectEqual(company.departments, [department])
                try context.save()
                let stored = try desk.stack.context().fetch(ObjectFetchRequest<Company>())
                try expectEqual(stored.map(\.departments.count), [1])
                context.delete(company)
                context.delete(person)
                context.delete(skill)
                try context.save()
            }
        }
        ConformanceCase("What is changed up to the end of an event is one step", in: .undo) { environment in
            let desk = try Desk(environment)
            let person = Person("p", desk.context, age: 1)
            try desk.context.save()
            person.name = "q"
            person.age = 2
            try desk.context.processPendingChanges()
            person.age = 3
            try desk.context.undo()
            try expectEqual(person.age, 2)
            try desk.context.undo()
            try expectEqual(person.age, 1)
            try expectEqual(person.name, "p")
            try expect(!desk.context.hasChanges, "an object that is as it was saved has changes")
            try desk.context.redo()
            try expectEqual(person.name, "q")
            try expectEqual(person.age, 2)
            try expect(person.isUpdated, "an object with another value than the saved one is not changed")
            try desk.context.redo()
            try expectEqual(person.age, 3)
            try expect(!desk.undoManager.canRedo, "there is more to be done again")
        }
        // The object came back with the links that it was given right before it was deleted, and the next save stored
        // them.
        ConformanceCase("A link that was made and deleted in one step is not there when the saved deletion is undone", in: .undo) {
            environment in
            let desk = try Desk(environment)
            let (person, company, skill) = (Person("p", desk.context), Company(context: desk.context), Skill(context: desk.context))
            let report = Person("r", desk.context)
            (company.name, skill.name) = ("c", "s")
            try desk.context.save()
            person.skills = [skill]
            person.reports = [report]
            person.company = company
            desk.context.delete(person)
            try desk.context.processPendingChanges()
            try desk.context.save()
            try desk.context.undo()
            try expectEqual(try names(person.skills) + names(skill.people), [])
            try expectEqual(try names(person.reports) + names(company.people), [])
            try expect(report.boss == nil && person.company == nil, "a link is there")
            try desk.context.save()
            let fresh = try desk.stack.reopened().context()
            try expectEqual(try names(fresh.named("p", Person.self).skills), [])
            try expectEqual(try names(fresh.named("p", Person.self).reports), [])
        }
        ConformanceCase("An insertion that is taken back leaves nothing, and comes back as the same object", in: .undo) { environment in
            let desk = try Desk(environment)
            let company = Company(context: desk.context)
            try desk.context.save()
            let person = Person("p", desk.context, age: 7)
            person.company = company
            try desk.context.undo()
            try expect(person.managedObjectContext == nil && person.name == nil, "the object is still there")
            try expect(!desk.context.hasChanges && company.people.isEmpty, "something of the object is left")
            try desk.context.redo()
            try expect(person.isInserted && person.managedObjectContext === desk.context, "the object did not come back")
            try expectEqual(person.age, 7)
            try expect(company.people == [person] && person.company === company, "the relationship did not come back")
            try desk.context.save()
            try expectEqual(try desk.saved(), ["p"])
        }
        // Relationships that are not loaded kept that what was taken back had come or gone.
        ConformanceCase("What is taken back is no change of relationships that are not loaded", in: .undo) { environment in
            let desk = try Desk(environment)
            let (a, b, c) = (Person("a", desk.context), Person("b", desk.context), Person("c", desk.context))
            b.boss = a
            try desk.context.save()
            desk.context.refreshAllObjects()
            (b.boss, c.boss) = (nil, a)
            Person("d", desk.context).boss = a
            try desk.context.undo()
            try expect(!desk.context.hasChanges && a.hasFault(forRelationshipNamed: "reports"), "there are changes")
            try expect(a.reports == [b], "the relationship is not as it was")
            try desk.context.redo()
            try expectEqual(try names(a.reports), ["c", "d"])
        }
        ConformanceCase("A deletion is taken back with what its rules took", in: .undo) { environment in
            let desk = try Desk(environment)
            let (a, b, c) = (Person("a", desk.context), Person("b", desk.context), Person("c", desk.context))
            (b.boss, c.boss, c.friends) = (a, a, [a, b])
            try desk.context.save()
            desk.context.delete(a)
            try desk.context.processPendingChanges()
            try expect(b.boss == nil && c.friends == [b], "the rules were not followed")
            try desk.context.undo()
            try expect(!a.isDeleted && b.boss === a && c.boss === a && c.friends == [a, b], "the relationships did not come back")
            try expect(a.reports == [b, c] && !desk.context.hasChanges, "the context has changes")
            try desk.context.redo()
            try expect(a.isDeleted && b.boss == nil && c.friends == [b], "the deletion was not done again")
            try desk.context.save()
            try expectEqual(try desk.saved(), ["b", "c"])
        }
        ConformanceCase("Steps survive saves: what was saved is taken back by the next save", in: .undo) { environment in
            let desk = try Desk(environment)
            let (a, b) = (Person("a", desk.context, age: 1), Person("b", desk.context))
            b.boss = a
            try desk.context.save()
            a.age = 2
            try desk.context.save()
            desk.context.delete(a)
            try desk.context.save()
            try expectEqual(try desk.saved(), ["b"])
            try desk.context.undo()
            try expect(a.isInserted && a.age == 2 && b.boss === a && a.reports == [b], "the object is not as it was")
            try desk.context.save()
            try expectEqual(try desk.saved(), ["a", "b"])
            try desk.context.undo()
            try expectEqual(a.age, 1)
            try desk.context.undo()
            try expect(a.isDeleted && b.isDeleted, "what was inserted and saved is not to be deleted")
            try desk.context.save()
            try expectEqual(try desk.saved(), [])
            for _ in 0..<3 { try desk.context.redo() }
            try expectEqual(try desk.context.names(of: Person.self), ["b"])
            try desk.context.save()
            try expectEqual(try desk.saved(), ["b"])
        }
        ConformanceCase("A group is one step with a name, whatever events lie in it", in: .undo) { environment in
            let desk = try Desk(environment)
            let person = Person("p", desk.context)
            try desk.context.save()
            try desk.undoManager.group("Rename") {
                person.name = "q"
                try desk.context.processPendingChanges()
                desk.undoManager.group("Inner") { person.age = 9 }
                try desk.context.save()
            }
            try expectEqual(desk.undoManager.undoActionName, "Rename")
            try desk.context.undo()
            try expectEqual(person.name, "p")
            try expect(person.age != 9, "a part of the group was not taken back")
            try expectEqual(desk.undoManager.redoActionName, "Rename")
            try expectEqual(desk.undoManager.undoCount, 1)
        }
        ConformanceCase("A child knows a new object again whose deletion its parent takes back", in: .undo) { environment in
            // It came back under another ID, and what the child changed of it was refused as deleted by someone else.
            let desk = try Desk(environment)
            let person = Person("p", desk.context)
            try desk.context.processPendingChanges()
            let child = desk.stack.child(of: desk.context)
            let childs = try child.existingObject(with: person.objectID, as: Person.self)
            let id = person.objectID
            desk.context.delete(person)
            try desk.context.save()
            try desk.context.undo()
            try expectEqual(person.objectID, id)
            childs.name = "q"
            childs.friends = [Person("new", child)]
            try child.save()
            try desk.context.save()
            try expectEqual(try desk.saved(), ["new", "q"])
        }
        ConformanceCase("A saved insertion that is taken back takes none along that were there before", in: .undo) { environment in
            // What the new object's delete rule reached went with it.
            let desk = try Desk(environment, Models.company)
            let department = Department(context: desk.context)
            department.name = "d"
            try desk.context.save()
            let company = Company(context: desk.context)
            company.name = "c"
            company.departments = [department]
            try desk.context.processPendingChanges()
            try desk.context.save()
            try desk.context.undo()
            try expect(company.isDeleted && !department.isDeleted && department.company == nil, "the department went along")
            try desk.context.save()
            try expectEqual(try inOrder(desk.stack.context().all("Department")), ["d"])
            try desk.context.redo()
            try desk.context.save()
            try expectEqual(try inOrder(desk.stack.context().named("c", Company.self).departments), ["d"])
        }
        ConformanceCase("A member that left an unloaded order returns to its position", in: .undo) { environment in
            // It came back as the last, and the next save stored it there.
            for leaving in 0..<3 {
                for isLoaded in [false, true] {
                    let desk = try Desk(environment, Models.company, "\(leaving)-\(isLoaded)")
                    let first = desk.stack.context()
                    let company = Company(context: first)
                    company.name = "c"
                    company.departments = ["0", "1", "2"].map { name in
                        let department = Department(context: first)
                        department.name = name
                        return department
                    }
                    try first.save()
                    let department = try unwrap(desk.context.object(with: company.departments[leaving].objectID) as? Department)
                    let own = try unwrap(desk.context.object(with: company.objectID) as? Company)
                    if isLoaded { try expectEqual(own.departments.count, 3) }
                    department.company = nil
                    try desk.context.processPendingChanges()
                    try desk.context.undo()
                    try expectEqual(try inOrder(own.departments), ["0", "1", "2"], "\(leaving) \(isLoaded)")
                    try expect(!own.hasPersistentChangedValues, "the order is changed")
                    try desk.context.save()
                    try expectEqual(
                        try inOrder(desk.stack.context().named("c", Company.self).departments), ["0", "1", "2"], "\(leaving) \(isLoaded)")
                }
            }
        }
        ConformanceCase("A child's save is a step of its parent", in: .undo) { environment in
            let desk = try Desk(environment)
            let person = Person("p", desk.context)
            try desk.context.save()
            person.age = 5
            let child = desk.stack.child(of: desk.context)
            let childs = try child.existingObject(with: person.objectID, as: Person.self)
            childs.name = "q"
            childs.friends = [Person("new", child)]
            try child.save()
            try expectEqual(desk.undoManager.undoCount, 3)
            try desk.context.undo()
            try expect(person.name == "p" && person.friends.isEmpty && person.age == 5, "the child's changes were not taken back")
            try expectEqual(try desk.context.names(of: Person.self), ["p"])
            try desk.context.redo()
            try expectEqual(try names(person.friends), ["new"])
            try desk.context.save()
            try expectEqual(try desk.saved(), ["new", "q"])
        }
        ConformanceCase("What others saved stays when one's own step is taken back", in: .undo) { environment in
            let desk = try Desk(environment)
            let person = Person("p", desk.context, age: 1)
            try desk.context.save()
            person.name = "q"
            try desk.context.save()
            let other = desk.stack.context()
            let others = try other.existingObject(with: person.objectID, as: Person.self)
            others.age = 8
            try other.save()
            desk.context.refresh(person, mergeChanges: true)
            try desk.context.undo()
            try expect(person.name == "p" && person.age == 8, "what others saved is lost")
            try desk.context.save()
            try expectEqual(try desk.saved(), ["p"])
        }
        ConformanceCase("An object that another context deleted is not restored by steps about its values", in: .undo) { environment in
            let desk = try Desk(environment)
            let person = Person("p", desk.context)
            try desk.context.save()
            person.name = "q"
            try desk.context.save()
            let other = desk.stack.context()
            other.delete(try other.existingObject(with: person.objectID))
            try other.save()
            desk.context.mergeChanges(fromRemoteContextSave: RemoteChanges(deleted: [person.objectID]))
            try desk.context.undo()
            try desk.context.save()
            try expectEqual(try desk.saved(), [])
        }
        ConformanceCase("A rollback and a reset forget all steps", in: .undo) { environment in
            let desk = try Desk(environment)
            for isReset in [false, true] {
                let person = Person("p", desk.context)
                try desk.context.save()
                person.name = "q"
                try expect(desk.undoManager.canUndo, "there is nothing to be taken back")
                if isReset { desk.context.reset() } else { desk.context.rollback() }
                try expect(!desk.undoManager.canUndo && !desk.undoManager.canRedo, "there are steps")
                try desk.context.undo()
                try expect(!desk.context.hasChanges, "something was taken back")
            }
        }
        ConformanceCase("An object that comes back goes to the store that it was in", in: .undo) { environment in
            let desk = try Desk(environment)
            let second = try desk.stack.coordinator.addStore(environment.description("second", of: environment.partner))
            let person = Person("p", desk.context)
            try desk.context.assign(person, to: second)
            try desk.context.processPendingChanges()
            try desk.context.undo()
            try desk.context.redo()
            try desk.context.save()
            try expectEqual(person.objectID.storeID, second.id)
            desk.context.delete(person)
            try desk.context.save()
            try desk.context.undo()
            try desk.context.save()
            try expectEqual(person.objectID.storeID, second.id)
        }
    }
}
