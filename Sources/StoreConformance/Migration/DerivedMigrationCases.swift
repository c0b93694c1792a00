import FoundationEssentials
import Strata
import StrataTestModels

/// Versions of a model that derive other attributes, or derive them of something else.
enum DerivedMigrationCases {
    /// Three pages of a book and one of none, in the first version.
    private static func filled(_ environment: ConformanceEnvironment) throws -> Migrated {
        let store = try Migrated(environment) {
            Entity("Book", attributes: ["name": .string, "size": .integer64], relationships: ["pages": .toMany("Page.book")])
            Entity("Page", attributes: ["name": .string, "words": .integer32], relationships: ["book": .toOne("Book.pages")])
        }
        let book = try store.context.add("Book", "Ö", ["size": 99])
        for number in 1...3 { try store.context.add("Page", "p\(number)", ["words": number, "book": book]) }
        try store.context.add("Page", "p4", ["words": 40])
        return store
    }

    private static func model(size: String?, _ others: [Attribute] = [], words: AttributeType = .integer32) throws -> ManagedObjectModel {
        let attribute = Attribute("size", .integer64)
        return try ManagedObjectModel {
            Entity("Book") {
                Attribute("name", .string)
                size.map(attribute.derived) ?? attribute
                others
                Relationship("pages", to: "Page", inverse: "book", .toMany)
            }
            Entity("Page") {
                Attribute("name", .string)
                Attribute("words", words)
                Relationship("book", to: "Book", inverse: "pages")
            }
        }
    }

