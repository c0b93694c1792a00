import CoreData
import Testing

/// Rows as a table view keeps them, changed by nothing but what a delegate is told.
private final class Rows: NSObject, NSFetchedResultsControllerDelegate {
    private(set) var rows: [[Citizen]]
    private var deleted: [IndexPath] = []
    private var inserted: [IndexPath] = []
    private var deletedSections: [Int] = []
    private var insertedSections: [Int] = []

    init(_ controller: NSFetchedResultsController<Citizen>) {
        rows = Rows.rows(of: controller)
        super.init()
        controller.delegate = self
    }

    static func rows(of controller: NSFetchedResultsController<Citizen>) -> [[Citizen]] {
        (controller.sections ?? []).map { $0.objects as? [Citizen] ?? [] }
    }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>, didChange sectionInfo: any NSFetchedResultsSectionInfo,
        atSectionIndex sectionIndex: Int, for type: NSFetchedResultsChangeType
    ) { if type == .insert { insertedSections.append(sectionIndex) } else { deletedSections.append(sectionIndex) } }

    func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>, didChange anObject: Any, at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        if type == .update { return }
        if let indexPath { deleted.append(indexPath) }
        if let newIndexPath { inserted.append(newIndexPath) }
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
        for path in deleted.sorted(by: >) { rows[path.section].remove(at: path.row) }
        for section in deletedSections.sorted(by: >) { rows.remove(at: section) }
        for section in insertedSections.sorted() { rows.insert([], at: section) }
        for path in inserted.sorted() {
            guard let object = controller.object(at: path) as? Citizen else { continue }
            rows[path.section].insert(object, at: path.row)
        }
        (deleted, inserted, deletedSections, insertedSections) = ([], [], [], [])
    }
}

@Suite("Bookkeeping by a delegate")
struct FetchedResultsBookkeepingTests {
    @Test("Rows that are changed while a delegate is notified are those of the sections", arguments: 1...4)
    func random(seed: Int) throws {
        let stack = CityStack()
        var numbers = Numbers(state: UInt64(seed))
        try stack.context.performAndWait {
            let controllers = [
                try stack.controller(stack.request("city", "age"), sections: "city"),
                try stack.controller(stack.request("name"), sections: "initial"),
                try stack.controller(stack.request("age", where: NSPredicate(format: "age > 20"))),
            ]
            let tables = controllers.map { Rows($0) }
            for round in 0..<150 {
                for _ in 0..<numbers.next(6) { change(stack, &numbers) }
                if round % 40 == 39 { try stack.context.save() }
                stack.context.processPendingChanges()
                for (controller, table) in zip(controllers, tables) {
                    try #require(table.rows == Rows.rows(of: controller))
                }
            }
        }
    }

    private func change(_ stack: CityStack, _ numbers: inout Numbers) {
        let people = (try? stack.context.fetch(stack.request("name", "age"))) ?? []
        let kind = numbers.next(10)
        if people.count < 5 || kind < 4 {
            let letter = ["A", "B", "C", "D"][numbers.next(4)]
            stack.add("\(letter)\(numbers.next(1000))", ["Bern", "Oslo", "Rome"][numbers.next(3)], age: numbers.next(60))
        } else if kind < 6 {
            stack.context.delete(people[numbers.next(people.count)])
        } else if kind < 8 {
            people[numbers.next(people.count)].setValue(["Bern", "Kyiv", nil][numbers.next(3)], forKey: "city")
        } else {
            people[numbers.next(people.count)].setValue(numbers.next(60), forKey: "age")
        }
    }
}

/// Numbers that look random, the same for the same start.
private struct Numbers {
    var state: UInt64

    mutating func next(_ end: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(end))
    }
}
