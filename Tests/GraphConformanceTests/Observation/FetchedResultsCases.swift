import Strata
import StrataTestModels

@testable import StrataConformance

/// Fetched results controllers.
enum FetchedResultsCases {
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
            let list = AppliedList()
            list.begin(controller)
            let failures = FirstFailure()
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
    }
}
