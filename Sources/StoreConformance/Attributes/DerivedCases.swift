import FoundationEssentials
import Strata
import StrataTestModels

/// Attributes that stores compute.
enum DerivedCases {
    /// Returns the derived values of a saved object, by name, without the time.
    static func derived(_ object: ManagedObject) throws -> [String: String] {
        var values: [String: String] = [:]
        for attribute in object.entity.derivedAttributes where attribute.name != "savedAt" {
            values[attribute.name] = try object.value(forKey: attribute.name).map { "\($0)" } ?? "nil"
        }
        return values
    }

    private static func expectDerived(
        _ object: ManagedObject, _ expected: [String: String], line: Int = #line
    ) throws {
        let values = try derived(object)
        try expectEqual(values.filter { expected[$0.key] != nil }, expected, line: line)
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Derived values are there right after the save, in the saving context and in others", in: .attributes) {
            environment in
            let stack = try environment.stack(Models.derived)
            let context = stack.context()
            let library = try context.add("Library", "Main")
            let book = try context.add("Book", "Café Ärger", ["pages": 120, "weight": 1.5])
            try book.setValue(library, forKey: "library")
            try expectDerived(book, ["folded": "nil", "libraryName": "nil", "area": "nil"])
            let before = Date()
            try context.save()
            for (book, library) in [
                (book, library), (try stack.context().one("Book", "Café Ärger"), try stack.context().one("Library", "Main")),
            ] {
                try expectDerived(
                    book,
                    [
                        "folded": "cafe arger", "loud": "CAFÉ ÄRGER", "quiet": "café ärger", "copy": "Café Ärger", "area": "180.0",
                        "libraryName": "Main", "upperLibraryName": "MAIN", "town": "nil",
                    ])
                try expectDerived(
                    library, ["bookCount": "1", "pageSum": "120", "weightSum": "1.5", "heaviest": "1.5", "readerCount": "0", "ageSum": "0"])
                let saved = try unwrap(book.value(forKey: "savedAt") as? Date)
                try expect(abs(saved.timeIntervalSince(before)) < 60, "\(saved) is not the time of the save")
            }
            try expect(!context.hasChanges, "reading derived values changed something")
            let first = try unwrap(book.value(forKey: "savedAt") as? Date)
            try library.setValue("Branch", forKey: "name")
            try context.save()
            // The book was not saved, and what it is derived of was.
            try expectEqual(try book.value(forKey: "savedAt") as? Date, first)
            try expectDerived(book, ["libraryName": "Branch"])
            try book.setValue(121, forKey: "pages")
            try context.save()
            let second = try unwrap(book.value(forKey: "savedAt") as? Date)
            try expect(second > first, "\(second) is not after \(first)")
            try expectEqual(try stack.context().one("Book", "Café Ärger").value(forKey: "savedAt") as? Date, second)
            let again = try stack.reopened()
            try expectDerived(try again.context().one("Library", "Branch"), ["bookCount": "1", "pageSum": "121"])
        }
        ConformanceCase("Derived values follow what they are derived of, whoever holds the object", in: .attributes) { environment in
            let stack = try environment.stack(Models.derived)
            let context = stack.context()
            let (a, b) = (try context.add("Library", "a"), try context.add("Library", "b"))
            let city = try context.add("City", "Bern")
            for library in [a, b] { try library.setValue(city, forKey: "city") }
            for number in 1...4 {
                try context.add("Book", "book \(number)", ["pages": number, "weight": Double(number), "library": a])
            }
            try context.save()
            try expectDerived(a, ["bookCount": "4", "pageSum": "10", "weightSum": "10.0", "heaviest": "4.0"])
            try expectDerived(b, ["bookCount": "0", "pageSum": "0", "weightSum": "0.0", "heaviest": "nil"])
            try expectDerived(city, ["bookSum": "4"])

            // Another context, which never saw the libraries.
            let editor = stack.context()
            try editor.one("Book", "book 4").setValue(editor.one("Library", "b"), forKey: "library")
            try editor.one("Book", "book 3").setValue(30, forKey: "pages")
            editor.delete(try editor.one("Book", "book 2"))
            try editor.save()
            let reader = stack.context()
            try expectDerived(try reader.one("Library", "a"), ["bookCount": "2", "pageSum": "31", "weightSum": "4.0", "heaviest": "3.0"])
            try expectDerived(try reader.one("Library", "b"), ["bookCount": "1", "pageSum": "4", "weightSum": "4.0", "heaviest": "4.0"])
            try expectDerived(try reader.one("City", "Bern"), ["bookSum": "3"])
            try expectDerived(try reader.one("Book", "book 4"), ["libraryName": "b", "upperLibraryName": "B", "town": "Bern"])

            // The first context still saves its objects: what others' books changed of them is no conflict.
            try a.setValue("A", forKey: "name")
            try city.setValue("Basel", forKey: "name")
            try context.save()
            try expectDerived(a, ["bookCount": "2", "pageSum": "31", "heaviest": "3.0"])
            let last = stack.context()
            try expectDerived(try last.one("Book", "book 3"), ["libraryName": "A", "upperLibraryName": "A", "town": "Basel"])
            try expectDerived(try last.one("Book", "book 4"), ["libraryName": "b", "town": "Basel"])

            context.delete(try context.one("Library", "A"))
            try context.save()
            try expectDerived(try stack.context().one("Book", "book 3"), ["libraryName": "nil", "upperLibraryName": "nil", "town": "nil"])
            try expectDerived(try stack.context().one("City", "Basel"), ["bookSum": "1"])
        }
        ConformanceCase("Values derived over many-to-many relationships follow the links", in: .attributes) { environment in
            let stack = try environment.stack(Models.derived)
            let context = stack.context()
            let (a, b) = (try context.add("Library", "a"), try context.add("Library", "b"))
            let readers = try (1...3).map { try context.add("Reader", "r\($0)", ["age": $0 * 10]) }
            try a.setValue(Set(readers), forKey: "readers")
            try readers[0].setValue(Set([a, b]), forKey: "libraries")
            try context.save()
            try expectDerived(a, ["readerCount": "3", "ageSum": "60"])
            try expectDerived(b, ["readerCount": "1", "ageSum": "10"])
            try expectDerived(readers[0], ["libraryCount": "2"])
            let editor = stack.context()
            try editor.one("Reader", "r2").setValue(25, forKey: "age")
            editor.delete(try editor.one("Reader", "r1"))
            try editor.one("Library", "b").setValue(Set([editor.one("Reader", "r3")]), forKey: "readers")
            try editor.save()
            let last = stack.context()
            try expectDerived(try last.one("Library", "a"), ["readerCount": "2", "ageSum": "55"])
            try expectDerived(try last.one("Library", "b"), ["readerCount": "1", "ageSum": "30"])
            try expectDerived(try last.one("Reader", "r3"), ["libraryCount": "2"])
        }
        // Members that were looked at for their own values in between were missing from the sum.
        ConformanceCase("Sums of derived values follow what these are derived of", in: .attributes) { environment in
            let model = try ManagedObjectModel {
                Entity("Box") {
                    Attributes(["name": .string, "factor": .double])
                    Attribute("plain", .double).derived("things.weight.@sum")
                    Attribute("scaled", .double).derived("things.scaled.@sum")
                    Relationship("things", to: "Thing", inverse: "box", .toMany)
                }
                Entity("Thing") {
                    Attributes(["name": .string, "weight": .double])
                    Attribute("scaled", .double).derived("weight * box.factor")
                    Relationship("box", to: "Box", inverse: "things")
                }
            }
            let context = try environment.stack(model).context()
            let box = try context.add("Box", "b", ["factor": 2.0])
            let things = try (1...4).map { try context.add("Thing", "t\($0)", ["weight": Double($0), "box": box]) }
            try context.save()
            try expectDerived(box, ["plain": "10.0", "scaled": "20.0"])
            try things[0].setValue(11.0, forKey: "weight")
            try box.setValue(10.0, forKey: "factor")
            try context.save()
            try expectDerived(box, ["plain": "20.0", "scaled": "200.0"])
        }
        ConformanceCase("Derived values are asked for, sorted by and indexed as others are", in: .attributes) { environment in
            let stack = try environment.stack(Models.derived)
            let context = stack.context()
            for (name, count) in [("x", 3), ("y", 1), ("z", 2)] {
                let library = try context.add("Library", name)
                for number in 0..<count { try context.add("Book", "Ä\(name)\(number)", ["library": library]) }
            }
            try context.save()
            let libraries = try stack.context().all("Library", QueryPredicate(format: "bookCount > 1"), sort: [QuerySort("bookCount")])
            try expectEqual(try libraries.map { try $0.text("name") }, ["z", "x"])
            try expectEqual(try stack.context().all("Book", QueryPredicate(format: "folded BEGINSWITH 'ax'")).count, 3)
            try expectEqual(try stack.context().all("Book", QueryPredicate(format: "library.bookCount == 1")).count, 1)
        }
        ConformanceCase("Derived values cannot be set", in: .attributes) { environment in
            let stack = try environment.stack(Models.derived)
            let context = stack.context()
            let book = try context.add("Book", "a")
            let error = try expectStoreError(.wrongValue) { try book.setValue("x", forKey: "folded") }
            try expectEqual(error.key, "folded")
            // An accessor cannot throw: what it sets lasts until the save.
            book[Key<String>("loud")] = "quiet"
            try context.save()
            try expectDerived(book, ["loud": "A"])
            try expectDerived(try stack.context().one("Book", "a"), ["loud": "A"])
            try expectStoreError(.wrongValue) {
                _ = try stack.coordinator.execute(BatchInsertRequest(entityName: "Book", objects: [["name": "b", "loud": "b"]]))
            }
            try expectStoreError(.wrongValue) {
                _ = try stack.coordinator.execute(BatchUpdateRequest(entityName: "Book", set: ["loud": Value.string("b")]))
            }
            try expectEqual(try stack.context().all("Book").count, 1)
        }
        ConformanceCase("Batch requests keep derived values right", in: .attributes) { environment in
            let stack = try environment.stack(Models.derived)
            let context = stack.context()
            let library = try context.add("Library", "a")
            try context.save()
            let insert = BatchInsertRequest(
                entityName: "Book",
                objects: (0..<50).map { number -> [String: Value] in
                    ["name": .string("Ö\(number)"), "pages": .int(Int64(number)), "weight": .double(1)]
                })
            _ = try stack.coordinator.execute(insert)
            try expectEqual(try stack.context().all("Book", QueryPredicate(format: "folded BEGINSWITH 'o'")).count, 50)
            try expectDerived(try stack.context().one("Book", "Ö7"), ["area": "7.0", "loud": "Ö7"])

            var update = BatchUpdateRequest(entityName: "Book", set: ["library": Value.objectID(library.objectID)])
            update.resultType = .objectIDs
            let result = try stack.coordinator.execute(update)
            try expectEqual(result.objectIDs.count, 50)
            try expect(result.changes[.updated].contains(library.objectID), "the library is not said to have changed")
            context.mergeChanges(fromRemoteContextSave: result.changes)
            try expectDerived(library, ["bookCount": "50", "pageSum": "1225", "weightSum": "50.0"])
            _ = try stack.coordinator.execute(BatchUpdateRequest(entityName: "Library", set: ["name": Value.string("b")]))
            try expectDerived(try stack.context().one("Book", "Ö7"), ["libraryName": "b", "upperLibraryName": "B"])

            _ = try stack.coordinator.execute(BatchDeleteRequest(entityName: "Book", try QueryPredicate(format: "pages >= 10")))
            try expectDerived(try stack.context().one("Library", "b"), ["bookCount": "10", "pageSum": "45", "weightSum": "10.0"])
        }
        ConformanceCase("Save events tell of objects whose derived values changed", in: .attributes) { environment in
            let stack = try environment.stack(Models.derived)
            let context = stack.context()
            let library = try context.add("Library", "a")
            try context.save()
            let other = stack.context()
            let seen = try other.one("Library", "a")
            try expectDerived(seen, ["bookCount": "0"])
            let told = Told()
            let subscription = stack.coordinator.observeSaves { event in told.set(event) }
            try context.add("Book", "b", ["library": library])
            try context.save()
            subscription.cancel()
            let event = try unwrap(told.event)
            let updated = try unwrap(event.stores[0].updated.first { $0.id == library.objectID })
            try expect(updated.changedProperties.contains("bookCount"), "\(updated.changedProperties)")
            try expectDerived(seen, ["bookCount": "0"])
            other.mergeChanges(fromRemoteContextSave: event.changes)
            try expectDerived(seen, ["bookCount": "1"])
        }
        ConformanceCase("A number that the attribute cannot hold fails the save by name", in: .attributes) { environment in
            let model = try ManagedObjectModel {
                Entity("Item") {
                    Attributes(["name": .string, "number": .integer64])
                    Attribute("twice", .integer16).derived("number * 2")
                }
            }
            let stack = try environment.stack(model)
            let context = stack.context()
            let item = try context.add("Item", "a", ["number": 20_000])
            let error = try expectStoreError(.wrongValue) { try context.save() }
            try expectEqual(error.key, "twice")
            try expectEqual(try stack.context().all("Item").count, 0)
            try item.setValue(10_000, forKey: "number")
            try context.save()
            try expectDerived(item, ["twice": "20000"])
        }
        ConformanceCase("A store of a model that derives what cannot be derived does not open", in: .attributes) { environment in
            for (expression, type) in [
                ("nothing", AttributeType.string), ("parts", .integer64), ("part", .string), ("uppercase:(", .string), ("name", .integer64),
                ("parts.@count", .string), ("now()", .integer64), ("part.hint", .string), ("b", .string), ("part.echo", .string),
                ("parts.name", .string), ("$x", .string),
            ] {
                let model = try ManagedObjectModel {
                    Entity("Whole") {
                        Attribute("name", .string)
                        Attribute("a", type).derived(expression)
                        Attribute("b", type).derived("a")
                        Relationships(["parts": .toMany("Part.whole"), "part": .toOne("Part")])
                    }
                    Entity("Part") {
                        Attribute("name", .string)
                        Attribute("hint", .string).transient
                        Attribute("echo", type).derived("whole.a")
                        Relationship("whole", to: "Whole", inverse: "parts")
                    }
                }
                do {
                    _ = try environment.stack(model)
                    throw ConformanceFailure("\(expression) is derived")
                } catch let error as StoreError {
                    try expect(error.code == .unsupported && error.key != nil && error.entity != nil, "\(expression): \(error)")
                }
            }
        }
    }

    // Unchecked: the event comes on the thread of the save, before it returns.
    private final class Told: @unchecked Sendable {
        private(set) var event: SaveEvent?
        func set(_ event: SaveEvent) { self.event = event }
    }
}
