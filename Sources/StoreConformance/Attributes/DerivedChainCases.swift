import Strata
import StrataTestModels

/// Derived attributes that are derived of derived attributes, where another context changes what they are derived of.
enum DerivedChainCases {
    /// A book whose label, shout and whisper are derived one of another.
    private static var model: ModelResult {
        Result {
            try ManagedObjectModel {
                Entity("Shelf") {
                    Attribute("name", .string)
                    Relationships(["books": .toMany("Book.shelf"), "room": .toOne("Room.shelves")])
                    Attribute("bookCount", .integer32).derived("books.@count")
                }
                Entity("Room") {
                    Attributes(["name": .string, "note": .string])
                    Attribute("bookSum", .integer64).derived("shelves.bookCount.@sum")
                    Attribute("twice", .integer64).derived("bookSum * 2")
                    Relationship("shelves", to: "Shelf", inverse: "room", .toMany)
                }
                // In the order of their names each comes before what it is derived of.
                Entity("Book") {
                    Attribute("name", .string)
                    Attribute("c", .string).derived("shelf.name")
                    Attribute("b", .string).derived("uppercase:(c)")
                    Attribute("a", .string).derived("lowercase:(b)")
                    Relationship("shelf", to: "Shelf", inverse: "books")
                }
            }
        }
    }

    private static func expectStored(_ stack: ConformanceStack, _ entity: String, _ values: [String: String], line: Int = #line) throws {
        let object = try stack.context().one(entity, "x")
        for (key, value) in values { try expectEqual(try object.value(forKey: key).map { "\($0)" } ?? "nil", value, key, line: line) }
        let problems = try stack.coordinator.verify(stack.store())
        try expect(problems.isEmpty, "\(problems)", line: line)
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        // A value that the saving context had already was not written, although the store had another.
        ConformanceCase("A value derived of a derived one is written where only the saving context has it", in: .attributes) {
            environment in
            for isBatch in [false, true] {
                let stack = try environment.stack(try model.get(), stores: [environment.description("chain\(isBatch)")])
                let context = stack.context()
                let (p, q) = (try context.add("Shelf", "s1"), try context.add("Shelf", "s2"))
                let book = try context.add("Book", "x", ["shelf": p])
                try q.setValue("s1", forKey: "name")
                try context.save()
                if isBatch {
                    var update = BatchUpdateRequest(entityName: "Shelf", set: ["name": Value.string("z")])
                    update.predicate = QueryPredicate(key("SELF") == .objectID(p.objectID))
                    update.mergesIntoContexts = false
                    _ = try stack.coordinator.execute(update)
                } else {
                    let other = stack.context()
                    try other.existingObject(with: p.objectID).setValue("z", forKey: "name")
                    try other.save()
                }
                try expectStored(stack, "Book", ["c": "z", "b": "Z", "a": "z"])
                try book.setValue(q, forKey: "shelf")
                try context.save()
                try expectStored(stack, "Book", ["c": "s1", "b": "S1", "a": "s1"])
                try expectEqual(try book.text("b"), "S1")
            }
        }
        ConformanceCase("A value derived of a derived sum is written where only the saving context has it", in: .attributes) {
            environment in
            let stack = try environment.stack(model)
            let context = stack.context()
            let room = try context.add("Room", "x")
            let (p, q) = (try context.add("Shelf", "p", ["room": room]), try context.add("Shelf", "q"))
            for shelf in [p, q] { try context.add("Book", "of a shelf", ["shelf": shelf]) }
            try context.save()
            let other = stack.context()
            try other.add("Book", "another", ["shelf": other.existingObject(with: p.objectID)])
            try other.save()
            try expectStored(stack, "Room", ["bookSum": "2", "twice": "4"])
            // The room of the context still has the sum that this makes of it.
            try room.setValue(Set([q]), forKey: "shelves")
            try room.setValue("changed", forKey: "note")
            try context.save()
            try expectStored(stack, "Room", ["bookSum": "1", "twice": "2"])
        }
    }
}
