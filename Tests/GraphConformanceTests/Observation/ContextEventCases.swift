import Strata

@testable import StrataConformance

/// What listeners of a context hear.
enum ContextEventCases {
    /// The events of a context as text.
    private final class Diary {
        private(set) var lines: [String] = []
        private var subscription: ContextEventSubscription?

        init(_ context: ManagedObjectContext) {
            subscription = context.observeEvents { [unowned self] in note($0) }
        }

        func stop() { subscription = nil }

        func takeAll() -> [String] {
            defer { lines = [] }
            return lines
        }

        private func note(_ event: ContextEvent) {
            var words = ["\(event.kind)"]
            func add(_ label: String, _ objects: [ManagedObject]) {
                if objects.isEmpty { return }
                let names = objects.map { object in
                    let name = (try? object.value(forKey: "name") as? String) ?? "?"
                    let properties = event.changedProperties(of: object).map { $0.sorted().joined(separator: ",") }
                    return label == "+" || label == "-" ? name : "\(name)(\(properties ?? "any"))"
                }
                words.append(label + names.sorted().joined(separator: " "))
            }
            add("+", event.inserted)
            add("~", event.updated)
            add("-", event.deleted)
            add("^", event.refreshed)
            if event.kind == .didMerge { words.append(Diary.told(event.change)) }
            lines.append(words.joined(separator: " "))
        }

