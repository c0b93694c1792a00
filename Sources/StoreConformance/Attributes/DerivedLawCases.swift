import FoundationEssentials
import Strata

/// Random changes in two contexts, after which derived values are what a plain reading of the objects comes to.
enum DerivedLawCases {
    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("After any changes derived values are those that the objects come to", in: .attributes) { environment in
            for seed in 0..<Effort.count(2, soak: 20) {
                let stack = try environment.stack(Models.derived, "store\(seed)")
                var law = DerivedLaw(stack, SeededGenerator(seed: UInt64(seed + 5)), isAlone: seed.isMultiple(of: 2))
                try law.run()
            }
        }
    }
}

/// One sequence of changes.
private struct DerivedLaw {
    private let stack: ConformanceStack
    private var generator: SeededGenerator
    private let contexts: [ManagedObjectContext]
    private var log: [String] = []
    private var names = 0

    /// - Parameter isAlone: Whether one context makes all changes, which then always has the values that are stored.
    init(_ stack: ConformanceStack, _ generator: SeededGenerator, isAlone: Bool) {
        self.stack = stack
        self.generator = generator
        contexts = isAlone ? [stack.context()] : [stack.context(), stack.context()]
    }

    mutating func run() throws {
        for step in 0..<120 {
            let index = generator.below(contexts.count)
            try change(contexts[index], "\(step)@\(index)")
            if generator.chance(25) {
                try save(contexts[index])
                try check(contexts[index])
            }
            if contexts.count > 1, generator.chance(8) { try batch("\(step)") }
        }
        for context in contexts {
            try save(context)
            try check(context)
        }
    }

    private mutating func name() -> String {
        names += 1
        return ["é", "Ü", "x"][names % 3] + "\(names)"
    }

    private mutating func pick(_ entity: String, _ context: ManagedObjectContext) throws -> ManagedObject? {
        let all = try context.all(entity, sort: [QuerySort("name")])
        return all.isEmpty ? nil : all[generator.below(all.count)]
    }

    private mutating func change(_ context: ManagedObjectContext, _ step: String) throws {
        let kind = generator.below(15)
        log.append("\(step): \(kind)")
        switch kind {
        case 0: try context.add("Library", name())
        case 1: try context.add("City", name())
        case 2, 3:
            let book = try context.add(generator.chance(30) ? "Atlas" : "Book", name(), ["pages": generator.below(100)])
            try book.setValue(Double(generator.below(8)) / 4, forKey: "weight")
            if book.entity.name == "Atlas" { try book.setValue(generator.below(9), forKey: "scale") }
            try book.setValue(try pick("Library", context), forKey: "library")
        case 4: try context.add("Reader", name(), ["age": generator.below(90)])
        case 5, 6: try pick("Book", context)?.setValue(try pick("Library", context), forKey: "library")
        case 7: try pick("Library", context)?.setValue(try pick("City", context), forKey: "city")
        case 8: try pick(["Library", "Book", "City", "Reader"][generator.below(4)], context)?.setValue(name(), forKey: "name")
        case 9: try pick("Book", context)?.setValue(generator.chance(20) ? nil : generator.below(500), forKey: "pages")
        case 10: try pick("Reader", context)?.setValue(generator.below(99), forKey: "age")
        case 11:
            guard let library = try pick("Library", context), let reader = try pick("Reader", context) else { return }
            var readers = try library.many("readers")
            if readers.remove(reader) == nil { readers.insert(reader) }
            try library.setValue(readers, forKey: "readers")
        case 12: try pick("Book", context)?.setValue(nil, forKey: "library")
        case 13: if let object = try pick(["Library", "Book", "City", "Reader"][generator.below(4)], context) { context.delete(object) }
        default: if let object = try pick("Library", context), !object.isInserted { context.refresh(object, mergeChanges: true) }
        }
    }

