import FoundationEssentials
import Strata
import StrataTestModels

@testable import StrataConformance

/// What a save refuses, with Core Data's codes.
enum ValidationCases {
    private static let model = ModelResult.declared {
        Entity("Form") {
            Attribute("name", .string)
            Attribute("must", .string, default: "x").required
            Attribute("age", .integer16, validation: [.range(0...150)])
            Attribute("ratio", .double, validation: [.range(0.0...1.0)])
            Attribute("price", .decimal, validation: [.range(min: 0, max: nil)])
            Attribute("day", .date, validation: [.range(min: day(10), max: day(20))])
            Attribute("code", .string, validation: [.length(2...4)])
            Attribute("letter", .string, validation: [.length(1...1)])
            Attribute("letters", .string, validation: [.pattern("[a-z]+")])
            Attribute("bytes", .binary, validation: [.length(min: nil, max: 3)])
            Attribute("note", .string, default: "ok", validation: [.length(min: 1, max: nil)]).transient
            Relationship("parts", to: "Part", inverse: "form", .toMany, minCount: 2, maxCount: 3)
            Relationship("cover", to: "Part", inverse: "covers")
        }
        Entity("Part") {
            Attribute("name", .string)
            Relationships(["form": .toOne("Form.parts"), "covers": .toMany("Form.cover")])
        }
        Entity("Strict") {
            Attribute("name", .string)
            Relationship("one", to: "Part").required
            Relationship("many", to: "Part", .toMany, minCount: 1).required
            Relationship("any", to: "Part", .toMany).required
            Relationship("row", to: "Part", .ordered, maxCount: 2).required
        }
    }

    private static func day(_ number: Int) -> Value { .date(Date(timeIntervalSinceReferenceDate: Double(number) * 86_400)) }