        private static func told(_ change: ContextChange) -> String {
            let names = change.changes.updated.map { id in
                change.changes.changedProperties[id].map { $0.sorted().joined(separator: ",") } ?? "any"
            }
            return "+\(change.changes.inserted.count) ~\(names.joined(separator: " ")) -\(change.changes.deleted.count)"
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Listeners receive the changes when the event ends, with the names of properties", in: .observation) {
            environment in
            let context = try environment.stack(Models.company.get()).context()
            let (ann, bob) = (Person("ann", context, age: 1), Person("bob", context))
            let company = Company(context: context)
            company.name = "acme"
            try context.save()
            let diary = Diary(context)
            ann.age = 2
            bob.company = company
            let cid = Person("cid", context)
            try expectEqual(diary.takeAll(), [])
            try context.processPendingChanges()
            try expectEqual(diary.takeAll(), ["objectsDidChange +cid ~acme(people) ann(age) bob(company)"])
            context.delete(cid)
            context.delete(company)
            try context.processPendingChanges()
            try expectEqual(diary.takeAll(), ["objectsDidChange ~bob(company) -acme cid"])
            let dan = Person("dan", context)
            context.delete(dan)
            try context.processPendingChanges()
            try expectEqual(diary.takeAll(), ["objectsDidChange -dan"], "an object that was inserted and deleted in one event")
            diary.stop()
            ann.age = 3
            try context.processPendingChanges()
            try expectEqual(diary.takeAll(), [], "no listener")
        }
        ConformanceCase("Listeners are notified of a save before and after it, with what it stored", in: .observation) { environment in
            let context = try environment.stack(Models.company.get()).context()
            let (ann, bob) = (Person("ann", context, age: 1), Person("bob", context))
            try context.save()
            let diary = Diary(context)
            try context.save()
            try expectEqual(diary.takeAll(), [], "nothing is saved")
            ann.age = 2
            ann.friends = [bob]
            let cid = Person("cid", context)
            try context.save()
            try expectEqual(
                diary.takeAll(),
                [
                    "willSave", "objectsDidChange +cid ~ann(age,friends) bob(friends)", "didSave +cid ~ann(age,friends) bob(friends)",
                ])
            try expect(!cid.objectID.isTemporary, "a temporary ID after the save")
            context.delete(bob)
            var deleted: [ObjectID] = []
            let bobsID = bob.objectID
            let subscription = context.observeEvents { if $0.kind == .didSave { deleted = $0.change.changes.deleted } }
            try context.save()
            withExtendedLifetime(subscription) {}
            try expectEqual(deleted, [bobsID])
            try expectEqual(
                diary.takeAll().map { $0.split(separator: " ").first.map(String.init) }, ["willSave", "objectsDidChange", "didSave"])
        }
        ConformanceCase("A save that fails is not reported, and its changes are reported with the next event", in: .observation) {
            environment in
            let stack = try environment.stack(Models.company.get())
            let (here, there) = (stack.context(), stack.context())
            let ann = Person("ann", here, age: 1)
            try here.save()
            try there.named("ann", Person.self).age = 5
            try there.save()
            let diary = Diary(here)
            ann.age = 2
            try expectConflict(here)
            try expectEqual(diary.takeAll(), ["willSave", "objectsDidChange ~ann(age)"])
            here.mergePolicy = .mergeByPropertyStoreTrump
            ann.name = "anna"
            try here.save()
            let lines = diary.takeAll()
            try expect(lines.contains { $0.hasPrefix("didSave") && $0.contains("anna") }, "\(lines)")
            try expect(lines.last?.hasPrefix("objectsDidChange") == true && lines.last?.contains("age") == true, "\(lines)")
        }
        ConformanceCase("A merge is reported by ID and by property, also of objects that are not here", in: .observation) {
            environment in
            let stack = try environment.stack(Models.company.get())
            let (here, there) = (stack.context(), stack.context())
            let (ann, bob, cid) = (Person("ann", there, age: 1), Person("bob", there), Person("cid", there))
            try there.save()
            let mine = try here.named("ann", Person.self)
            here.automaticallyMergesChangesFromParent = true
            let diary = Diary(here)
            ann.age = 2
            bob.name = "bert"
            there.delete(cid)
            _ = Person("dan", there)
            try there.save()
            _ = try here.count(for: ObjectFetchRequest<Skill>())
            let lines = diary.takeAll()
            try expectEqual(lines.count, 2, "\(lines)")
            try expect(lines[0] == "didMerge +1 ~age name -1" || lines[0] == "didMerge +1 ~name age -1", "\(lines)")
            try expectEqual(lines[1], "objectsDidChange ^ann(age)")
            try expectEqual(mine.age, 2)
        }
        ConformanceCase("A did-save event of one context is merged into another", in: .observation) { environment in
            let stack = try environment.stack(Models.company.get())
            let (here, there) = (stack.context(), stack.context())
            let ann = Person("ann", there, age: 1)
            try there.save()
            let mine = try here.named("ann", Person.self)
            try expectEqual(mine.age, 1)
            var changes: [ContextChange] = []
            let subscription = there.observeEvents { if $0.kind == .didSave { changes.append($0.change) } }
            ann.age = 2
            try there.save()
            withExtendedLifetime(subscription) {}
            try expectEqual(mine.age, 1)
            here.mergeChanges(fromContextDidSave: try unwrap(changes.first))
            try expectEqual(mine.age, 2)
        }
        ConformanceCase("Undo, rollback, refresh and reset are reported", in: .observation) { environment in
            let context = try environment.stack(Models.company.get()).context()
            let ann = Person("ann", context, age: 1)
            try context.save()
            context.undoManager = UndoManager()
            let diary = Diary(context)
            ann.age = 2
            try context.processPendingChanges()
            try context.undo()
            try context.processPendingChanges()
            try expectEqual(diary.takeAll(), ["objectsDidChange ~ann(age)", "objectsDidChange ~ann(age)"])
            ann.age = 3
            let bob = Person("bob", context)
            try context.processPendingChanges()
            _ = diary.takeAll()
            context.rollback()
            try expectEqual(diary.takeAll().count, 1)
            try expect(bob.managedObjectContext == nil, "the new object stays")
            context.refresh(ann, mergeChanges: true)
            try context.processPendingChanges()
            try expectEqual(diary.takeAll(), ["objectsDidChange ^ann(any)"])
            context.reset()
            try expectEqual(diary.takeAll(), ["didReset"])
        }
        ConformanceCase("A child's save is reported by its parent", in: .observation) { environment in
            let stack = try environment.stack(Models.company.get())
            let parent = stack.context()
            let ann = Person("ann", parent, age: 1)
            try parent.save()
            let child = stack.child(of: parent)
            let diary = Diary(parent)
            try child.named("ann", Person.self).age = 2
            _ = Person("bob", child)
            try child.save()
            try expectEqual(diary.takeAll(), ["objectsDidChange +bob ~ann(age)"])
            try expectEqual(ann.age, 2)
        }
        ConformanceCase("A sequence of events has them by ID, and ends with its context", in: .observation) { environment in
            let stack = try environment.stack(Models.company.get())
            var context: ManagedObjectContext? = ManagedObjectContext(stack.coordinator)
            let events = try unwrap(context).events
            _ = Person("ann", try unwrap(context), age: 1)
            try context?.save()
            context = nil
            var told: [String] = []
            for await change in events { told.append("\(change.kind) \(change.changes.inserted.count)") }
            try expectEqual(told, ["willSave 0", "objectsDidChange 1", "didSave 1"])
        }
        ConformanceCase("Derived values that a save changed are reported", in: .observation) { environment in
            let context = try environment.stack(Models.derived.get()).context()
            let library = try context.insert("Library")
            try library.setValue("central", forKey: "name")
            try context.save()
            let book = try context.insert("Book")
            try book.setValue(library, forKey: "library")
            var told: Set<String> = []
            let subscription = context.observeEvents { event in
                if event.refreshed.contains(library) { told.formUnion(event.changedProperties(of: library) ?? ["any"]) }
            }
            try context.save()
            withExtendedLifetime(subscription) {}
            try expect(told.contains("bookCount"), "\(told.sorted())")
            try expectEqual(try library.value(forKey: "bookCount") as? Int, 1)
        }
        // Only their insertion was notified, without the values that the store computed.
        ConformanceCase("Derived values of new objects are reported once a save has computed them", in: .observation) { environment in
            let context = try environment.stack(Models.derived.get()).context()
            let controller = FetchedResultsController(
                ObjectFetchRequest<ManagedObject>(entityName: "Library", key("bookCount") == .int(1), sort: [QuerySort("name")]),
                context: context)
            try controller.performFetch()
            let library = try context.insert("Library")
            try context.insert("Book").setValue(library, forKey: "library")
            try context.processPendingChanges()
            try context.save()
            try expectEqual(controller.fetchedObjects?.count, 1)
        }
        // A listener that reads merges pending changes; later listeners were notified of those before the first event.
        ConformanceCase("All listeners receive events in one order, whatever they do", in: .observation) { environment in
            let stack = try environment.stack(Models.company.get())
            let (here, there) = (stack.context(), stack.context())
            here.automaticallyMergesChangesFromParent = true
            var heard: [ContextEvent.Kind] = []
            var failure: (any Error)?
            let reader = here.observeEvents { event in
                guard event.kind == .didSave else { return }
                do {
                    there.delete(try there.named("ann", Person.self))
                    try there.save()
                    _ = try here.count(for: ObjectFetchRequest<Person>())
                } catch { failure = error }
            }
            let listener = here.observeEvents { heard.append($0.kind) }
            _ = Person("ann", here)
            try here.save()
            withExtendedLifetime((reader, listener)) {}
            if let failure { throw failure }
            try expectEqual(heard, [.willSave, .objectsDidChange, .didSave, .didMerge, .objectsDidChange])
        }
        ConformanceCase("An object that was deleted and exists again is reported as existing", in: .observation) { environment in
            let stack = try environment.stack(Models.company.get())
            let context = stack.context()
            let ann = Person("ann", context)
            try context.save()
            var changes: RemoteChanges = [.deleted: [ann.objectID]]
            changes.add([.inserted: [ann.objectID]])
            try expectEqual(changes, [.inserted: [ann.objectID]])
            changes.add([.updated: [ann.objectID]])
            try expectEqual(changes, [.inserted: [ann.objectID]])
            changes.add([.deleted: [ann.objectID]])
            try expectEqual(changes, [.deleted: [ann.objectID]])
        }
        ConformanceCase("Batch requests reach every context by themselves, unless that is turned off", in: .observation) { environment in
            let stack = try environment.stack(Models.company.get())
            let (here, there) = (stack.context(), stack.context())
            let child = stack.child(of: here)
            let (ann, bob) = (Person("ann", there, age: 1), Person("bob", there, age: 1))
            try there.save()
            let (mine, childs) = (try here.named("ann", Person.self), try child.named("ann", Person.self))
            let mineToo = try here.named("bob", Person.self)
            try expectEqual(childs.age, 1)
            func update(_ age: Int, reaching isReaching: Bool = true) throws {
                var request = BatchUpdateRequest(entityName: "Person", key("name") == .string("ann"), set: ["age": Value.int(Int64(age))])
                request.mergesIntoContexts = isReaching
                try here.execute(request)
            }
            try update(2)
            try expectEqual(mine.age, 2, "in the context that executes it")
            _ = try child.count(for: ObjectFetchRequest<Skill>())
            try expectEqual(childs.age, 2, "in its child")
            _ = try there.count(for: ObjectFetchRequest<Skill>())
            try expectEqual(ann.age, 2, "in another context")
            try update(3, reaching: false)
            _ = try there.count(for: ObjectFetchRequest<Skill>())
            try expectEqual(mine.age, 2)
            try expectEqual(ann.age, 2)
            try here.execute(BatchDeleteRequest(entityName: "Person", key("name") == .string("bob")))
            try expect(mineToo.isDeleted, "deleted in the context that executes it")
            _ = try there.count(for: ObjectFetchRequest<Skill>())
            try expect(bob.isDeleted, "deleted in another context")
        }
    }
}
