import FoundationEssentials
import Strata

/// Data lost by another version of the model: the plan lists it, or the migration is refused.
enum LossMigrationCases {
    /// A change of the relationships `b` of A and `as` of B.
    private struct Change {
        let name: String
        let before: [Relationship?]
        let after: [Relationship?]
        /// The steps of the plan that lose data.
        let losses: [String]
        /// All objects that have a destination afterwards; of four objects of A each referenced b1 and b2, or b1 and
        /// the last one b2.
        let contents: [String]
    }

    private static func b(_ cardinality: Relationship.Cardinality = .toMany, _ inverse: String? = nil) -> Relationship {
        Relationship("b", to: "B", inverse: inverse, cardinality)
    }

    private static func back(
        _ cardinality: Relationship.Cardinality = .toMany, _ inverse: String? = "b", _ name: String = "as"
    ) -> Relationship { Relationship(name, to: "A", inverse: inverse, cardinality) }

    private static func model(_ relationships: [Relationship?]) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("A") {
                Attribute("name", .string)
                if let relationship = relationships[0] { relationship }
            }
            Entity("B") {
                Attribute("name", .string)
                if let relationship = relationships[1] { relationship }
            }
        }
    }

    private static let oneOnly = "let one object at most lead to each by A.b"
    private static let changes = [
        Change(
            name: "many-to-many, the inverse is dropped", before: [b(.toMany, "as"), back()], after: [b(), nil],
            losses: [oneOnly], contents: ["A a1: b=[b1 b2]"]),
        Change(
            name: "many-to-many, the relationship is dropped", before: [b(.toMany, "as"), back()], after: [nil, back(.toMany, nil)],
            losses: ["let one object at most lead to each by B.as"], contents: ["B b1: as=[a1 a2 a3 a4]"]),
        Change(
            name: "ordered, the inverse is dropped", before: [b(.ordered, "as"), back()], after: [b(.ordered), nil],
            losses: [oneOnly], contents: ["A a1: b=(b2 b1)"]),
        Change(
            name: "an ordered inverse is dropped", before: [b(.toMany, "as"), back(.ordered)], after: [b(), nil],
            losses: [oneOnly], contents: ["A a4: b=[b1 b2]"]),
        Change(
            name: "many-to-many, the inverse is taken off", before: [b(.toMany, "as"), back()], after: [b(), back(.toMany, nil)],
            losses: [oneOnly, "let one object at most lead to each by B.as"], contents: ["A a1: b=[b1 b2]", "B b1: as=[a1 a2 a3 a4]"]),
        Change(
            name: "many-to-one becomes to-many, the inverse is dropped", before: [b(.toOne, "as"), back()], after: [b(), nil],
            losses: [oneOnly], contents: ["A a1: b=[b1]", "A a4: b=[b2]"]),
        Change(
            name: "to-one becomes to-many without inverse", before: [b(.toOne), nil], after: [b(), nil],
            losses: [oneOnly], contents: ["A a1: b=[b1]", "A a4: b=[b2]"]),
        Change(
            name: "to-one becomes ordered without inverse", before: [b(.toOne), nil], after: [b(.ordered), nil],
            losses: [oneOnly], contents: ["A a1: b=(b1)", "A a4: b=(b2)"]),
        Change(
            name: "to-one gets a to-one inverse", before: [b(.toOne), nil], after: [b(.toOne, "as"), back(.toOne)],
            losses: [oneOnly], contents: ["A a1: b=b1", "A a4: b=b2", "B b1: as=a1", "B b2: as=a4"]),
        Change(
            name: "many-to-many gets another inverse, to-one", before: [b(.toMany, "as"), back()],
            after: [b(.toMany, "owner"), back(.toOne, "b", "owner")],
            losses: [oneOnly], contents: ["A a1: b=[b1 b2]", "B b1: owner=a1", "B b2: owner=a1"]),
        Change(
            name: "the inverse becomes to-one", before: [b(.toMany, "as"), back()], after: [b(.toMany, "as"), back(.toOne)],
            losses: ["convert B.as from to-many to to-one"], contents: ["A a1: b=[b1 b2]", "B b1: as=a1", "B b2: as=a1"]),
        Change(
            name: "two become each other's inverse", before: [b(.toOne), back(.toOne, nil)], after: [b(.toOne, "as"), back(.toOne)],
            losses: [oneOnly, "lead B.as back to where A.b comes from"],
            contents: ["A a1: b=b1", "A a4: b=b2", "B b1: as=a1", "B b2: as=a4"]),
        Change(
            name: "two become each other's inverse, of which one is to-one", before: [b(), back(.toOne, nil)],
            after: [b(.toMany, "as"), back(.toOne)],
            losses: ["lead A.b back to where B.as comes from"], contents: ["A a4: b=[b1]", "B b1: as=a4"]),
        // Each destination has one owner only before and after.
        Change(
            name: "one-to-many, the inverse is dropped", before: [b(.toMany, "as"), back(.toOne)], after: [b(), nil],
            losses: [], contents: ["A a4: b=[b1 b2]"]),
        Change(
            name: "one-to-many, the inverse is taken off", before: [b(.ordered, "as"), back(.toOne)],
            after: [b(.ordered), back(.toOne, nil)],
            losses: [], contents: ["A a4: b=(b2 b1)", "B b1: as=a4", "B b2: as=a4"]),
        Change(
            name: "one without inverse gets one that is to-many", before: [b(), nil], after: [b(.toMany, "as"), back()],
            losses: [], contents: ["A a4: b=[b1 b2]", "B b1: as=[a4]", "B b2: as=[a4]"]),
        Change(
            name: "to-one becomes to-many with an inverse", before: [b(.toOne), nil], after: [b(.toMany, "as"), back()],
            losses: [],
            contents: ["A a1: b=[b1]", "A a2: b=[b1]", "A a3: b=[b1]", "A a4: b=[b2]", "B b1: as=[a1 a2 a3]", "B b2: as=[a4]"]),
    ]

    /// Fills a store of the first version; later objects have greater references.
    private static func fill(_ stack: ConformanceStack, _ change: Change) throws {
        let context = stack.context()
        func add(_ entity: String, _ name: String) throws -> ManagedObject {
            let object = try context.add(entity, name)
            try context.save()
            return object
        }
        let destinations = try ["b1", "b2"].map { try add("B", $0) }
        let owners = try ["a1", "a2", "a3", "a4"].map { try add("A", $0) }
        for (index, owner) in owners.enumerated() {
            switch change.before[0]?.cardinality {
            case .toOne?: try owner.setValue(destinations[index == 3 ? 1 : 0], forKey: "b")
            case .toMany?: try owner.setValue(Set(destinations), forKey: "b")
            case .ordered?: try owner.setValue([destinations[1], destinations[0]], forKey: "b")
            case nil: break
            }
        }
        if change.before[1]?.cardinality == .ordered {
            for destination in destinations { try destination.setValue([owners[3], owners[0], owners[2], owners[1]], forKey: "as") }
        }
        if let own = change.before[1], own.cardinality == .toOne, own.inverse == nil {
            try destinations[0].setValue(owners[3], forKey: "as")
        }
        try context.save()
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("The plan tells of links that a relationship loses with its inverse", in: .migration, requires: .persistence) {
            environment in
            // The plan was empty, or lost nothing, where each destination kept one of several owners.
            for (index, change) in changes.enumerated() {
                let name = "store\(index)"
                let stack = try environment.stack(try model(change.before), name)
                try fill(stack, change)
                try stack.close()
                let second = try model(change.after)
                let plan = try unwrap(try PersistentStoreCoordinator.migrationPlan(for: environment.description(name), to: second))
                try expectEqual(plan.steps.filter(\.losesData).map(\.message), change.losses, change.name)
                let after = try stack.reopened(model: second)
                try expectEqual(try after.contents().filter { $0.contains(": ") }, change.contents, change.name)
                try expectEqual(try after.problems(), [], change.name)
            }
        }
        ConformanceCase(
            "An entity that leaves the store's configuration is refused as long as it has objects", in: .migration, requires: .persistence
        ) { environment in
            // A store dropped the table, and all objects with it.
            func model(_ isNew: Bool, _ change: Bool = false) throws -> ManagedObjectModel {
                try ManagedObjectModel {
                    Entity("Person") {
                        Attribute("name", .string)
                        if change { Attribute("more", .string) }
                    }
                    Entity("Pet") { Attribute("name", .string) }
                    Entity("Dog", parent: "Pet") { Attribute("breed", .string) }
                    EntityConfiguration("a", entities: isNew ? ["Person"] : ["Person", "Pet", "Dog"])
                    EntityConfiguration("b", "Pet", "Dog")
                }
            }
            let description = environment.description(configuration: "a")
            let stack = try environment.stack(try model(false), stores: [description])
            let context = stack.context()
            try context.add("Person", "p")
            let dog = try context.add("Dog", "d")
            try context.save()
            let number = try unwrap(dog.objectID.uriRepresentation.split(separator: "/").last)
            if try stack.store().metadata().holdsWholeModel {
                // The configuration only selects what is stored.
                for change in [false, true] {
                    let after = try stack.reopened(model: try model(true, change))
                    try expectEqual(try after.contents(), ["Person p"])
                    try expectEqual(try after.problems(), [])
                    try after.close()
                    let again = try environment.stack(try model(false), stores: [description])
                    try expectEqual(try again.contents(), ["Person p", "Dog d"])
                    try again.close()
                }
                return
            }
            for change in [false, true] {
                let error = try expectStoreError(.migration) { try stack.reopened(model: try model(true, change)) }
                try expectEqual(error.message, "the store's configuration has no such entity, and there is an object of it (\(number))")
                try expectEqual([error.entity, error.path], ["Dog", description.path])
                let again = try environment.stack(try model(false), stores: [description])
                try expectEqual(try again.contents(), ["Person p", "Dog d"])
                try again.close()
            }
            let again = try environment.stack(try model(false), stores: [description])
            let editor = again.context()
            editor.delete(try editor.one("Dog", "d"))
            try editor.save()
            let after = try again.reopened(model: try model(true, true))
            try expectEqual(try after.contents(), ["Person p"])
            try expectEqual(try after.store().metadata().versionHashes.keys.sorted(), ["Person"])
            try expectEqual(try after.problems(), [])
        }
        ConformanceCase("A lost value stays lost where its attribute is stored externally no more", in: .migration, requires: .file) {
            environment in
            // One lost file stopped the migration.
            func model(_ isExternal: Bool, _ isNew: Bool = false) throws -> ManagedObjectModel {
                try ManagedObjectModel {
                    Entity("Thing") {
                        Attribute("name", .string)
                        Attribute("scan", .binary).with { $0.allowsExternalStorage = isExternal }
                        Attribute("text", .string).with { $0.allowsExternalStorage = isExternal }
                        if isNew { Attribute("count", .decimal, default: 1) }
                    }
                }
            }
            let stack = try environment.stack(try model(true)) { $0.options.externalStorageThreshold = 1000 }
            let context = stack.context()
            for index in 0..<3 {
                let thing = try context.add("Thing", "t\(index)")
                try thing.setValue(ExternalValueCases.bytes(5000, UInt8(index)), forKey: "scan")
                try thing.setValue(String(repeating: "\(index)", count: 4000), forKey: "text")
            }
            try context.save()
            try stack.close()
            let isLost: (String) throws -> Bool = { file in
                let data = try Data(contentsOf: URL(filePath: file))
                return data == ExternalValueCases.bytes(5000, 1) || data == Data(repeating: UInt8(ascii: "1"), count: 4000)
            }
            let lost = try ExternalValueCases.files(environment).filter(isLost)
            if lost.isEmpty { return }
            for file in lost { try FileManager.default.removeItem(atPath: file) }
            var next = try stack.reopened(model: try model(false))
            func check() throws {
                let things = try next.context().all("Thing", sort: [QuerySort("name")])
                try expectEqual(try things.map { try $0.text("name")?.first }, ["t", "t", "t"])
                for index in [0, 2] {
                    try expectEqual(try things[index].value(forKey: "scan") as? Data, ExternalValueCases.bytes(5000, UInt8(index)))
                    try expectEqual(try things[index].text("text")?.count, 4000)
                }
                try expectStoreError(.corrupt) { try things[1].value(forKey: "scan") }
                if lost.count == 2 { try expectStoreError(.corrupt) { try things[1].value(forKey: "text") } }
            }
            try check()
            next = try next.reopened()
            try check()
            let editor = next.context()
            try editor.one("Thing", "t1").setValue("t1 again", forKey: "name")
            try editor.save()
            try check()
            next = try next.reopened(model: try model(false, true))
            try check()
            next = try next.reopened(model: try model(true, true))
            try check()
            next = try next.reopened(model: try model(false, true))
            let healer = next.context()
            let healed = try healer.one("Thing", "t1 again")
            try healed.setValue(Data([1, 2, 3]), forKey: "scan")
            try healed.setValue("text", forKey: "text")
            try healer.save()
            try expectEqual(
                try next.reopened().contents()[1], "Thing t1 again: count=1 scan=3 bytes text=text")
        }
    }
}
