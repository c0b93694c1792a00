import FoundationEssentials
package import Strata
import StrataTestSupport

/// What was found is not what an acknowledged save left.
package struct Violation: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

/// Reads the graph back, along every relationship from both of its ends.
package struct GraphReader {
    private let context: ManagedObjectContext

    package init(_ context: ManagedObjectContext) { self.context = context }

    /// The generation that all parts are at; 0 where nothing was saved.
    ///
    /// - Throws: ``Violation`` where a part is not exactly what its generation left, or parts differ in their generation.
    package func verifiedGeneration() throws -> Int {
        let generations = try Part.allCases.map { part in
            let found = try snapshot(of: part)
            let expected = ExpectedGraph.snapshot(of: part, at: found.generation)
            guard found == expected else { throw Violation(difference(part, found, expected)) }
            return found.generation
        }
        guard Set(generations).count == 1 else { throw Violation("a save is in some stores only: \(generations)") }
        try HistoryReplay.verify(context)
        return generations[0]
    }

    /// The generation of a part, without a look at anything else.
    package func generation(of part: Part = .a) throws -> Int {
        try context.fetch(ObjectFetchRequest<Tag>(entityName: part.tagEntity, limit: 1)).first?[Tag.generation] ?? 0
    }

    func snapshot(of part: Part) throws -> PartSnapshot {
        let tags = try context.fetch(ObjectFetchRequest<Tag>(entityName: part.tagEntity))
        let items = try context.fetch(ObjectFetchRequest<Item>(entityName: part.itemEntity, sort: [Item.number.ascending]))
        let batches = try context.fetch(ObjectFetchRequest<Batch>(entityName: part.batchEntity, sort: [Batch.generation.ascending]))
        let generations = Set(tags.map { $0[Tag.generation] ?? -1 })
        guard generations.count <= 1 else { throw Violation("\(part.rawValue): tags of several generations: \(generations)") }
        if let generation = generations.first {
            let names = tags.compactMap { $0[Tag.name] }.sorted()
            guard names == ExpectedGraph.tagNames(part) else { throw Violation("\(part.rawValue)\(generation): tags \(names)") }
        }
        guard items.count == batches.reduce(0, { $0 + $1[Batch.items].count }) else {
            throw Violation("\(part.rawValue): \(items.count) items, but not as many in the batches")
        }
        for item in items {
            for tag in item[Item.tags] where !tag[Tag.items].contains(item) {
                throw Violation("\(part.rawValue): the tag \(tag[Tag.name] ?? "") does not know the item \(item[Item.number] ?? 0)")
            }
        }
        guard tags.reduce(0, { $0 + $1[Tag.items].count }) == items.reduce(0, { $0 + $1[Item.tags].count }) else {
            throw Violation("\(part.rawValue): tags have items that do not know them")
        }
        return PartSnapshot(generation: generations.first ?? 0, batches: try batches.map { try snapshot(of: $0, part) })
    }

    private func snapshot(of batch: Batch, _ part: Part) throws -> BatchSnapshot {
        let number = batch[Batch.generation] ?? -1
        if let previous = batch[Batch.previous], previous[Batch.next] !== batch {
            throw Violation("\(part.rawValue)\(number): the batch before leads elsewhere")
        }
        let items = try batch[Batch.items].map { item in
            guard item[Item.batch] === batch else { throw Violation("\(part.rawValue)\(number): an item is of another batch") }
            return ItemSnapshot(
                number: item[Item.number] ?? -1,
                text: item[Item.text] ?? "",
                weight: item[Item.weight] ?? -1,
                touched: item[Item.touched] ?? -1,
                payload: item[Item.payload] ?? Data(),
                tags: item[Item.tags].map { $0[Tag.name] ?? "" }
            )
        }
        return BatchSnapshot(
            generation: number,
            stamp: batch[Batch.stamp] ?? -1,
            previous: batch[Batch.previous]?[Batch.generation],
            items: items
        )
    }

    private func difference(_ part: Part, _ found: PartSnapshot, _ expected: PartSnapshot) -> String {
        let name = "\(part.rawValue) at \(found.generation)"
        guard found.batches.map(\.generation) == expected.batches.map(\.generation) else {
            return "\(name): batches \(found.batches.map(\.generation)), not \(expected.batches.map(\.generation))"
        }
        for (batch, other) in zip(found.batches, expected.batches) where batch != other {
            guard batch.items.map(\.number) == other.items.map(\.number) else {
                return "\(name): batch \(batch.generation) has items \(batch.items.map(\.number)), not \(other.items.map(\.number))"
            }
            for (item, wanted) in zip(batch.items, other.items) where item != wanted { return "\(name): item \(item), not \(wanted)" }
            return "\(name): batch \(batch.generation) has stamp \(batch.stamp) and previous \(batch.previous ?? 0)"
        }
        return name
    }
}
