import Strata
import StrataTestModels

@testable import StrataConformance

/// Fetched results controllers against fetches, by random changes.
enum FetchedResultsLawCases {
    static let all: [ConformanceCase] = [law(1), law(2), law(3)]

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
            var followed: [(controller: FetchedResultsController<ManagedObject>, list: AppliedList)] = []
            for number in 0..<10 {
                var request = ObjectFetchRequest<ManagedObject>(
                    entityName: number % 4 == 3 ? "Master" : "Member", number == 0 ? nil : queries.predicate(depth: 2),
                    sort: [QuerySort(["house.name", "name", "age"][number % 3]), QuerySort("number")])
                if number % 5 == 4 { (request.limit, request.offset) = (7, 2) }
                let path = ["house.name", "name", nil][number % 3]
                let controller = FetchedResultsController(request, context: here, sectionNameKeyPath: path)
                let list = AppliedList()
                try controller.performFetch()
                list.begin(controller)
                followed.append((controller, list))
            }
            // What a closure cannot throw.
            let failure = FirstFailure()
            for (controller, list) in followed {
                controller.onChange = { changes in
                    do { try list.apply(changes) } catch { failure.first = failure.first ?? error }
                }
            }
            var generator = SeededGenerator(seed: seed &+ offset)
            for step in 0..<60 {
                let done = try change(&generator, here, there, child, step)
                try here.processPendingChanges()
                _ = try here.count(for: ObjectFetchRequest<ManagedObject>(entityName: "Skill"))
                if let failure = failure.first {
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
            try expect(followed.contains { $0.list.notificationCount > 5 }, "hardly any change was reported")
        }
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
