import Strata
import StrataEvaluation
import StrataStore

/// Laws over generated predicates: what a store decides itself and what the core decides over its rows is the same.
enum GeneratedLawCases {
    /// How many predicates a store is asked, each store others.
    private static let rounds = Effort.count(120, soak: 1000)

    private static func cases(_ name: String, depth: Int, seed: UInt64) -> ConformanceCase {
        ConformanceCase(name, in: .queries) { environment in
            let stack = try environment.stack(Guild.model.get())
            let filling = stack.context()
            try Guild.fill(filling)
            try filling.save()
            let asker = try Asker(stack)
            // Another seed for each store, so that a run of several stores asks other questions of each.
            let offset = environment.harness.name.utf8.reduce(UInt64(0)) { ($0 &* 31) &+ UInt64($1) }
            var generator = QueryGenerator(seed: seed &+ offset, members: try asker.ids(nil))
            for round in 0..<rounds {
                let predicate = generator.predicate(depth: depth)
                do {
                    try check(predicate, round, asker, &generator.generator)
                } catch let failure as ConformanceFailure {
                    throw ConformanceFailure(
                        "\(failure.message), where \(predicate)", fileID: failure.fileID, filePath: failure.filePath, line: failure.line)
                } catch {
                    throw ConformanceFailure("\(error), where \(predicate)", fileID: #fileID, filePath: #filePath, line: #line)
                }
            }
        }
    }

    private static func check(_ predicate: QueryPredicate, _ round: Int, _ asker: Asker, _ generator: inout SeededGenerator) throws {
        let found = try asker.ids(predicate)
        try expectEqual(found, try asker.ids(predicate, inCore: true), "from the store and from the core")
        // Each predicate is put to the main law, and to one of the others in turn.
        switch round % 6 {
        case 0:
            let others = try asker.ids(!predicate)
            try expectEqual(Set(found).intersection(others).count, 0, "objects that meet the predicate and its negation")
            try expectEqual(found.count + others.count, Guild.memberCount, "objects that meet the predicate or its negation")
        case 1: try expectEqual(try asker.count(predicate), found.count, "counted")
        case 2:
            let text = predicate.description
            let parsed = try QueryPredicate(format: text, model: asker.model)
            try expectEqual(parsed, predicate, "parsed again")
        case 3:
            let sort = [QuerySort("name", ascending: generator.chance(50)), QuerySort("house.rating", ascending: generator.chance(50))]
            let sorted = try asker.ids(predicate, sort: sort)
            try expectEqual(Set(sorted), Set(found), "sorted")
            try expectEqual(sorted.count, found.count, "sorted")
            try expectEqual(sorted, try asker.ids(predicate, sort: sort, inCore: true), "sorted by the store and by the core")
            let (offset, limit) = (generator.below(20), generator.below(20))
            try expectEqual(
                try asker.ids(predicate, sort: sort, limit: limit, offset: offset), Array(sorted.dropFirst(offset).prefix(limit)), "sliced")
        case 4:
            let (offset, limit) = (generator.below(20), generator.below(20))
            try expectEqual(try asker.ids(predicate, limit: limit, offset: offset), Array(found.dropFirst(offset).prefix(limit)), "sliced")
        default:
            try expectEqual(try asker.groups(predicate), try asker.groups(predicate, inCore: true), "grouped by the store and by the core")
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        cases("Generated comparisons are decided alike by the store and by the core", depth: 0, seed: 101)
        cases("Generated conditions are decided alike by the store and by the core", depth: 2, seed: 202)
        cases("Generated trees are decided alike by the store and by the core", depth: 4, seed: 303)
    }
}

/// Asks a stack's coordinator for members.
private struct Asker {
    let coordinator: any Coordinator
    let model: ManagedObjectModel
    let member: EntityDescription

    init(_ stack: ConformanceStack) throws {
        coordinator = stack.coordinator
        model = coordinator.model
        member = try unwrap(model.entity(named: "Member"))
    }

    private func plan(_ predicate: QueryPredicate?, _ result: FetchPlan.Result, inCore: Bool) throws -> FetchPlan {
        var plan = FetchPlan(member, result)
        plan.predicate = try predicate?.resolved(for: member, in: model)
        plan.isEvaluatedInCore = inCore
        return plan
    }

    func ids(
        _ predicate: QueryPredicate?, sort: [QuerySort] = [], limit: Int? = nil, offset: Int = 0, inCore: Bool = false
    ) throws -> [ObjectID] {
        var plan = try plan(predicate, .references, inCore: inCore)
        plan.sort = try sort.map { try ResolvedSort($0, of: member, in: model) }
        plan.limit = limit
        plan.offset = offset
        guard case .ids(let ids) = try coordinator.fetch(plan, affectedStores: nil) else { throw ConformanceFailure("no IDs") }
        return ids
    }

    func count(_ predicate: QueryPredicate) throws -> Int {
        guard case .count(let count) = try coordinator.fetch(try plan(predicate, .count, inCore: false), affectedStores: nil) else {
            throw ConformanceFailure("no count")
        }
        return count
    }

    /// The number, the sum of ages and the greatest score of the members of each name.
    func groups(_ predicate: QueryPredicate, inCore: Bool = false) throws -> [[Value]] {
        let path: (String) throws -> ResolvedExpression = { .path(try PropertyPath($0, of: member, in: model)) }
        let grouping = GroupPlan(
            keys: [try path("name")],
            aggregates: [
                .init(.count, nil), .init(.sum, try path("age")), .init(.max, try path("score")), .init(.average, try path("age")),
            ])
        guard case .groups(let groups) = try coordinator.fetch(try plan(predicate, .groups(grouping), inCore: inCore), affectedStores: nil)
        else { throw ConformanceFailure("no groups") }
        let tuples = try groups.map { group in
            try group.keys + zip(group.partials, grouping.aggregates).map { try $0.value(of: $1.function) }
        }
        return tuples.sorted { $0[0].sortOrder($1[0]) == .less }
    }
}
