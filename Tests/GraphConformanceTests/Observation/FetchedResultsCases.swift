import Strata
import StrataTestModels

@testable import StrataConformance

/// Fetched results controllers.
enum FetchedResultsCases {
    /// A list that a controller's changes are applied to, one by one, as a table on a screen would.
    private final class List {
        private(set) var sections: [(name: String, ids: [ObjectIdentifier])] = []
        private(set) var told = 0

        func begin(_ controller: FetchedResultsController<ManagedObject>) {
            sections = (controller.sections ?? []).map { ($0.name, $0.objects.map { ObjectIdentifier($0) }) }
        }

        func apply(_ changes: FetchedResultsChanges<ManagedObject>) throws {
            told += 1
            // Removals come first, by the index paths before, the last one first; insertions by the index paths of now,
            // the first one first.
            var leaving: [ResultIndexPath] = []
            var coming: [(path: ResultIndexPath, id: ObjectIdentifier)] = []
            for change in changes.objectChanges {
                switch change {
                case .delete(let object, let path):
                    try expectEqual(sections[path.section].ids[path.item], ObjectIdentifier(object), "the index path of a deletion")
                    leaving.append(path)
                case .insert(let object, let path): coming.append((path, ObjectIdentifier(object)))
                case .move(let object, let from, let to):
                    try expectEqual(sections[from.section].ids[from.item], ObjectIdentifier(object), "the index path before a move")
                    leaving.append(from)
                    coming.append((to, ObjectIdentifier(object)))
                case .update(let object, let path, _):
                    try expectEqual(sections[path.section].ids[path.item], ObjectIdentifier(object), "the index path of an update")
                }
            }
            for path in leaving.sorted(by: >) { sections[path.section].ids.remove(at: path.item) }
            for change in changes.sectionChanges {
                switch change {
                case .delete(let name, let index):
                    try expectEqual(sections[index].name, name)
                    try expectEqual(sections[index].ids.count, 0, "a section goes with objects")
                    sections.remove(at: index)
                case .insert(let name, let index): sections.insert((name, []), at: index)
                }
            }
            // Sections that moved are ordered as those of now.
            let indexes = Dictionary(
                uniqueKeysWithValues: changes.snapshot.sections.enumerated().map { (Array($0.element.name.utf8), $0.offset) })
            sections.sort { (indexes[Array($0.name.utf8)] ?? 0) < (indexes[Array($1.name.utf8)] ?? 0) }
            for change in coming.sorted(by: { $0.path < $1.path }) {
                sections[change.path.section].ids.insert(change.id, at: change.path.item)
            }
        }
    }

    private final class Listener: FetchedResultsControllerDelegate {
        typealias Result = Person
        var heard: [String] = []

        func controllerWillChangeContent(_ controller: FetchedResultsController<Person>) { heard.append("will") }
        func controller(_ controller: FetchedResultsController<Person>, didChange section: FetchedResultsChanges<Person>.SectionChange) {
            switch section {
            case .insert(let name, let index): heard.append("section +\(name) \(index)")
            case .delete(let name, let index): heard.append("section -\(name) \(index)")
            }
        }
        func controller(_ controller: FetchedResultsController<Person>, didChange object: FetchedResultsChanges<Person>.ObjectChange) {
            switch object {
            case .insert(let person, let path): heard.append("+\(person.name ?? "") \(path)")
            case .delete(_, let path): heard.append("- \(path)")
            case .move(let person, let from, let to): heard.append("\(person.name ?? "") \(from) to \(to)")
            case .update(let person, let path, _): heard.append("~\(person.name ?? "") \(path)")
            }
        }
        func controllerDidChangeContent(_ controller: FetchedResultsController<Person>) { heard.append("did") }

