import Strata
import StrataTestModels

@testable import StrataConformance

/// Conditions on values, and checks that are asked for.
enum ValidationRequestCases {
    private static let model = ModelResult.declared {
        Entity("Seat") {
            Attribute("row", .integer16, validation: [.predicate("SELF %% 2 == 0", warning: "rows are even")]).required
            Attribute("code", .string, validation: [.predicate("SELF BEGINSWITH 'S' AND length >= 3"), .length(min: nil, max: 5)])
            Attribute("kind", .string, validation: [.predicate("SELF IN {'aisle', 'window'}")])
            Attribute("broken", .string, validation: [.predicate("SELF ==")])
            Attribute("foreign", .string, validation: [.predicate("nothing == 'x'")])
            Relationship("hall", to: "Hall", inverse: "seats").required
        }
        Entity("Hall") {
            Attribute("name", .string).required
            Relationship("seats", to: "Seat", inverse: "hall", .toMany, deleteRule: .deny, maxCount: 2)
        }
    }

    private static func seat(_ context: ManagedObjectContext, _ row: Int, in hall: ManagedObject) throws -> ManagedObject {
        let seat = try context.insert("Seat")
        try seat.setValue(row, forKey: "row")
        try seat.setValue(hall, forKey: "hall")
        return seat
    }

    private static func hall(_ context: ManagedObjectContext) throws -> ManagedObject {
        let hall = try context.insert("Hall")
        try hall.setValue("h", forKey: "name")
        return hall
    }