    private static func values(_ stack: ConformanceStack, _ names: String...) throws -> [String] {
        let book = try stack.context().one("Book", "Ö")
        return try names.map { name in try book.value(forKey: name).map { "\($0)" } ?? "nil" }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase(
            "Attributes that become derived, or are derived of something else, have their values as the store opens", in: .migration,
            requires: .persistence
        ) {
            environment in
            // Derivations are part of the version hash: the store is migrated.
            var stack = try filled(environment).opened(try model(size: "pages.@count"))
            try expectEqual(try values(stack, "size"), ["3"])
            stack = try stack.reopened(model: try model(size: "pages.words.@sum"))
            try expectEqual(try values(stack, "size"), ["6"])
            let editor = stack.context()
            try editor.one("Page", "p4").setValue(editor.one("Book", "Ö"), forKey: "book")
            try editor.save()
            try expectEqual(try values(stack, "size"), ["46"])
            stack = try stack.reopened(model: try model(size: nil))
            try expectEqual(try values(stack, "size"), ["46"])
            let setter = stack.context()
            try setter.one("Book", "Ö").setValue(7, forKey: "size")
            try setter.save()
            stack = try stack.reopened(model: try model(size: nil))
            try expectEqual(try values(stack, "size"), ["7"])
        }
        ConformanceCase(
            "A store whose derived values are computed anew as it is migrated keeps its objects", in: .migration, requires: .persistence
        ) { environment in
            // The plan that computed them was kept by its shape, and read the new tables instead of those with the
            // objects.
            let note = Attribute("note", .string)
            var stack = try filled(environment).opened(try model(size: "pages.@count", [note]))
            stack = try stack.reopened(model: try model(size: "pages.words.@sum", [note]))
            try expectEqual(try values(stack, "size"), ["6"])
            stack = try stack.reopened(model: try model(size: "pages.words.@sum", [note], words: .double))
            try expectEqual(try values(stack, "size"), ["6"])
            let context = stack.context()
            try expectEqual(try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Page")).count, 4)
            try expectEqual(try context.one("Page", "p3").value(forKey: "words") as? Double, 3)
            try expectEqual(try context.one("Book", "Ö").value(forKey: "name") as? String, "Ö")
        }
        ConformanceCase("What is derived again after it was not is computed anew", in: .migration, requires: .persistence) { environment in
            // The store once kept the values of this very derivation.
            var stack = try filled(environment).opened(try model(size: "pages.@count"))
            stack = try stack.reopened(model: try model(size: nil))
            let setter = stack.context()
            try setter.one("Book", "Ö").setValue(7, forKey: "size")
            try setter.save()
            stack = try stack.reopened(model: try model(size: "pages.@count"))
            try expectEqual(try values(stack, "size"), ["3"])
        }
        ConformanceCase(
            "Derived attributes that a version adds have their values after the migration", in: .migration, requires: .persistence
        ) {
            environment in
            let added = [
                Attribute("folded", .string).required.derived("canonical:(name)"), Attribute("total", .double).derived("pages.words.@sum"),
                Attribute("twice", .integer64).derived("total * 2"),
            ]
            let stack = try filled(environment).opened(try model(size: nil, added))
            try expectEqual(try values(stack, "size", "folded", "total", "twice"), ["99", "o", "6.0", "12"])
            // What they are derived of changes its type, and one of them too.
            let next = try stack.reopened(
                model: try model(
                    size: nil, [Attribute("folded", .integer16).derived("pages.@count"), added[1], added[2]], words: .double))
            try expectEqual(try values(next, "size", "folded", "total", "twice"), ["99", "3", "6.0", "12"])
            try expectEqual(try next.problems(), [])
        }
        ConformanceCase("What is derived over a relationship into another store is none", in: .migration, requires: .persistence) {
            environment in
            func model(_ others: Attribute...) throws -> ManagedObjectModel {
                try ManagedObjectModel {
                    Entity("Book") {
                        Attribute("name", .string)
                        others
                        Relationships(["pages": .toMany("Page.book"), "cover": .toOne("Page")])
                    }
                    Entity("Page", attributes: ["name": .string], relationships: ["book": .toOne("Book.pages")])
                    EntityConfiguration("books", "Book")
                    EntityConfiguration("pages", "Page")
                }
            }
            let stores = ["books", "pages"].map { (name: String) in environment.description(name, configuration: name) }
            let stack = try environment.stack(try model(), stores: stores)
            let context = stack.context()
            try context.add("Book", "b")
            try context.add("Page", "p")
            try context.save()
            let next = try stack.reopened(
                model: try model(
                    Attribute("count", .integer32).derived("pages.@count"), Attribute("first", .string).derived("cover.name")))
            let book = try next.context().one("Book", "b")
            try expectEqual(try book.value(forKey: "count") as? Int, 0)
            try expectEqual(try book.text("first"), nil)
        }
        ConformanceCase("The time of an object's last save outlives a migration", in: .migration, requires: .persistence) { environment in
            func model(_ others: Attribute...) throws -> ManagedObjectModel {
                let saved = Attribute("savedAt", .date).derived("now()")
                return try ManagedObjectModel(entities: [Entity("Thing") { [Attribute("name", .string), saved] + others }])
            }
            let stack = try environment.stack(try model())
            let context = stack.context()
            let saved = try context.add("Thing", "a")
            try context.save()
            let date = try unwrap(saved.value(forKey: "savedAt") as? Date)
            let next = try stack.reopened(model: try model(Attribute("loud", .string).derived("uppercase:(name)")))
            let thing = try next.context().one("Thing", "a")
            try expectEqual(try thing.text("loud"), "A")
            try expectEqual(try thing.value(forKey: "savedAt") as? Date, date)
        }
        ConformanceCase("A store of another kind has the derived values, and keeps them right", in: .conversion) { environment in
            let stack = try environment.stack(Models.derived)
            let context = stack.context()
            let library = try context.add("Library", "a")
            for number in 1...3 { try context.add("Book", "b\(number)", ["library": library, "pages": number]) }
            try context.save()
            let saved = try context.one("Book", "b1").value(forKey: "savedAt") as? Date
            let copy = try stack.coordinator.migrateStore(try stack.store(), to: environment.description("copy", of: environment.partner))
            try expectEqual(copy.id, try stack.store().id)
            let editor = stack.context()
            try expectEqual(try editor.one("Library", "a").value(forKey: "bookCount") as? Int, 3)
            try expectEqual(try editor.one("Book", "b1").value(forKey: "savedAt") as? Date, saved)
            editor.delete(try editor.one("Book", "b2"))
            try editor.save()
            try expectEqual(try stack.context().one("Library", "a").value(forKey: "bookCount") as? Int, 2)
            try expectEqual(try stack.context().one("Library", "a").value(forKey: "pageSum") as? Int, 4)
        }
    }
}