        func takeAll() -> [String] {
            defer { heard = [] }
            return heard
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A fetched results controller notifies its delegate of sections and objects, in order", in: .observation) {
            environment in
            let context = try environment.stack(Models.company.get()).context()
            let (acme, apex) = (Company(context: context), Company(context: context))
            (acme.name, apex.name) = ("acme", "apex")
            let (ann, bob, cid) = (
                Person("ann", context, company: acme), Person("bob", context, company: acme), Person("cid", context, company: apex)
            )
            try context.save()
            let request = ObjectFetchRequest<Person>(sort: [QuerySort("company.name"), QuerySort("name")])
            let controller = FetchedResultsController(request, context: context, sectionNameKeyPath: "company.name")
            let listener = Listener()
            controller.delegate = listener
            try controller.performFetch()
            try expectEqual(controller.sections?.map { "\($0.name) \($0.numberOfObjects)" }, ["acme 2", "apex 1"])
            try expectEqual(controller.sectionIndexTitles, ["A"])
            try expectEqual(controller.indexPath(forObject: cid), ResultIndexPath(item: 0, section: 1))
            try expect(controller.object(at: ResultIndexPath(item: 1, section: 0)) === bob, "the object at an index path")
            try expect(controller.object(at: ResultIndexPath(item: 2, section: 0)) == nil, "an object past the end")
            ann.age = 5
            try context.processPendingChanges()
            try expectEqual(listener.takeAll(), ["will", "~ann [0, 0]", "did"])
            cid.company = acme
            try context.processPendingChanges()
            try expectEqual(listener.takeAll(), ["will", "section -apex 1", "cid [1, 0] to [0, 2]", "did"])
            ann.name = "bob too"
            try context.processPendingChanges()
            try expectEqual(listener.takeAll(), ["will", "bob too [0, 0] to [0, 1]", "did"])
            context.delete(bob)
            _ = Person("dan", context, company: apex)
            try context.processPendingChanges()
            try expectEqual(
                listener.takeAll(), ["will", "section +apex 1", "- [0, 0]", "+dan [1, 0]", "did"])
            apex.name = "aaa"
            try context.processPendingChanges()
            try expectEqual(controller.sections?.map(\.name), ["aaa", "acme"])
        }
        ConformanceCase(
            "A section's destination that is about to be deleted is no destination, to the query and to the section", in: .observation
        ) {
            environment in
            // Nothing leads back, so that no rule takes the link away while the deletion is pending: the query sorted
            // by no name, and the section was named by the object that is still there.
            let model = try ManagedObjectModel {
                Entity("Owner") { Attribute("name", .string) }
                Entity("Item", attributes: ["name": .string], relationships: ["owner": .toOne("Owner")])
            }
            let context = try environment.stack(model).context()
            let owners = try ["m", "n"].map { try context.add("Owner", $0) }
            for (name, owner) in [("a", owners[0]), ("b", owners[1]), ("c", nil), ("d", owners[0])] {
                try context.add("Item", name).setValue(owner, forKey: "owner")
            }
            try context.save()
            let request = ObjectFetchRequest<ManagedObject>(entityName: "Item", sort: [QuerySort("owner.name"), QuerySort("name")])
            let controller = FetchedResultsController(request, context: context, sectionNameKeyPath: "owner.name")
            try controller.performFetch()
            func sections() throws -> [String] { try controller.sections?.map { "\($0.name):" + (try inOrder($0.objects).joined()) } ?? [] }
            try expectEqual(try sections(), [":c", "m:ad", "n:b"])
            context.delete(owners[1])
            try context.processPendingChanges()
            try expectEqual(try sections(), [":bc", "m:ad"])
            context.delete(owners[0])
            try controller.performFetch()
            try expectEqual(try sections(), [":abcd"])
            context.rollback()
            try controller.performFetch()
            try expectEqual(try sections(), [":c", "m:ad", "n:b"])
        }
        ConformanceCase("Sections of saved values are named by saved values", in: .observation) { environment in
            let context = try environment.stack(Models.company.get()).context()
            let people = [1, 1, 2].enumerated().map { Person("\($0.offset)", context, age: $0.element) }
            try context.save()
            var request = ObjectFetchRequest<Person>(sort: [QuerySort("age"), QuerySort("name")])
            request.includesPendingChanges = false
            let controller = FetchedResultsController(request, context: context, sectionNameKeyPath: "age")
            people[0].age = 7
            try controller.performFetch()
            try expectEqual(controller.sections?.map { "\($0.name) \($0.numberOfObjects)" }, ["1 2", "2 1"])
            try context.save()
            try expectEqual(controller.sections?.map { "\($0.name) \($0.numberOfObjects)" }, ["1 1", "2 1", "7 1"])
        }
        ConformanceCase("Elements of composite attributes make sections", in: .observation) { environment in
            let context = try CompositeCases.build(environment).context()
            let request = ObjectFetchRequest<Theme>(sort: [QuerySort("colors.primary"), QuerySort("name")])
            let controller = FetchedResultsController(request, context: context, sectionNameKeyPath: "colors.primary")
            try controller.performFetch()
            try expectEqual(controller.sections?.map { "\($0.name) \($0.numberOfObjects)" }, [" 2", "red 2"])
            let parents = ObjectFetchRequest<Theme>(sort: [QuerySort("parent.site.city"), QuerySort("name")])
            let byParent = FetchedResultsController(parents, context: context, sectionNameKeyPath: "parent.site.city")
            try byParent.performFetch()
            try expectEqual(byParent.sections?.map { "\($0.name) \($0.numberOfObjects)" }, [" 1", "Oslo 1", "Rome 2"])
            try context.named("a", Theme.self).site?.city = "Bari"
            try context.processPendingChanges()
            try expectEqual(byParent.sections?.map(\.name), ["", "Bari", "Oslo"])
        }
        ConformanceCase("A fetched results controller takes another condition, and refuses sections that are not sorted", in: .observation)
        {
            environment in
            let context = try environment.stack(Models.company.get()).context()
            for (name, age) in [("ann", 1), ("bob", 2), ("cid", 1)] { _ = Person(name, context, age: Int16(age)) }
            try context.save()
            let controller = FetchedResultsController(
                ObjectFetchRequest<Person>(sort: [QuerySort("name")]), context: context)
            try controller.performFetch()
            var snapshots: [[Int]] = []
            controller.onChange = { changes in snapshots.append(changes.snapshot.sections.map(\.objectIDs.count)) }
            controller.fetchRequest.predicate = QueryPredicate(Person.age == 1)
            try controller.performFetch()
            try expectEqual(snapshots, [[2]])
            try expectEqual(try inOrder(controller.fetchedObjects ?? []), ["ann", "cid"])
            controller.fetchRequest.limit = 1
            try controller.performFetch()
            try expectEqual(snapshots, [[2], [1]])
            _ = Person("aaron", context, age: 1)
            try context.processPendingChanges()
            try expectEqual(try inOrder(controller.fetchedObjects ?? []), ["aaron"])
            let unsorted = FetchedResultsController(
                ObjectFetchRequest<Person>(sort: [QuerySort("name")]), context: context, sectionNameKeyPath: "age")
            try expectThrows(FetchedResultsError.self) { try unsorted.performFetch() }
        }
        // A fetch merges pending changes: the controller reported the changes of its own fetch once more, from the
        // results before.
        ConformanceCase("What is merged while a controller fetches is reported once", in: .observation) { environment in
            let stack = try environment.stack(Models.company.get())
            let (here, there) = (stack.context(), stack.context())
            here.automaticallyMergesChangesFromParent = true
            let controller = FetchedResultsController(
                ObjectFetchRequest<ManagedObject>(entityName: "Person", sort: [QuerySort("name")]), context: here)
            try controller.performFetch()
            let list = List()
            list.begin(controller)
            let failures = Failures()
            controller.onChange = { changes in
                do { try list.apply(changes) } catch { failures.first = failures.first ?? error }
            }
            _ = Person("ann", there)
            try there.save()
            _ = Person("bob", here)
            try here.processPendingChanges()
            _ = Person("cid", there)
            try there.save()
            try controller.performFetch()
            if let failure = failures.first { throw failure }
            try expectEqual(list.sections.map(\.ids.count), [3])
            try expectEqual(list.sections.first?.ids, controller.fetchedObjects?.map { ObjectIdentifier($0) })
        }
        ConformanceCase("A controller's other request holds from the next fetch, and saved objects get their IDs", in: .observation) {
            environment in
            let context = try environment.stack(Models.company.get()).context()
            let controller = FetchedResultsController(ObjectFetchRequest<Person>(sort: [QuerySort("name")]), context: context)
            try controller.performFetch()
            var snapshot: FetchedResultsSnapshot?
            controller.onChange = { snapshot = $0.snapshot }
            controller.fetchRequest.predicate = QueryPredicate(Person.age > 50)
            _ = Person("ann", context, age: 1)
            try context.processPendingChanges()
            try expectEqual(snapshot?.numberOfObjects, 1)
            try context.save()
            try expectEqual(snapshot?.objectIDs.filter(\.isTemporary), [])
            try controller.performFetch()
            try expectEqual(snapshot?.numberOfObjects, 0)
        }
        law(1)
        law(2)
        law(3)
    }