    private static func failures(_ body: () throws -> Void, line: Int = #line) throws -> [String] {
        try expectThrows(ValidationError.self, line: line, body).failures.map { "\($0.key ?? "-") \($0.cocoaCode)" }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A value that does not meet its condition fails the save with 1550 and the warning", in: .validation) {
            environment in
            let stack = try environment.stack(model)
            let context = stack.context()
            let seat = try seat(context, 3, in: hall(context))
            let failure = try unwrap(expectInvalid(1550, context).first)
            try expectEqual(failure.key, "row")
            try expectEqual(failure.value, .int(3))
            try expectEqual(failure.message, "rows are even")
            try seat.setValue(4, forKey: "row")
            try seat.setValue("Xyz", forKey: "code")
            try expectEqual(try expectInvalid(1550, context).map(\.key), ["code"])
            try seat.setValue("Sx", forKey: "code")
            try expectEqual(try expectInvalid(1550, context).map(\.key), ["code"])
            try seat.setValue("Sxy", forKey: "code")
            try seat.setValue("roof", forKey: "kind")
            try expectEqual(try expectInvalid(1550, context).map(\.key), ["kind"])
            try seat.setValue("aisle", forKey: "kind")
            try context.save()
            try seat.setValue(nil, forKey: "kind")
            try context.save()
            try expectEqual(try stack.reopened().context().all("Seat").count, 1)
        }
        ConformanceCase("A condition that is none, or asks for what a value has not, is met by no value", in: .validation) { environment in
            let stack = try environment.stack(model)
            let context = stack.context()
            let seat = try seat(context, 2, in: hall(context))
            try seat.setValue("x", forKey: "broken")
            try expectEqual(try expectInvalid(1550, context).map(\.key), ["broken"])
            try seat.setValue(nil, forKey: "broken")
            try seat.setValue("x", forKey: "foreign")
            try expectEqual(try expectInvalid(1550, context).map(\.key), ["foreign"])
        }
        ConformanceCase("A store keeps the conditions of its model, which are no part of its version", in: .validation) { environment in
            let stack = try environment.stack(model)
            let kept = try ManagedObjectModel(encoded: try stack.container.model.encoded())
            try expectEqual(
                kept.entity(named: "Seat")?.attribute(named: "row")?.declaration.validation,
                [.predicate("SELF %% 2 == 0", warning: "rows are even")])
            let plain = try ManagedObjectModel {
                Entity("Seat") {
                    for name in ["broken", "code", "foreign", "kind"] { Attribute(name, .string) }
                    Attribute("row", .integer16).required
                    Relationship("hall", to: "Hall", inverse: "seats").required
                }
                Entity("Hall") {
                    Attribute("name", .string).required
                    Relationship("seats", to: "Seat", inverse: "hall", .toMany, deleteRule: .deny, maxCount: 2)
                }
            }
            try expectEqual(plain.entity(named: "Seat")?.versionHash, stack.container.model.entity(named: "Seat")?.versionHash)
        }
        ConformanceCase("A value is checked on request, with all that is wrong", in: .validation) { environment in
            let context = try environment.stack(model).context()
            let hall = try hall(context)
            let seat = try seat(context, 2, in: hall)
            try seat.validateValue(4, forKey: "row")
            try expectEqual(try failures { try seat.validateValue(3, forKey: "row") }, ["row 1550"])
            try expectEqual(try failures { try seat.validateValue(nil, forKey: "row") }, ["row 1570"])
            try expectEqual(try failures { try seat.validateValue(100_000, forKey: "row") }, ["row 1610"])
            try expectEqual(try failures { try seat.validateValue("x234567", forKey: "code") }, ["code 1550", "code 1660"])
            try expectEqual(try failures { try seat.validateValue(nil, forKey: "hall") }, ["hall 1570"])
            try seat.validateValue(hall, forKey: "hall")
            let others = try [seat, Self.seat(context, 2, in: hall), Self.seat(context, 2, in: hall)]
            try expectEqual(try failures { try hall.validateValue(Set(others), forKey: "seats") }, ["seats 1590"])
            try expectStoreError(.unknownKey) { try seat.validateValue(1, forKey: "nothing") }
            try expectEqual(try seat.value(forKey: "row") as? Int, 2)
        }
        ConformanceCase("A new object is checked on request, with all that is wrong", in: .validation) { environment in
            let context = try environment.stack(model).context()
            let seat = try context.insert("Seat")
            try seat.setValue("x", forKey: "code")
            try expectEqual(Set(try failures { try seat.validateForInsert() }), ["row 1570", "code 1550", "hall 1570"])
            try seat.setValue(2, forKey: "row")
            try seat.setValue("Sxy", forKey: "code")
            try seat.setValue(hall(context), forKey: "hall")
            try seat.validateForInsert()
            try context.save()
        }
        ConformanceCase("A changed object is checked on request for what was changed", in: .validation) { environment in
            let context = try environment.stack(model).context()
            let seat = try seat(context, 2, in: hall(context))
            try context.save()
            try seat.validateForUpdate()
            try seat.setValue(3, forKey: "row")
            try seat.setValue(nil, forKey: "hall")
            try expectEqual(Set(try failures { try seat.validateForUpdate() }), ["row 1550", "hall 1570"])
        }
        ConformanceCase(
            "A changed object is checked on request for what came to its store unchecked, and a save for what it changed", in: .validation
        ) { environment in
            let context = try environment.stack(model).context()
            let hall = try hall(context)
            let (seat, other) = (try seat(context, 2, in: hall), try Self.seat(context, 4, in: hall))
            try context.save()
            try context.execute(
                BatchUpdateRequest(entityName: "Seat", key("row") == 2, set: ["row": Value.int(7), "code": .string("x234567")]))
            try seat.setValue("aisle", forKey: "kind")
            try expectEqual(Set(try failures { try seat.validateForUpdate() }), ["row 1550", "code 1550", "code 1660"])
            try other.validateForUpdate()
            try context.save()
            try expectEqual(try seat.value(forKey: "row") as? Int, 7)
            try expectEqual(Set(try failures { try seat.validateForUpdate() }), ["row 1550", "code 1550", "code 1660"])
            try hall.validateForUpdate()
        }
        ConformanceCase("A deletion is checked on request for what stands against it", in: .validation) { environment in
            let context = try environment.stack(model).context()
            let hall = try hall(context)
            let seat = try seat(context, 2, in: hall)
            try context.save()
            try expectEqual(try failures { try hall.validateForDelete() }, ["seats 1600"])
            try seat.validateForDelete()
            context.delete(seat)
            try hall.validateForDelete()
        }
        ConformanceCase("A check on request asks the object itself, and a save reports each failure once", in: .validation) {
            environment in
            let context = try environment.stack(Models.witness).context()
            let witness = Witness(context: context)
            witness[Witness.name] = "forbidden"
            try expectEqual(try failures { try witness.validateValue("forbidden", forKey: "name") }, ["name 1550"])
            try witness.validateValue("allowed", forKey: "name")
            try expectEqual(try expectInvalid(1550, context).count, 1)
        }
    }
}
