package import Strata

/// Carries the graph from one generation to the next, in one save.
package struct GraphWriter {
    private let context: ManagedObjectContext

    package init(_ context: ManagedObjectContext) { self.context = context }

    package func save(generation: Int) throws {
        for part in Part.allCases {
            let tags = try tags(of: part, at: generation)
            try insertBatch(generation, part, tags)
            for age in 1...4 where age < generation { try advance(try batch(generation - age, part), to: age, part, tags) }
            if generation > ExpectedGraph.lifetime { context.delete(try batch(generation - ExpectedGraph.lifetime, part)) }
        }
        try context.save()
    }

    private func tags(of part: Part, at generation: Int) throws -> [String: Tag] {
        var tags: [String: Tag] = [:]
        if generation == 1 {
            for name in ExpectedGraph.tagNames(part) {
                let tag = try insert(part.tagEntity, Tag.self)
                tag[Tag.name] = name
                tags[name] = tag
            }
        } else {
            for tag in try context.fetch(ObjectFetchRequest<Tag>(entityName: part.tagEntity)) { tags[tag[Tag.name] ?? ""] = tag }
        }
        for tag in tags.values { tag[Tag.generation] = generation }
        return tags
    }

    private func insertBatch(_ generation: Int, _ part: Part, _ tags: [String: Tag]) throws {
        let batch = try insert(part.batchEntity, Batch.self)
        batch[Batch.generation] = generation
        batch[Batch.stamp] = ExpectedGraph.stamp(generation, age: 0)
        if generation > 1 { batch[Batch.previous] = try self.batch(generation - 1, part) }
        for index in 0..<ExpectedGraph.itemCount(generation, of: part) {
            let item = try insert(part.itemEntity, Item.self)
            let expected = ExpectedGraph.item(index, ofBatch: generation, of: part, age: 0)
            item[Item.number] = expected.number
            set(expected, item)
            item[Item.tags] = expected.tags.compactMap { tags[$0] }
            batch.add(item, to: Batch.items)
        }
    }

    /// Changes a batch as ``ExpectedGraph`` tells.
    private func advance(_ batch: Batch, to age: Int, _ part: Part, _ tags: [String: Tag]) throws {
        let number = batch[Batch.generation] ?? 0
        batch[Batch.stamp] = ExpectedGraph.stamp(number, age: age)
        let expected = ExpectedGraph.order(number, of: part, age: age).map { ExpectedGraph.item($0, ofBatch: number, of: part, age: age) }
        switch age {
        case 1:
            for (item, expected) in zip(batch[Batch.items], expected) { set(expected, item) }
        case 2:
            batch[Batch.items] = batch[Batch.items].reversed()
            for (item, expected) in zip(batch[Batch.items], expected) { item[Item.tags] = expected.tags.compactMap { tags[$0] } }
        case 3:
            for item in batch[Batch.items] where ExpectedGraph.isShortLived((item[Item.number] ?? 0) % 100) { context.delete(item) }
        default:
            if let last = batch[Batch.items].last { batch.add(last, to: Batch.items, at: 1) }
        }
    }

    private func set(_ expected: ItemSnapshot, _ item: Item) {
        item[Item.text] = expected.text
        item[Item.weight] = expected.weight
        item[Item.touched] = expected.touched
        item[Item.payload] = expected.payload
    }

    private func batch(_ generation: Int, _ part: Part) throws -> Batch {
        let found = try context.fetch(ObjectFetchRequest<Batch>(entityName: part.batchEntity, key("generation") == .int(Int64(generation))))
        guard found.count == 1 else { throw Violation("\(found.count) batches \(part.rawValue)\(generation)") }
        return found[0]
    }

    private func insert<Object: ManagedObject>(_ entity: String, _ type: Object.Type) throws -> Object {
        guard let object = try context.insert(entity) as? Object else { throw Violation("\(entity) is no \(type)") }
        return object
    }
}

extension GraphWriter {
    /// Saves a change that belongs to no generation: one item goes to the end of its batch.
    package func spoil() throws {
        let batch = try context.fetch(ObjectFetchRequest<Batch>(entityName: Part.b.batchEntity, limit: 1)).first
        if let batch, let first = batch[Batch.items].first { batch.add(first, to: Batch.items, at: batch[Batch.items].count) }
        try context.save()
    }
}