    /// Changes the store without managed objects.
    private mutating func batch(_ step: String) throws {
        let kind = generator.below(4)
        log.append("\(step): batch \(kind)")
        switch kind {
        case 0:
            let books = [name(), name()]
            _ = try stack.coordinator.execute(
                BatchInsertRequest(entityName: "Book", objects: books.map { ["name": Value.string($0), "pages": .int(3)] }))
        case 1:
            let library = try pick("Library", stack.context())
            _ = try stack.coordinator.execute(
                BatchUpdateRequest(
                    entityName: "Book", try QueryPredicate(format: "pages < 20"),
                    set: ["library": library.map { Value.objectID($0.objectID) } ?? .null]))
        case 2:
            _ = try stack.coordinator.execute(
                BatchUpdateRequest(
                    entityName: "Book", try QueryPredicate(format: "pages > 90"), set: ["pages": try QueryExpression(format: "pages / 2")]))
        default:
            _ = try stack.coordinator.execute(BatchDeleteRequest(entityName: "Book", try QueryPredicate(format: "pages == 3")))
        }
    }

    private func save(_ context: ManagedObjectContext) throws {
        for _ in 0..<6 {
            do {
                try context.save()
                return
            } catch let error as SaveConflictError {
                for conflict in error.conflicts { context.refresh(context.object(with: conflict.objectID), mergeChanges: false) }
            } catch let error as StoreError where error.code == .notFound { break }
        }
        context.rollback()
    }

    /// Compares what is stored, and what the context that saved has where its objects are not changed, with what the
    /// objects come to.
    private func check(_ saver: ManagedObjectContext) throws {
        let reader = stack.context()
        for entity in ["Library", "City", "Book", "Reader"] {
            for object in try reader.all(entity) {
                let expected = try expected(object)
                try expectEqual(try DerivedCases.derived(object), expected, "\(entity) after \(log.suffix(12))")
                guard contexts.count == 1, let known = saver.registeredObject(for: object.objectID) else { continue }
                try expectEqual(try DerivedCases.derived(known), expected, "\(entity) in its context after \(log.suffix(12))")
            }
        }
    }

    private func expected(_ object: ManagedObject) throws -> [String: String] {
        func text(_ value: Any?) -> String { value.map { "\($0)" } ?? "nil" }
        func number(_ object: ManagedObject, _ key: String) throws -> Int? { try object.value(forKey: key) as? Int }
        switch object.entity.name {
        case "Library":
            let books = try object.many("books")
            let weights = try books.compactMap { try $0.value(forKey: "weight") as? Double }
            let readers = try object.many("readers")
            return [
                "bookCount": "\(books.count)", "pageSum": "\(try books.reduce(0) { try $0 + (number($1, "pages") ?? 0) })",
                "weightSum": "\(weights.reduce(0.0, +))", "heaviest": text(weights.max()), "readerCount": "\(readers.count)",
                "ageSum": "\(try readers.reduce(0) { try $0 + (number($1, "age") ?? 0) })",
            ]
        case "City": return ["bookSum": "\(try object.many("libraries").reduce(0) { try $0 + $1.many("books").count })"]
        case "Reader": return ["libraryCount": "\(try object.many("libraries").count)"]
        default:
            let (name, library) = (try object.text("name") ?? "", try object.one("library"))
            let (pages, weight) = (try number(object, "pages"), try object.value(forKey: "weight") as? Double)
            let libraryName = try library?.text("name")
            var values = [
                "folded": name.lowercased().replacing("é", with: "e").replacing("ü", with: "u"), "loud": name.uppercased(),
                "quiet": name.lowercased(), "copy": name, "area": text(pages.flatMap { pages in weight.map { Double(pages) * $0 } }),
                "libraryName": text(libraryName), "upperLibraryName": text(libraryName?.uppercased()),
                "town": text(try library?.one("city")?.text("name")),
            ]
            if object.entity.name == "Atlas" {
                values["detail"] = text(try number(object, "scale").flatMap { scale in pages.map { scale * $0 } })
            }
            return values
        }
    }
}
