import Strata
import StrataTestModels

/// The four delete rules, on Core Data's own example: company A with positions 1, 2 and 3, and A is deleted.
enum DeleteRuleCases {
    private static func model(_ rule: DeleteRule, _ back: DeleteRule = .nullify, required: Bool = false) -> ModelResult {
        Result {
            let company = Relationship("company", to: "Company", inverse: "positions", deleteRule: back)
            return try ManagedObjectModel {
                Entity("Company") {
                    Attribute("name", .string)
                    Relationship("positions", to: "Position", inverse: "company", .toMany, deleteRule: rule)
                }
                Entity("Position") {
                    Attribute("name", .string)
                    required ? company.required : company
                    Relationship("duties", to: "Duty", inverse: "position", .toMany, deleteRule: .cascade)
                }
                Entity("Duty", attributes: ["name": .string], relationships: ["position": .toOne("Position.duties")])
            }
        }
    }

    private static func build(_ context: ManagedObjectContext) throws {
        let a = try context.add("Company", "A")
        for name in ["1", "2", "3"] {
            let position = try context.add("Position", name)
            try position.setValue(a, forKey: "company")
            for duty in ["x", "y"] { try context.add("Duty", name + duty).setValue(position, forKey: "position") }
        }
        let b = try context.add("Company", "B")
        try context.add("Position", "4").setValue(b, forKey: "company")
    }