    /// Random changes here and there: each controller has what a fetch answers, and a list that its changes are applied
    /// to is the same.
    private static func law(_ seed: UInt64) -> ConformanceCase {
        ConformanceCase("Lists that controllers' changes are applied to are what a fetch answers, random changes \(seed)", in: .observation)
        {
            environment in
            let stack = try environment.stack(Guild.model.get())
            let (here, there) = (stack.context(), stack.context())
            try Guild.fill(here)
            try here.save()
            here.automaticallyMergesChangesFromParent = true
            here.undoManager = UndoManager()
            let child = stack.child(of: here)
            let offset = environment.harness.name.utf8.reduce(UInt64(0)) { ($0 &* 31) &+ UInt64($1) }
            let members = try here.all("Member").map(\.objectID)
            var queries = QueryGenerator(seed: seed &* 7919 &+ offset, members: members)
            var followed: [(controller: FetchedResultsController<ManagedObject>, list: List)] = []
            for number in 0..<10 {
                var request = ObjectFetchRequest<ManagedObject>(
                    entityName: number % 4 == 3 ? "Master" : "Member", number == 0 ? nil : queries.predicate(depth: 2),
                    sort: [QuerySort(["house.name", "name", "age"][number % 3]), QuerySort("number")])
                if number % 5 == 4 { (request.limit, request.offset) = (7, 2) }
                let path = ["house.name", "name", nil][number % 3]
                let controller = FetchedResultsController(request, context: here, sectionNameKeyPath: path)
                let list = List()
                try controller.performFetch()
                list.begin(controller)
                followed.append((controller, list))
            }
            // What a closure cannot throw.
            let failures = Failures()
            for (controller, list) in followed {
                controller.onChange = { changes in
                    do { try list.apply(changes) } catch { failures.first = failures.first ?? error }
                }
            }
            var generator = SeededGenerator(seed: seed &+ offset)
            for step in 0..<60 {
                let done = try change(&generator, here, there, child, step)
                try here.processPendingChanges()
                _ = try here.count(for: ObjectFetchRequest<ManagedObject>(entityName: "Skill"))
                if let failure = failures.first {
                    throw ConformanceFailure("\(failure) after \(done), step \(step)", fileID: #fileID, filePath: #filePath, line: #line)
                }
                for (number, (controller, list)) in followed.enumerated() {
                    let expected = try here.fetch(controller.fetchRequest)
                    let what = "of query \(number), \(controller.fetchRequest.predicate?.description ?? ""), after \(done), step \(step)"
                    try expectEqual(controller.fetchedObjects?.map(\.objectID), expected.map(\.objectID), what)
                    try expectEqual(list.sections.flatMap(\.ids), expected.map { ObjectIdentifier($0) }, "in the list \(what)")
                    try expectEqual(list.sections.map(\.name), controller.sections?.map(\.name), "sections \(what)")
                }
            }
            try expect(followed.contains { $0.list.told > 5 }, "hardly anything was told")
        }
    }

    private final class Failures {
        var first: (any Error)?
    }

    /// Makes one random change.
    ///
    /// - Returns: What was done.
    private static func change(
        _ generator: inout SeededGenerator, _ here: ManagedObjectContext, _ there: ManagedObjectContext, _ child: ManagedObjectContext,
        _ step: Int
    ) throws -> String {
        func any(_ entity: String, _ context: ManagedObjectContext) throws -> ManagedObject? {
            let all = try context.all(entity, sort: [QuerySort(entity == "Member" ? "number" : "name")])
            return all.isEmpty ? nil : all[generator.below(all.count)]
        }
        func alter(_ context: ManagedObjectContext) throws -> String {
            guard let member = try any("Member", context) else { return "nothing" }
            switch generator.below(9) {
            case 0:
                try member.setValue(Guild.names[generator.below(Guild.names.count)], forKey: "name")
                return "a name"
            case 1, 2:
                try member.setValue(generator.below(9) - 2, forKey: "age")
                return "an age"
            case 3:
                try member.setValue(try any("House", context), forKey: "house")
                return "a house"
            case 4:
                try member.setValue(try any("Member", context), forKey: "boss")
                return "a boss"
            case 5:
                try any("House", context)?.setValue(Guild.names[generator.below(Guild.names.count)], forKey: "name")
                return "the name of a house"
            case 6:
                let skills = try context.all("Skill").filter { _ in generator.chance(50) }
                try member.setValue(Set(skills), forKey: "skills")
                return "skills"
            case 7:
                let new = try context.insert("Member")
                try new.setValue(1000 + step, forKey: "number")
                try new.setValue(generator.below(9) - 2, forKey: "age")
                try new.setValue(try any("House", context), forKey: "house")
                return "an insertion"
            default:
                context.delete(member)
                return "a deletion"
            }
        }
        switch generator.below(12) {
        case 0, 1, 2, 3: return try "\(alter(here)) here"
        case 4:
            there.reset()
            let done = try alter(there)
            try there.save()
            return "\(done) there"
        case 5:
            there.mergePolicy = .mergeByPropertyObjectTrump
            here.mergePolicy = .mergeByPropertyObjectTrump
            try here.save()
            return "a save"
        case 6:
            child.reset()
            let done = try alter(child)
            try child.save()
            return "\(done) in a child"
        case 7:
            try here.undo()
            return "an undo"
        case 8:
            here.rollback()
            return "a rollback"
        case 9:
            here.refreshAllObjects()
            return "a refresh"
        case 10:
            try here.execute(
                BatchUpdateRequest(
                    entityName: "Member", key("age") == .int(Int64(generator.below(9)) - 2),
                    set: ["age": Value.int(Int64(generator.below(9)) - 2)]))
            return "a batch update"
        default:
            try here.execute(BatchDeleteRequest(entityName: "Member", key("number") == .int(Int64(generator.below(36)))))
            return "a batch deletion"
        }
    }
}
