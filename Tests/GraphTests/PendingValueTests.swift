import FoundationEssentials
import Strata
import StrataCoordinator
import StrataInMemory
import StrataModel
import StrataTestModels
import StrataTestRandom
import Testing

@Suite("Pending values")
struct PendingValueTests {
    private static let keys = [
        "flag", "number", "small", "ratio", "date", "text", "note", "bytes", "price", "token", "page", "hint", "any",
    ]

    private static func context() throws -> ManagedObjectContext {
        let model = try ManagedObjectModel {
            Entity("Item") {
                Attributes([
                    "flag": .boolean, "number": .integer64, "small": .integer16, "ratio": .double, "date": .date, "text": .string,
                    "note": .string, "bytes": .binary, "price": .decimal, "token": .uuid, "page": .uri,
                ])
                Attribute("hint", .string).transient
                Attribute("any", .undefined).transient
            }
            Entity("Wide") { for index in 0..<150 { Attribute("a\(index)", .integer64) } }
            Entity("Node") { Relationships(["parent": .toOne("Node.children"), "children": .toMany("Node.parent")]) }
        }
        return ManagedObjectContext(try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)]).coordinator)
    }

    /// A value of an attribute: nil, short, long, or too long to lie beside others.
    private static func value(_ key: String, _ random: inout SeededGenerator) throws -> Value {
        if Int.random(in: 0..<6, using: &random) == 0 { return .null }
        let length = random.pick([0, 1, 7, 8, 15, 16, 40, 300, 4096, 4097, 9000])
        let text = String(repeating: random.pick(["a", "ü", "漢", "🦉"]), count: length)
        switch key {
        case "flag": return .bool(Bool.random(using: &random))
        case "number", "any": return .int(Int64.random(in: .min ... .max, using: &random))
        case "small": return .int(Int64.random(in: -32768...32767, using: &random))
        case "ratio": return .double(random.pick([0, -0.0, 1.5, .infinity, .leastNonzeroMagnitude]))
        case "date": return .date(Date(timeIntervalSinceReferenceDate: Double(Int.random(in: -9_999...9_999, using: &random)) / 8))
        case "bytes": return .data(Data((0..<length).map { UInt8(truncatingIfNeeded: $0) }))
        case "price": return .decimal(try #require(Decimal(string: "\(length).\(length)")))
        case "token": return .uuid(try #require(UUID(uuidString: "00000000-0000-0000-0000-\(String(100_000_000_000 + length))")))
        case "page": return .url(try #require(URL(string: "https://example.org/\(length)")))
        default: return .string(text)
        }
    }

    private func value(of object: ManagedObject, _ key: String) throws -> Value {
        guard let value = try object.value(forKey: key) else { return .null }
        return switch value {
        case let number as Int: .int(Int64(number))
        case let value as any ValueConvertible: value.value
        default: try #require(nil as Value?)
        }
    }

    @Test("An object gives back what each attribute was set to last, in whatever order several objects are changed, saved and rolled back")
    func oracle() throws {
        var random = SeededGenerator.printed("pending values")
        let context = try Self.context()
        let transient: Set<String> = ["hint", "any"]
        var objects: [(object: ManagedObject, now: [String: Value], saved: [String: Value]?)] = []
        for _ in 0..<6000 {
            if objects.count < 3 { objects.append((try context.insert("Item"), [:], nil)) }
            let index = Int.random(in: 0..<objects.count, using: &random)
            switch Int.random(in: 0..<60, using: &random) {
            case 0:
                try context.save()
                for index in objects.indices { objects[index].saved = objects[index].now }
            case 1:
                context.rollback()
                objects.removeAll { $0.saved == nil }
                for index in objects.indices { objects[index].now = objects[index].saved ?? [:] }
            case 2 where objects.count < 8: objects.append((try context.insert("Item"), [:], nil))
            case 3:
                // The request has the rows as they are now, whatever is set afterwards.
                _ = try context.saveChangesRequest()
            case 4...20:
                let key = random.pick(Self.keys)
                let found = try value(of: objects[index].object, key)
                let isForgotten = transient.contains(key) && found.isNull
                #expect(isForgotten || found == objects[index].now[key] ?? .null, "\(key)")
            default:
                let key = random.pick(Self.keys)
                let value = try Self.value(key, &random)
                try objects[index].object.setValue(value.isNull ? nil : value, forKey: key)
                objects[index].now[key] = value
            }
        }
        try context.save()
        for (object, now, _) in objects {
            context.refresh(object, mergeChanges: false)
            for key in Self.keys where !transient.contains(key) { #expect(try value(of: object, key) == now[key] ?? .null, "\(key)") }
        }
    }

    @Test("The rows of a request stay as they were when the objects change afterwards")
    func requestsStay() throws {
        let context = try Self.context()
        let item = try context.insert("Item")
        try item.setValue("before", forKey: "text")
        try item.setValue(1, forKey: "number")
        let request = try context.saveChangesRequest()
        try item.setValue("after", forKey: "text")
        try item.setValue(2, forKey: "number")
        let row = try #require(request.parts.first?.changes.inserted.first)
        let entity = item.entity
        for (key, expected) in [("text", Value.string("before")), ("number", .int(1))] {
            let attribute = try #require(entity.attribute(named: key))
            #expect(row.value(try #require(attribute.slot), attribute.slotKind) == expected)
        }
        let text = try item.value(forKey: "text") as? String
        #expect(text == "after")
    }

    @Test("Entities of more attributes than a word has bits keep each of them, and know which are pending")
    func manyAttributes() throws {
        let context = try Self.context()
        let wide = try context.insert("Wide")
        for index in stride(from: 0, to: 150, by: 7) { try wide.setValue(index, forKey: "a\(index)") }
        #expect(wide.changedValues().count == 22)
        try context.save()
        try wide.setValue(-1, forKey: "a149")
        #expect(Set(wide.changedValues().keys) == ["a149"])
        for index in 0..<149 {
            let value = try wide.value(forKey: "a\(index)") as? Int
            #expect(value == (index % 7 == 0 ? index : nil))
        }
        try context.save()
        context.refresh(wide, mergeChanges: false)
        let value = try wide.value(forKey: "a149") as? Int
        #expect(value == -1)
    }

    @Test("A new object references new and saved ones, as it was set last")
    func destinations() throws {
        let context = try Self.context()
        let saved = try context.insert("Node")
        try context.save()
        let (new, child) = (try context.insert("Node"), try context.insert("Node"))
        for parent in [saved, new, nil, saved, new, saved] {
            try child.setValue(parent, forKey: "parent")
            let found = try child.value(forKey: "parent") as? ManagedObject
            #expect(found === parent)
        }
        try new.setValue(child, forKey: "parent")
        try context.obtainPermanentIDs(for: [child])
        let parent = try new.value(forKey: "parent") as? ManagedObject
        #expect(parent === child)
        try context.save()
        for object in [new, child] { context.refresh(object, mergeChanges: false) }
        #expect(try new.objectIDs(forRelationshipNamed: "parent") == [child.objectID])
        #expect(try child.objectIDs(forRelationshipNamed: "parent") == [saved.objectID])
    }
}
