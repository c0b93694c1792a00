import Strata
import StrataInMemory
import StrataTestModels
import StrataTestRandom
import Testing

@testable import StrataGraph

@Suite("Fetched results that are updated in place")
struct FetchedResultsOracleTests {
    private let context: ManagedObjectContext

    init() throws {
        let coordinator = PersistentStoreCoordinator(
            model: try ManagedObjectModel {
                Entity("Item") { Attributes(["name": .string, "number": .integer64, "other": .integer64]) }
            })
        try coordinator.addStore(StoreDescription(.inMemory))
        context = ManagedObjectContext(coordinator)
    }

    private func description(_ changes: FetchedResultsChanges<ManagedObject>) -> [String] {
        changes.sectionChanges.map { "\($0)" }
            + changes.objectChanges.map { change in
                switch change {
                case .insert(let object, let path): "+ \(object.objectID) \(path)"
                case .delete(let object, let path): "- \(object.objectID) \(path)"
                case .move(let object, let from, let to): "\(object.objectID) \(from) to \(to)"
                case .update(let object, let from, let to): "~ \(object.objectID) \(from) \(to)"
                }
            }
    }

    @Test(
        "Results and changes are those of fetching again and comparing all",
        arguments: [
            (path: nil, sort: ["number"], predicate: nil), (path: "number", sort: ["number", "name"], predicate: nil),
            (path: nil, sort: ["name"], predicate: "number > 2"), (path: "name", sort: ["name", "other"], predicate: "number < 6"),
        ] as [(path: String?, sort: [String], predicate: String?)])
    func oracle(_ request: (path: String?, sort: [String], predicate: String?)) throws {
        var random = SeededGenerator.printed("fetched results")
        func set(_ item: ManagedObject, _ key: String) throws {
            let number = Int.random(in: 0..<9, using: &random)
            try item.setValue(key == "name" ? "n\(number)" as Any : number, forKey: key)
        }
        var items: [ManagedObject] = []
        func insert() throws {
            let item = try context.insert("Item")
            for key in ["name", "number", "other"] { try set(item, key) }
            items.append(item)
        }
        for _ in 0..<30 { try insert() }
        try context.save()
        let fetch = ObjectFetchRequest<ManagedObject>(
            entityName: "Item", try request.predicate.map { try QueryPredicate(format: $0) }, sort: request.sort.map { QuerySort($0) })
        let controller = FetchedResultsController(fetch, context: context, sectionNameKeyPath: request.path)
        try controller.performFetch()
        func fetched() throws -> FetchedResults<ManagedObject> {
            try FetchedResults(
                try context.fetch(fetch),
                request.path.map { path in { item in try item.value(forKey: path).map { "\($0)" } ?? "" } })
        }
        var before = try fetched()
        var touched: Set<ObjectIdentifier> = []
        let subscription = context.observeEvents { event in
            touched = Set((event.updated + event.refreshed).map { ObjectIdentifier($0) })
            if event.kind == .didSave { touched = Set(event.inserted.map { ObjectIdentifier($0) }) }
        }
        var (found, wanted) = ([String](), [String]())
        controller.onChange = { changes in
            found.append(contentsOf: description(changes))
            guard let now = try? fetched() else { return }
            let expected = FetchedResultsChanges(from: before, to: now, touched: touched)
            wanted.append(contentsOf: description(expected))
            #expect(changes.snapshot == expected.snapshot)
            #expect(Array(changes.difference) == Array(expected.difference))
            before = now
        }
        for step in 0..<300 {
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                switch Int.random(in: 0..<6, using: &random) {
                case 0: try insert()
                case 1 where items.count > 20: context.delete(items.remove(at: Int.random(in: items.indices, using: &random)))
                default: try set(random.pick(items), random.pick(["name", "number", "other"]))
                }
            }
            if step % 20 == 19 { try context.save() } else { try context.processPendingChanges() }
            #expect(found == wanted, "step \(step)")
            (found, wanted) = ([], [])
            #expect(controller.fetchedObjects == (try context.fetch(fetch)))
            #expect(controller.sections?.map(\.name) == (try fetched().ranges.map(\.name)))
            for section in controller.sections ?? [] {
                #expect(section.objects.allSatisfy { controller.indexPath(forObject: $0).flatMap { controller.object(at: $0) } === $0 })
            }
        }
        withExtendedLifetime(subscription) {}
    }
}
