import FoundationEssentials
import Strata

/// Dates, bytes, identifiers, transformable values, defaults and transient attributes.
enum ValueCases {
    private static func bytes(_ count: Int) -> Data { ExternalValueCases.bytes(count) { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) } }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A date keeps every bit of its seconds", in: .attributes) { environment in
            let now = 731_234_567.123_456_7
            let values: [Date?] = [0, 1e-9, -1e-9, 0.1, now, now.nextUp, now.nextDown, -978_307_200, -978_307_200.5, -1, nil]
                .map { $0.map { Date(timeIntervalSinceReferenceDate: $0) } }
            try RoundTrip(Item.date, values).run(environment)
        }
        ConformanceCase("A date may be in the distant past or future", in: .attributes) { environment in
            let values: [Date?] = [
                .distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 1e12), Date(timeIntervalSinceReferenceDate: -1e12),
            ]
            try RoundTrip(Item.date, values).run(environment)
        }
        ConformanceCase("Dates a nanosecond apart near the reference date are two dates", in: .attributes) { environment in
            try RoundTrip(Item.date, (0..<5).map { Date(timeIntervalSinceReferenceDate: 1 + Double($0) * 1e-9) }).run(environment)
        }
        ConformanceCase("Bytes of no length are not nil", in: .attributes) { environment in
            try RoundTrip(Item.data, [Data(), nil, Data([0]), Data([0, 0])]).run(environment)
        }
        ConformanceCase("Bytes around the size of a page come back", in: .attributes) { environment in
            try RoundTrip(Item.data, [1, 15, 16, 4095, 4096, 4097, 65_535, 65_536].map { bytes($0) }).run(environment)
        }
        ConformanceCase("Bytes keep every value", in: .attributes) { environment in
            try RoundTrip(Item.data, [Data(0...255), Data((0...255).reversed()), Data(repeating: 0xFF, count: 9), Data("text".utf8)]).run(
                environment
            )
        }
        ConformanceCase("A million bytes come back, inside of the store or beside it", in: .attributes) { environment in
            try large(bytes(1 << 20), environment)
        }
        ConformanceCase("16 million bytes come back, inside of the store or beside it", in: .attributes) { environment in
            try large(Data(repeating: 0xA5, count: 1 << 24), environment)
        }
        ConformanceCase("A value beside the store can be replaced, shortened and removed", in: .attributes) { environment in
            let stack = try environment.stack(Models.items) { $0.options.externalStorageThreshold = 1000 }
            let context = stack.context()
            let item = Item(context: context)
            for length in [5000, 7000, 10, 1000, 999, 6000] {
                item[Item.blob] = bytes(length)
                try context.save()
                try expectEqual(try stack.context().fetch(ObjectFetchRequest<Item>())[0][Item.blob], bytes(length))
            }
            item[Item.blob] = nil
            try context.save()
            let again = try stack.reopened().context().fetch(ObjectFetchRequest<Item>())
            try expectEqual(again.map { $0[Item.blob] }, [nil])
        }
        ConformanceCase("A value beside the store is there after reopening, and rolling back leaves it", in: .attributes) { environment in
            let stack = try environment.stack(Models.items) { $0.options.externalStorageThreshold = 1000 }
            let context = stack.context()
            let item = Item(context: context)
            item[Item.blob] = bytes(3000)
            try context.save()
            item[Item.blob] = bytes(4000)
            context.rollback()
            try expectEqual(item[Item.blob], bytes(3000))
            try expectEqual(try stack.reopened().context().fetch(ObjectFetchRequest<Item>()).map { $0[Item.blob] }, [bytes(3000)])
        }
        ConformanceCase("A UUID keeps its bytes, all zero too", in: .attributes) { environment in
            let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
            let full = UUID(uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255))
            let some = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
            try RoundTrip(Item.uuid, [zero, nil, full, some]).run(environment)
        }
        ConformanceCase("A URL keeps its text", in: .attributes) { environment in
            let texts = [
                "https://example.org/a?b=c&d='e'#f", "file:///tmp/a%20b", "mailto:x@example.org", "relative/path", "urn:isbn:0451450523",
            ]
            try RoundTrip(Item.url, texts.map { URL(string: $0) } + [nil]) { $0.absoluteString == $1.absoluteString }.run(environment)
        }
        ConformanceCase("A transformable value becomes bytes and itself again", in: .attributes) { environment in
            let stack = try environment.stack(Models.items)
            let context = stack.context()
            let tags = [["a", "b"], [], ["ü", "", "]]>"]]
            for (index, value) in tags.enumerated() {
                let item = Item(context: context)
                item[Item.number] = Int64(index)
                try item.setValue(value, forKey: "tags")
            }
            Item(context: context)[Item.number] = 3
            try context.save()
            let items = try stack.reopened().context().fetch(ObjectFetchRequest<Item>(sort: [Item.number.ascending]))
            try expectEqual(try items.map { try $0.transformed("tags", as: [String].self) }, [tags[0], tags[1], tags[2], nil])
        }
        ConformanceCase("A value can be set, changed and removed again", in: .attributes) { environment in
            let stack = try environment.stack(Models.items)
            let context = stack.context()
            let item = Item(context: context)
            for text in ["first", nil, "", "last"] {
                item[Item.text] = text
                item[Item.i64] = text.map { Int64($0.utf8.count) }
                try context.save()
                let found = try stack.context().fetch(ObjectFetchRequest<Item>())
                try expectEqual(found.map { $0[Item.text] }, [text])
                try expectEqual(found.map { $0[Item.i64] }, [text.map { Int64($0.utf8.count) }])
            }
        }
        ConformanceCase("A new object starts with the defaults, and nil can replace them", in: .attributes) { environment in
            let model = try ManagedObjectModel {
                Entity("Preset") {
                    Attribute("i", .integer32, default: -7)
                    Attribute("d", .double, default: 1.5)
                    Attribute("m", .decimal, default: .decimal(Decimal(string: "2.50") ?? 0))
                    Attribute("s", .string, default: "it's <b>")
                    Attribute("b", .boolean, default: true)
                    Attribute("t", .date, default: .date(Date(timeIntervalSinceReferenceDate: 86_400)))
                    Attribute("x", .binary, default: .data(Data([0, 255])))
                    Attribute("none", .string)
                }
            }
            let stack = try environment.stack(model)
            let context = stack.context()
            try context.insert("Preset")
            let emptied = try context.insert("Preset")
            for attribute in emptied.entity.attributes { try emptied.setValue(nil, forKey: attribute.name) }
            try context.save()
            let found = try stack.reopened().context().all("Preset")
            try expectEqual(try found[0].value(forKey: "i") as? Int, -7)
            try expectEqual(try found[0].value(forKey: "d") as? Double, 1.5)
            try expectEqual(try found[0].value(forKey: "m") as? Decimal, Decimal(string: "2.5"))
            try expectEqual(try found[0].text("s"), "it's <b>")
            try expectEqual(try found[0].value(forKey: "b") as? Bool, true)
            try expectEqual(try found[0].value(forKey: "t") as? Date, Date(timeIntervalSinceReferenceDate: 86_400))
            try expectEqual(try found[0].value(forKey: "x") as? Data, Data([0, 255]))
            try expectEqual(try found[0].text("none"), nil)
            for attribute in found[1].entity.attributes {
                try expect(try found[1].value(forKey: attribute.name) == nil, "\(attribute.name) is not nil")
            }
        }
        ConformanceCase("A transient attribute never reaches the store", in: .attributes) { environment in
            let stack = try environment.stack(Models.items)
            let context = stack.context()
            let item = Item(context: context)
            try expectEqual(item[Item.scratch], "blank")
            item[Item.scratch] = "scribbled"
            item[Item.text] = "kept"
            try context.save()
            let found = try stack.reopened().context().fetch(ObjectFetchRequest<Item>())
            try expectEqual(found.map { $0[Item.scratch] }, ["blank"])
            try expectEqual(found.map { $0[Item.text] }, ["kept"])
        }
        ConformanceCase("An object with 200 attributes comes back", in: .attributes) { environment in
            let model = try ManagedObjectModel(entities: [
                Entity("Wide") { (0..<200).map { Attribute("a\($0)", $0.isMultiple(of: 2) ? .string : .integer64) } }
            ])
            let stack = try environment.stack(model)
            let context = stack.context()
            let object = try context.insert("Wide")
            for index in 0..<200 where index % 7 != 0 {
                try object.setValue(index.isMultiple(of: 2) ? "v\(index)" as Any : index, forKey: "a\(index)")
            }
            try context.save()
            let found = try unwrap(stack.reopened().context().all("Wide").first)
            for index in 0..<200 {
                let value = try found.value(forKey: "a\(index)")
                let text = value.map { "\($0)" }
                try expectEqual(text, index % 7 == 0 ? nil : index.isMultiple(of: 2) ? "v\(index)" : "\(index)")
            }
        }
    }

    private static func large(_ data: Data, _ environment: ConformanceEnvironment) throws {
        for (key, name) in [(Item.data, "inside"), (Item.blob, "beside")] {
            let stack = try environment.stack(Models.items, name)
            let context = stack.context()
            Item.insert([data, nil, Data([1])], of: key, into: context)
            try context.save()
            let items = try stack.reopened().context().fetch(ObjectFetchRequest<Item>(sort: [Item.number.ascending]))
            try expectEqual(items.count, 3)
            try expect(items[0][key] == data, "\(data.count) bytes do not come back, \(name)")
            try expectEqual(items[1][key], nil)
            try expectEqual(items[2][key], Data([1]))
        }
    }
}
