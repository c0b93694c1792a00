import FoundationEssentials
import Strata
import StrataTestModels

/// Keys that every new object gets.
enum GeneratedKeyCases {
    private static func model(isGenerated: Bool) -> ModelResult {
        ModelResult.declared {
            Entity("Entry") {
                isGenerated ? Attribute("number", .integer64).generated(.sequence) : Attribute("number", .integer64)
                isGenerated ? Attribute("key", .uuid).generated(.uuidV7) : Attribute("key", .uuid)
                Attribute("text", .string)
            }
            Entity("Invoice", parent: "Entry", attributes: ["due": .date], relationships: [:])
        }
    }

    private static let entries = model(isGenerated: true)

    private static func number(_ object: ManagedObject) throws -> Int64 {
        try unwrap((object.value(forKey: "number") as? Int).map(Int64.init), "no number")
    }
    private static func key(_ object: ManagedObject) throws -> UUID { try unwrap(object.value(forKey: "key") as? UUID, "no key") }

    private static func expectDistinct(_ numbers: [Int64]) throws {
        try expectEqual(Set(numbers).count, numbers.count, "in \(numbers.sorted())")
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Generated keys are known when an object is inserted, and are stored", in: .attributes) { environment in
            let stack = try environment.stack(entries)
            let context = stack.context()
            let objects = try (0..<40).map { try context.insert($0 % 3 == 0 ? "Invoice" : "Entry") }
            let (numbers, keys) = (try objects.map(number), try objects.map(key))
            try expectDistinct(numbers)
            try expectEqual(numbers, numbers.sorted(), "is ascending")
            try expectEqual(keys.map(\.uuidString), keys.map(\.uuidString).sorted(), "is ascending")
            try expect(keys.allSatisfy { $0.uuid.6 >> 4 == 7 && $0.uuid.8 >> 6 == 2 }, "the version or the variant is another")
            try context.save()
            let again = try stack.reopened().context().fetch(
                ObjectFetchRequest<ManagedObject>(entityName: "Entry", sort: [QuerySort("number")]))
            try expectEqual(try again.map(number), numbers)
            try expectEqual(try again.map(key), keys)
        }
        ConformanceCase(
            "No number of a sequence is given twice, in whatever context, and rolled back ones are not given again", in: .attributes
        ) {
            environment in
            let stack = try environment.stack(entries)
            var numbers: [Int64] = []
            for round in 0..<6 {
                let (first, second) = (stack.context(), stack.context())
                let child = ManagedObjectContext(parent: first)
                for context in [first, second, child, first] { numbers.append(try number(context.insert("Entry"))) }
                if round % 2 == 0 { second.rollback() } else { try second.save() }
                try child.save()
                try first.save()
                try expectEqual(
                    try stack.context().count(for: ObjectFetchRequest<ManagedObject>(entityName: "Entry")),
                    3 * (round + 1) + (round + 1) / 2)
            }
            try expectDistinct(numbers)
        }
        ConformanceCase("Two coordinators over one store get no number of a sequence twice", in: .attributes, requires: .file) {
            environment in
            let (here, there) = (try environment.stack(entries), try environment.stack(entries))
            var numbers: [Int64] = []
            for _ in 0..<5 {
                for stack in [here, there] {
                    let context = stack.context()
                    for _ in 0..<5 { numbers.append(try number(context.insert("Entry"))) }
                    try context.save()
                }
            }
            try expectDistinct(numbers)
        }
        ConformanceCase("Rows of a batch insert get the keys that they are not given", in: .attributes) { environment in
            let stack = try environment.stack(entries)
            let context = stack.context()
            var numbers = [try number(context.insert("Entry"))]
            try context.save()
            let key = GeneratedValue.newUUID()
            try context.execute(
                BatchInsertRequest(
                    entityName: "Entry", objects: [["text": "a"], ["text": "b", "number": 1_000_000, "key": .uuid(key)], ["text": "c"]]))
            let rows = try stack.context().fetch(
                ObjectFetchRequest<ManagedObject>(entityName: "Entry", try QueryPredicate(format: "text != nil"), sort: [QuerySort("text")])
            )
            numbers += try rows.map(number)
            try expectEqual(numbers[2], 1_000_000)
            try expectEqual(try rows.map { try self.key($0) }[1], key)
            numbers.append(try number(context.insert("Entry")))
            try expectDistinct(numbers)
        }
        ConformanceCase("A sequence continues above the numbers that objects have already", in: .attributes, requires: .persistence) {
            environment in
            let stack = try environment.stack(model(isGenerated: false))
            let context = stack.context()
            for number in [5, 70_000, 12] { try context.insert("Entry").setValue(number, forKey: "number") }
            let bare = try context.insert("Entry")
            try expect(bare.value(forKey: "number") == nil, "a number without a sequence")
            try context.save()
            // Generation is no part of the version hash: the store is opened as it is.
            let later = try stack.reopened(model: try entries.get()).context()
            try expect(try number(later.insert("Invoice")) > 70_000, "a number that might be another object's")
            try later.save()
            let without = ObjectFetchRequest<ManagedObject>(entityName: "Entry", try QueryPredicate(format: "number == nil"))
            try expectEqual(try later.count(for: without), 1, "without a number")
        }
        ConformanceCase("Given keys are kept, and an object without a context gets its keys with one", in: .attributes) { environment in
            let stack = try environment.stack(entries)
            let context = stack.context()
            let entity = try unwrap(context.model.entity(named: "Entry"))
            let (given, bare) = (
                try ManagedObject(entity: entity, insertInto: nil), try ManagedObject(entity: entity, insertInto: nil)
            )
            try given.setValue(4711, forKey: "number")
            context.insert(given)
            context.insert(bare)
            try expectEqual(try number(given), 4711)
            try expect(try number(bare) > 0, "no number")
            _ = try key(given)
            try context.save()
        }
    }
}