    /// Checks that one value is refused with a code, that nothing is stored, and that another value is accepted.
    private static func refuses(_ name: String, _ key: String, _ bad: Value, _ code: Int, _ good: Value) -> ConformanceCase {
        ConformanceCase(name, in: .validation) { environment in
            let stack = try environment.stack(model)
            let context = stack.context()
            let form = try context.add("Form", "f")
            try form.setValue(bad, forKey: key)
            let failures = try expectInvalid(code, context)
            try expectEqual(failures.map(\.key), [key])
            try expectEqual(failures.map(\.objectID), [form.objectID])
            try expectEqual(failures.map(\.entity), ["Form"])
            try expectEqual(failures.map(\.value), [bad])
            try expectEqual(try stack.context().all("Form").count, 0)
            try form.setValue(good, forKey: key)
            try context.save()
            try form.setValue(bad, forKey: key)
            try expectInvalid(code, context)
            context.rollback()
            try expectEqual(try stack.reopened().context().all("Form").count, 1)
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        refuses("A missing value that is required is error 1570", "must", .null, 1570, "there")
        refuses("A number below its range is error 1620", "age", -1, 1620, 0)
        refuses("A number above its range is error 1610", "age", 151, 1610, 150)
        refuses("A fraction above its range is error 1610", "ratio", 1.000_001, 1610, 1.0)
        refuses("A number that is none is out of range", "ratio", .double(.nan), 1620, 0.0)
        refuses("A decimal number below its bound is error 1620", "price", .decimal(Decimal(string: "-0.01") ?? 0), 1620, .decimal(0))
        refuses("A date too soon is error 1640", "day", day(9), 1640, day(10))
        refuses("A date too late is error 1630", "day", day(21), 1630, day(20))
        refuses("Text too short is error 1670", "code", "a", 1670, "ab")
        refuses("Text too long is error 1660", "code", "abcde", 1660, "abcd")
        refuses("Text of another pattern is error 1680", "letters", "abc1", 1680, "abc")
        refuses("Empty text that must match a pattern is error 1680", "letters", "", 1680, "a")
        refuses("Bytes too long are error 1660", "bytes", .data(Data(0...3)), 1660, .data(Data(0...2)))
        refuses("A transient attribute is validated too", "note", "", 1670, "a")
        ConformanceCase("A number out of its attribute's range is read back, fails the save, and is mended", in: .validation) {
            environment in
            // Setting one ended the process.
            let stack = try environment.stack(Models.items)
            let context = stack.context()
            let item = Item(context: context)
            let wrong: [(String, Value, Int)] = [
                ("i16", 40_000, 1610), ("i16", -40_000, 1620), ("i32", .int(1 << 40), 1610), ("i64", 1e300, 1610), ("i64", -1e300, 1620),
                ("i16", 1.5, 1550), ("float", 1e300, 1610), ("float", -1e300, 1620), ("decimal", .double(.nan), 1620),
                ("decimal", .double(.infinity), 1610), ("decimal", .double(-.infinity), 1620), ("decimal", 1e300, 1610),
                ("url", "", 1690), ("uuid", "no UUID", 1550), ("flag", 2, 1550), ("text", 5, 1550),
            ]
            for (name, value, code) in wrong {
                let key = Key<Value>(name)
                item[key] = value
                try expectEqual(item[key], value)
                let failures = try expectInvalid(code, context)
                try expectEqual(failures.map(\.key), [name])
                try expectEqual(failures.map(\.value), [value])
                try expectEqual(failures.map(\.objectID), [item.objectID])
                try expectStoreError(.wrongValue) { try context.saveChangesRequest() }
                item[key] = .null
            }
            item[Item.text] = "right"
            try context.save()
            item[Key<Int>("i16")] = 40_000
            try expectEqual(item[Key<Int>("i16")], 40_000)
            try expectInvalid(1610, context)
            context.rollback()
            try context.save()
            let stored = try unwrap(stack.reopened().context().fetch(ObjectFetchRequest<Item>()).first)
            try expectEqual(stored[Item.text], "right")
            for (name, _, _) in wrong where name != "text" { try expectEqual(stored[Key<Value>(name)] ?? .null, .null) }
        }
        ConformanceCase("The message of a failure says the value and the rule", in: .validation) { environment in
            let context = try environment.stack(model).context()
            let form = try context.add("Form", "f")
            func message(_ key: String, _ value: Value, _ code: Int) throws -> [String] {
                try form.setValue(value, forKey: key)
                defer { try? form.setValue(nil, forKey: key) }
                return try expectInvalid(code, context).map(\.message)
            }
            try expectEqual(try message("code", "x", 1670), ["\"x\" is shorter than 2 characters"])
            try expectEqual(try message("code", "abcde", 1660), ["\"abcde\" is longer than 4 characters"])
            try expectEqual(try message("bytes", .data(Data(0...3)), 1660), ["4 bytes is longer than 3 bytes"])
            try expectEqual(try message("letter", "", 1670), ["\"\" is shorter than 1 character"])
            try expectEqual(try message("age", 151, 1610), ["151 is above 150"])
            // Of a long text the beginning.
            let long = try message("code", .string(String(repeating: "x", count: 5000)), 1660)
            try expect(long.allSatisfy { $0.hasPrefix("\"xxx") && $0.count < 200 }, "\(long)")
        }
        ConformanceCase("The length of text counts characters", in: .validation) { environment in
            let context = try environment.stack(model).context()
            let form = try context.add("Form", "f")
            try form.setValue("👨‍👩‍👧‍👦🇩🇪e\u{301}ü", forKey: "code")
            try context.save()
        }
        ConformanceCase("No value breaks no rule where none is required", in: .validation) { environment in
            let stack = try environment.stack(model)
            let context = stack.context()
            let form = try context.add("Form", "f")
            for key in ["age", "ratio", "price", "day", "code", "letters", "bytes", "note"] { try form.setValue(nil, forKey: key) }
            try context.save()
        }
        ConformanceCase("Several failures come together as error 1560", in: .validation) { environment in
            let context = try environment.stack(model).context()
            let (a, b) = (try context.add("Form", "a"), try context.add("Form", "b"))
            try a.setValue(-1, forKey: "age")
            try a.setValue("abcde", forKey: "code")
            try b.setValue(nil, forKey: "must")
            let failures = try expectInvalid(1560, context)
            try expectEqual(failures.map(\.cocoaCode).sorted(), [1570, 1620, 1660])
            try expectEqual(Set(failures.map(\.objectID)), [a.objectID, b.objectID])
        }
        ConformanceCase("Too few destinations are error 1580, none at all are not where they are optional", in: .validation) {
            environment in
            let context = try environment.stack(model).context()
            let form = try context.add("Form", "f")
            try context.save()
            try form.setValue([try context.add("Part", "p")], forKey: "parts")
            let failures = try expectInvalid(1580, context)
            try expectEqual(failures.map(\.key), ["parts"])
            try expectEqual(failures.map(\.message), ["1 destination is fewer than 2"])
            try form.setValue([try context.add("Part", "p"), try context.add("Part", "q")], forKey: "parts")
            try context.save()
        }
        ConformanceCase("Too many destinations are error 1590", in: .validation) { environment in
            let context = try environment.stack(model).context()
            let form = try context.add("Form", "f")
            try form.setValue(try (0..<4).map { try context.add("Part", "p\($0)") }, forKey: "parts")
            try expectInvalid(1590, context)
            try form.setValue(try (0..<3).map { try context.add("Part", "q\($0)") }, forKey: "parts")
            try context.save()
        }
        ConformanceCase("Counts are checked over stored and new destinations together", in: .validation) { environment in
            let stack = try environment.stack(model)
            let context = stack.context()
            let form = try context.add("Form", "f")
            try form.setValue(try (0..<3).map { try context.add("Part", "p\($0)") }, forKey: "parts")
            try context.save()
            let other = stack.context()
            try other.add("Part", "new").setValue(try other.one("Form", "f"), forKey: "form")
            try expectInvalid(1590, other)
        }
        ConformanceCase("A required relationship without a destination is error 1570 or 1580", in: .validation) { environment in
            let context = try environment.stack(model).context()
            let strict = try context.add("Strict", "s")
            let failures = try expectInvalid(1560, context)
            try expectEqual(failures.map(\.cocoaCode).sorted(), [1570, 1580])
            try expectEqual(failures.compactMap(\.key).sorted(), ["many", "one"])
            try strict.setValue(try context.add("Part", "p"), forKey: "one")
            try strict.setValue([try context.add("Part", "q")], forKey: "many")
            try context.save()
        }
        ConformanceCase("A required to-many relationship without a least count may be empty", in: .validation) { environment in
            // It was refused, though most of such relationships in stores of Core Data's are empty.
            let stack = try environment.stack(model)
            let context = stack.context()
            let strict = try context.add("Strict", "s")
            let parts = try (0..<3).map { try context.add("Part", "p\($0)") }
            try strict.setValue(parts[0], forKey: "one")
            try strict.setValue([parts[0]], forKey: "many")
            try context.save()
            try strict.setValue([parts[1]], forKey: "any")
            try strict.setValue(parts, forKey: "row")
            try expectEqual(try expectInvalid(1590, context).map(\.key), ["row"])
            try strict.setValue([parts[1]], forKey: "row")
            try context.save()
            try strict.setValue([ManagedObject](), forKey: "any")
            try strict.setValue([ManagedObject](), forKey: "row")
            try context.save()
            let stored = try stack.context().one("Strict", "s")
            for key in ["any", "row"] { try expectEqual(try stored.objectIDs(forRelationshipNamed: key).count, 0) }
            try strict.setValue([ManagedObject](), forKey: "many")
            try expectInvalid(1580, context)
        }
        ConformanceCase("An object's own validation stands against a save", in: .validation) { environment in
            let stack = try environment.stack(Models.witness)
            let context = stack.context()
            let witness = Witness(context: context)
            witness[Witness.name] = "forbidden"
            try expectEqual(try expectInvalid(1550, context).map(\.key), ["name"])
            witness[Witness.name] = "fine"
            witness.complaint = Witness.Complaint()
            try expectInvalid(1550, context)
            witness.complaint = nil
            try context.save()
            witness.complaint = Witness.Complaint()
            context.delete(witness)
            try expectInvalid(1550, context)
            try expectEqual(try stack.context().names(of: Witness.self), ["fine"])
            witness.complaint = nil
            try context.save()
            try expectEqual(try stack.context().names(of: Witness.self), [])
        }
        ConformanceCase("Objects that are not changed are not validated", in: .validation) { environment in
            let stack = try environment.stack(Models.witness)
            let context = stack.context()
            let (a, b) = (Witness(context: context), Witness(context: context))
            try context.save()
            a.complaint = Witness.Complaint()
            b[Witness.name] = "b"
            try context.save()
            try expectEqual(try stack.context().names(of: Witness.self), ["b", "unnamed"])
        }
    }
}
