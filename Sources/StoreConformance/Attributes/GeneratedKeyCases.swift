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
        ConformanceCase("A number that the program sets is not given to another object later", in: .attributes) { environment in
            let stack = try environment.stack(entries)
            let context = stack.context()
            _ = try context.insert("Entry")
            // Within the reserved block, beyond it, far beyond it, and below that.
            for given in [4, 500, 90_000, 250] {
                let object = try context.insert("Invoice")
                try object.setValue(given, forKey: "number")
                try context.save()
                for _ in 0..<40 { _ = try context.insert("Entry") }
                try context.save()
            }
            let sort = [QuerySort("number", ascending: false)]
            func greatest() throws -> ManagedObject {
                try unwrap(stack.context().fetch(ObjectFetchRequest<ManagedObject>(entityName: "Entry", sort: sort, limit: 1)).first)
            }
            let changed = try greatest()
            try changed.setValue(try number(changed) + 50, forKey: "number")
            try unwrap(changed.managedObjectContext).save()
            for _ in 0..<600 { _ = try context.insert("Entry") }
            try context.save()
            let last = try number(greatest())
            try context.execute(
                BatchUpdateRequest(
                    entityName: "Entry", try QueryPredicate(format: "number == %d", last), set: ["number": .int(last + 50)]))
            for _ in 0..<600 { _ = try context.insert("Entry") }
            try context.save()
            try expectDistinct(try stack.context().fetch(ObjectFetchRequest<ManagedObject>(entityName: "Entry")).map(number))
        }
        ConformanceCase("Rows of a batch insert without a number get none that another row is given", in: .attributes) { environment in
            let stack = try environment.stack(entries)
            let context = stack.context()
            let given: [Int64?] = [nil, 3, nil, nil, 2, nil, 50_000, nil, 9, nil]
            for round in 0..<3 {
                try context.execute(
                    BatchInsertRequest(
                        entityName: round == 1 ? "Invoice" : "Entry",
                        objects: given.map { $0.map { ["number": .int($0 + Int64(round) * 60_000)] } ?? [:] }))
                for _ in 0..<20 { _ = try context.insert("Entry") }
                try context.save()
            }
            try expectDistinct(try stack.context().fetch(ObjectFetchRequest<ManagedObject>(entityName: "Entry")).map(number))
        }
        ConformanceCase("An object with the greatest number ends the sequence, and no more than that", in: .attributes) { environment in
            let stack = try environment.stack(entries)
            let context = stack.context()
            let last = try context.insert("Entry")
            try last.setValue(Int64.max, forKey: "number")
            try context.save()
            let next = try context.insert("Entry")
            let error = try expectStoreError(.tooLarge) { try context.save() }
            try expectEqual(error.key, "number")
            try expectEqual(error.message, "an object has the number \(Int64.max), and none is left above it")
            try expectStoreError(.tooLarge) { try context.execute(BatchInsertRequest(entityName: "Entry", objects: [["text": "a"]])) }
            // Numbers of the program's own go on, and the sequence does when the object is deleted.
            try next.setValue(7, forKey: "number")
            try context.save()
            try context.execute(BatchInsertRequest(entityName: "Entry", objects: [["number": .int(8)]]))
            context.delete(last)
            try context.save()
            let again = try stack.reopened().context()
            try expect(try number(again.insert("Entry")) > 8, "no number above the others")
            try again.save()
        }
        ConformanceCase(
            "After a backup is restored into an open container no number is given twice", in: .attributes, requires: .file
        ) { environment in
            let stack = try environment.stack(entries)
            let context = stack.context()
            for _ in 0..<3 { _ = try context.insert("Entry") }
            try context.save()
            guard try BackupCases.canBeCopied(stack, environment) else { return }
            let backup = BackupCases.target(environment)
            try stack.coordinator.backUp(to: backup)
            for _ in 0..<3 { _ = try context.insert("Entry") }
            try context.save()
            context.reset()
            try stack.coordinator.restore(from: backup)
            let later = stack.context()
            for _ in 0..<60 { _ = try later.insert("Entry") }
            try later.save()
            let all = try stack.context().fetch(ObjectFetchRequest<ManagedObject>(entityName: "Entry"))
            try expectEqual(all.count, 63)
            try expectDistinct(try all.map(number))
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