    private static func deletingA(
        _ name: String,
        _ model: ModelResult,
        _ check: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name, in: .relationships) { environment in
            try environment.changed(model, build, change: { context in context.delete(try context.one("Company", "A")) }, check: check)
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        deletingA("Nullify: the positions of a deleted company have none", model(.nullify)) { context in
            try expectEqual(try names(context.all("Company")), ["B"])
            for name in ["1", "2", "3"] { try expect(try context.one("Position", name).one("company") == nil, "\(name) has a company") }
            try expectEqual(try context.one("Position", "4").one("company")?.text("name"), "B")
        }
        deletingA("Cascade: the positions of a deleted company are deleted, and their duties", model(.cascade)) { context in
            try expectEqual(try names(context.all("Company")), ["B"])
            try expectEqual(try names(context.all("Position")), ["4"])
            try expectEqual(try context.all("Duty").count, 0)
        }
        ConformanceCase("No action: the positions of a deleted company stay as they are", in: .relationships) { environment in
            let stack = try environment.stack(model(.noAction))
            let context = stack.context()
            try build(context)
            try context.save()
            context.delete(try context.one("Company", "A"))
            try context.save()
            let again = try stack.reopened().context()
            try expectEqual(try names(again.all("Position")), ["1", "2", "3", "4"])
            try expectEqual(try names(again.all("Company")), ["B"])
        }
        // Who had read them went on having the deleted object, without values.
        ConformanceCase("No action: what held a deleted object among others holds it no more when that is saved", in: .relationships) {
            environment in
            for (name, leaders) in [
                ("set", Relationship("leaders", to: "Node", inverse: "followed", .toMany)),
                ("ordered", Relationship("leaders", to: "Node", inverse: "followed", .ordered)),
            ] {
                let model = try ManagedObjectModel {
                    Entity("Node") {
                        Attribute("name", .string)
                        Relationship("followed", to: "Node", inverse: "leaders", .toMany, deleteRule: .noAction)
                        leaders
                        Relationship("owner", to: "Node", inverse: "owned", deleteRule: .noAction)
                        Relationship("owned", to: "Node", inverse: "owner", .toMany)
                    }
                }
                let stack = try environment.stack(model, name)
                let context = stack.context()
                let (a, b, c) = (try context.add("Node", "a"), try context.add("Node", "b"), try context.add("Node", "c"))
                for node in [a, c] {
                    try node.setValue(Set([b]), forKey: "followed")
                    try node.setValue(b, forKey: "owner")
                }
                try context.save()
                func namesOfLeaders(of node: ManagedObject) throws -> [String] {
                    try name == "set" ? names(node.many("leaders")) : names(node.ordered("leaders"))
                }
                try expectEqual(try namesOfLeaders(of: b).count, 2)
                try expectEqual(try b.many("owned").count, 2)
                context.delete(a)
                try context.save()
                try expectEqual(try namesOfLeaders(of: b), ["c"])
                try expectEqual(try names(b.many("owned")), ["c"])
                try b.setValue("changed", forKey: "name")
                try context.save()
                let reader = stack.context()
                try expectEqual(try namesOfLeaders(of: reader.one("Node", "changed")), ["c"])
            }
        }
        ConformanceCase("Deny: a company with positions is not deleted, error 1600", in: .relationships) { environment in
            let stack = try environment.stack(model(.deny))
            let context = stack.context()
            try build(context)
            try context.save()
            context.delete(try context.one("Company", "A"))
            let failures = try expectInvalid(1600, context)
            try expectEqual(failures.map(\.key), ["positions"])
            try expectEqual(try names(stack.context().all("Company")), ["A", "B"])
            for name in ["1", "2", "3"] { context.delete(try context.one("Position", name)) }
            try context.save()
            try expectEqual(try names(stack.reopened().context().all("Company")), ["B"])
        }
        ConformanceCase("A position whose company is required stands against nullify, error 1570", in: .relationships) { environment in
            let stack = try environment.stack(model(.nullify, required: true))
            let context = stack.context()
            try build(context)
            try context.save()
            context.delete(try context.one("Company", "A"))
            let failures = try expectInvalid(1560, context)
            try expectEqual(failures.map(\.cocoaCode), [1570, 1570, 1570])
            try expectEqual(try names(stack.context().all("Company")), ["A", "B"])
        }
        ConformanceCase("Deleting the to-one side takes the object out of the to-many side", in: .relationships) { environment in
            try environment.changed(model(.nullify), build) { context in
                context.delete(try context.one("Position", "2"))
            } check: { context in
                try context.processPendingChanges()
                try expectEqual(try names(context.one("Company", "A").many("positions")), ["1", "3"])
                try expectEqual(try context.all("Duty").count, 4)
            }
        }
        ConformanceCase("Cascading upward deletes the company of a deleted position", in: .relationships) { environment in
            try environment.changed(model(.cascade, .cascade), build) { context in
                context.delete(try context.one("Position", "1"))
            } check: { context in
                try expectEqual(try names(context.all("Company")), ["B"])
                try expectEqual(try names(context.all("Position")), ["4"])
            }
        }
        ConformanceCase("Cascading around a cycle ends", in: .relationships) { environment in
            let model: ModelResult = Result {
                try ManagedObjectModel {
                    Entity("Ring") {
                        Attribute("name", .string)
                        Relationship("next", to: "Ring", inverse: "previous", deleteRule: .cascade)
                        Relationship("previous", to: "Ring", inverse: "next")
                    }
                }
            }
            try environment.changed(model) { context in
                let ring = try (0..<4).map { try context.add("Ring", "\($0)") }
                for index in 0..<4 { try ring[index].setValue(ring[(index + 1) % 4], forKey: "next") }
                try context.add("Ring", "alone")
            } change: { context in
                context.delete(try context.one("Ring", "2"))
            } check: { context in
                try expectEqual(try names(context.all("Ring")), ["alone"])
            }
        }
        ConformanceCase("Cascading deletes new objects that were never saved", in: .relationships) { environment in
            let stack = try environment.stack(model(.cascade))
            let context = stack.context()
            try build(context)
            context.delete(try context.one("Company", "A"))
            try context.save()
            try expectEqual(try names(stack.context().all("Position")), ["4"])
            try expectEqual(try stack.reopened().context().all("Duty").count, 0)
        }
        ConformanceCase("Cascading follows relationships without an inverse, ordered ones and those of ancestors", in: .relationships) {
            environment in
            let model: ModelResult = Result {
                try ManagedObjectModel {
                    Entity("Base") {
                        Attribute("name", .string)
                        Relationship("single", to: "Part", deleteRule: .cascade)
                        Relationship("some", to: "Part", .toMany, deleteRule: .cascade)
                        Relationship("queue", to: "Part", .ordered, deleteRule: .cascade)
                        Relationship("shared", to: "Part", inverse: "sharedBy", .toMany, deleteRule: .cascade)
                    }
                    Entity("Derived", parent: "Base")
                    Entity("Part", attributes: ["name": .string], relationships: ["sharedBy": .toMany("Base.shared")])
                }
            }
            try environment.changed(model) { context in
                let derived = try context.add("Derived", "d")
                try derived.setValue(try context.add("Part", "a"), forKey: "single")
                try derived.setValue([try context.add("Part", "b"), try context.add("Part", "c")], forKey: "some")
                try derived.setValue([try context.add("Part", "d"), try context.add("Part", "e")], forKey: "queue")
                try derived.setValue([try context.add("Part", "f")], forKey: "shared")
                try context.add("Part", "free")
            } change: { context in
                context.delete(try context.one("Base", "d"))
            } check: { context in
                try expectEqual(try names(context.all("Part")), ["free"])
                try expectEqual(try context.all("Base").count, 0)
            }
        }
    }
}
