import FoundationEssentials
import Strata

/// Values of types that are only `Codable`: each is read as it was assigned.
enum CodableValueCases {
    private static let texts = [
        "", "a", "$null", "null", "NaN", "Infinity", "\u{E9}", "e\u{301}", "K", "\u{212A}", "\u{0}", "a\u{0}b", "\u{FFFF}NaN", "\u{FFFF}",
        "\u{FEFF}bom",
        "\u{FFFD}", "\u{10FFFF}", "\u{1F468}\u{200D}\u{1F469}", "\\ud800", "\r\n\t\"\\/", "\u{2028}", String(repeating: "x", count: 5000),
        "$class", "bplist00",
    ]
    private static let measures: [Double] = [
        0, -0.0, 1, 0.1, -1.5, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .pi, 1e22, 9_007_199_254_740_992,
        .nan,
    ]
    private static let whole: [Int64] = [0, 1, -1, 127, 128, 255, 256, 65_536, 2_147_483_648, .max, .min, 1 << 53 + 1]
    private static let prices = [
        "0", "-1", "0.1", "123456789012345678901234567890.12345678", "-99999999999999999999999999999999999999", "1e-100", "9.9e127",
    ]
    .compactMap { Decimal(string: $0) }
    private static let dates = [0, 0.1, 1e15, 123_456_789.123_456_79, -63_114_076_800].map { Date(timeIntervalSinceReferenceDate: $0) }
    private static let links = ["https://example.com/a?b=c#d", "file:///tmp/x%20y", "relative/path", "x:"].compactMap { URL(string: $0) }

    private static func note(_ random: inout SeededGenerator, depth: Int = 0) -> Note {
        func few<T>(_ values: [T], _ random: inout SeededGenerator) -> [T] {
            (0..<random.below(4)).map { _ in values[random.below(values.count)] }
        }
        func one<T>(_ values: [T], _ random: inout SeededGenerator) -> T? { few(values, &random).first }
        var note = Note(title: one(texts, &random) ?? "", body: one(texts, &random))
        note.lines = few(texts.map(\.self) + [nil, nil], &random)
        for text in few(texts, &random) { note.names[text] = one(texts, &random) }
        for number in few(whole, &random) { note.numbers[Int(number)] = one([0, .max, 1 << 63], &random) }
        note.whole = few(whole, &random)
        note.measures = few(measures, &random)
        note.small = few([0, -0.0, 0.1, .infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .nan], &random)
        note.price = one(prices, &random)
        note.date = one(dates, &random)
        note.bytes = one([Data(), Data([0]), Data(0...255), Data("$null".utf8)], &random)
        note.id = one([UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))], &random)
        note.link = one(links, &random)
        note.mood = one(Note.Mood.allCases, &random)
        note.content = one([.text(one(texts, &random) ?? ""), .marks(first: .max, second: one(measures, &random))], &random) ?? .empty
        if depth < 2 { note.nested = (0..<random.below(3)).map { _ in Self.note(&random, depth: depth + 1) } }
        return note
    }

    /// Returns a value as text, which differs where a scalar or a bit does.
    private static func spelled(_ value: Any) -> String {
        switch value {
        case let text as String: return "'" + text.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " ") + "'"
        case let number as Double: return number.isNaN ? "NaN" : "\(number.bitPattern)"
        case let number as Float: return number.isNaN ? "NaN" : "\(number.bitPattern)"
        case let date as Date: return "\(date.timeIntervalSinceReferenceDate.bitPattern)"
        case let bytes as Data: return bytes.base64EncodedString()
        case let link as URL: return link.absoluteString
        case is Decimal, is UUID: return "\(value)"
        default: break
        }
        let mirror = Mirror(reflecting: value)
        if mirror.children.isEmpty { return mirror.displayStyle == .optional ? "nil" : "\(value)" }
        let parts = mirror.children.map { "\($0.label ?? ""):\(spelled($0.value))" }
        return "(\((mirror.displayStyle == .set || mirror.displayStyle == .dictionary ? parts.sorted() : parts).joined(separator: ", ")))"
    }

    /// Checks the parcels, named by their numbers.
    private static func check(_ context: ManagedObjectContext, _ notes: [Note], _ moment: String) throws {
        let parcels = try context.fetch(ObjectFetchRequest<Parcel>())
        try expectEqual(parcels.count, notes.count, moment)
        for parcel in parcels {
            let note = notes[Int(parcel.name ?? "") ?? 0]
            try expectEqual(spelled(parcel[Parcel.note] as Any), spelled(note as Any? as Any), moment)
            try expectEqual(spelled(parcel[Parcel.notes] as Any), spelled([note, note] as Any? as Any), moment)
            try expectEqual(spelled(parcel[Parcel.lines] as Any), spelled(note.lines.compactMap(\.self) as Any? as Any), moment)
            try expectEqual(spelled(parcel[Parcel.tags] as Any), spelled(Set(note.names.keys) as Any? as Any), moment)
            try expectEqual(spelled(parcel.style?.note as Any), spelled(note as Any? as Any), moment)
        }
        try expect(context.lastFaultError == nil, "\(moment): \(context.lastFaultError.map { "\($0)" } ?? "")")
    }

    private static func fill(_ context: ManagedObjectContext, _ notes: [Note]) throws {
        for (number, note) in notes.enumerated() {
            let parcel = Parcel("\(number)", note, context)
            parcel[Parcel.notes] = [note, note]
            parcel[Parcel.lines] = note.lines.compactMap(\.self)
            parcel[Parcel.tags] = Set(note.names.keys)
            var style = Style()
            style.note = note
            parcel[Parcel.style] = style
        }
        try context.save()
    }

    private static func names(_ context: ManagedObjectContext, _ condition: QueryPredicate) throws -> String {
        try context.fetch(ObjectFetchRequest<Parcel>(condition, sort: [QuerySort("name")])).compactMap(\.name).joined()
    }

    private static func names(_ context: ManagedObjectContext, _ condition: ObjectPredicate<Parcel>) throws -> String {
        try names(context, condition.predicate)
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A Codable value keeps a text that an encoder has as its mark of nil", in: .attributes) { environment in
            let notes = ["$null", "NaN", "\u{FFFF}NaN", ""].map {
                Note(title: $0, body: $0, lines: [$0, nil, "x"], names: [$0: $0], mood: .absent, content: .text($0))
            }
            let stack = try environment.stack(try Models.parcels())
            try fill(stack.context(), notes)
            try check(stack.context(), notes, "in another context")
            try check(try stack.reopened().context(), notes, "after reopening")
        }
        ConformanceCase("A Codable value keeps texts that are equal in other scalars", in: .attributes) { environment in
            let notes = [Note(title: "\u{E9}", body: "e\u{301}", lines: ["e\u{301}", "\u{E9}", "\u{212A}", "K"])]
            let stack = try environment.stack(try Models.parcels())
            try fill(stack.context(), notes)
            try check(try stack.reopened().context(), notes, "after reopening")
        }
        ConformanceCase("Generated Codable values come back, and from a store that they were converted to", in: .attributes) {
            environment in
            var random = SeededGenerator(seed: 20_30)
            let notes = (0..<40).map { _ in note(&random) }
            let stack = try environment.stack(try Models.parcels())
            try fill(stack.context(), notes)
            let again = try stack.reopened()
            try check(again.context(), notes, "after reopening")
            _ = try again.coordinator.migrateStore(try again.store(), to: environment.description("copy", of: environment.partner))
            try check(again.context(), notes, "after the conversion")
        }
        ConformanceCase("A condition on a whole Codable value finds those that have its bytes alone", in: .attributes) { environment in
            let context = try environment.stack(try Models.parcels()).context()
            Parcel("a", Note(title: "$null"), context)
            Parcel("b", Note(title: "e\u{301}", names: ["b": "1", "a": "2"]), context)
            Parcel("c", Note(measures: [.infinity, -0.0]), context)
            Parcel("d", nil, context)
            try context.save()
            try expectEqual(try names(context, Parcel.note == Note(title: "$null")), "a")
            try expectEqual(try names(context, Parcel.note == Note(title: "e\u{301}", names: ["a": "2", "b": "1"])), "b")
            try expectEqual(try names(context, Parcel.note == Note(measures: [.infinity, -0.0])), "c")
            try expectEqual(try names(context, Parcel.note == nil), "d")
            try expectEqual(try names(context, Parcel.note != Note(title: "$null")), "bcd")
            try expectEqual(try names(context, Parcel.note.isIn([Note(title: "$null"), Note()])), "a")
        }
        ConformanceCase("Property lists of earlier versions are read, and found by conditions", in: .attributes, requires: .persistence) {
            environment in
            let stack = try environment.stack(try Models.earlierParcels())
            let earlier = stack.context()
            let note = Note(title: "old", body: "\u{E9}", lines: ["x"], names: ["b": "1", "a": "2"], price: 2.5, link: links[0])
            Parcel("0", note, earlier)[Parcel.notes] = [note]
            try earlier.save()
            let context = try stack.reopened(model: try Models.parcels()).context()
            try expectEqual(spelled(try context.fetch(ObjectFetchRequest<Parcel>())[0][Parcel.note] as Any), spelled(note as Any? as Any))
            try expectEqual(try context.fetch(ObjectFetchRequest<Parcel>())[0][Parcel.notes], [note])
            Parcel("1", note, context)
            Parcel("2", Note(), context)
            try context.save()
            try expectEqual(try names(context, Parcel.note == note), "01")
            try expectEqual(try names(context, Parcel.note != note), "2")
            try expectEqual(try names(context, Parcel.notes == [note]), "0")
        }
        ConformanceCase("Conditions on Codable elements of a composite value are met by key path, key and text", in: .attributes) {
            environment in
            let context = try environment.stack(try Models.parcels()).context()
            let a = Style(mood: .wild, other: .wild, lines: ["x"], note: Note(title: "n"), content: .text("t"), sizes: ["m": 2], number: 1)
            Parcel("a", nil, context)[Parcel.style] = a
            Parcel("b", nil, context)[Parcel.style] = Style(other: .absent, lines: [], content: .marks(first: 1, second: 2), number: 2)
            Parcel("c", nil, context)
            try context.save()
            try expectEqual(try names(context, \Parcel.style?.mood == .wild), "a")
            try expectEqual(try names(context, \Parcel.style?.mood != .wild), "bc")
            try expectEqual(try names(context, \Parcel.style?.mood == nil), "bc")
            try expectEqual(try names(context, \Parcel.style?.other == .absent), "b")
            try expectEqual(try names(context, (\Parcel.style?.other).isIn([.absent, .wild])), "ab")
            try expectEqual(try names(context, \Parcel.style?.lines == ["x"]), "a")
            try expectEqual(try names(context, \Parcel.style?.lines == nil), "c")
            try expectEqual(try names(context, \Parcel.style?.note == Note(title: "n")), "a")
            try expectEqual(try names(context, \Parcel.style?.note == nil), "bc")
            try expectEqual(try names(context, \Parcel.style?.content == .text("t")), "a")
            try expectEqual(try names(context, \Parcel.style?.content == .marks(first: 1, second: 2)), "b")
            try expectEqual(try names(context, \Parcel.style?.sizes == ["m": 2]), "a")
            try expectEqual(try names(context, Parcel.style.mood == .wild), "a")
            try expectEqual(try names(context, Parcel.style.other.isIn([.absent])), "b")
            try expectEqual(try names(context, Parcel.style.note == Note(title: "n")), "a")
            try expectEqual(try names(context, Parcel.style == a), "a")
            try expectEqual(try names(context, try QueryPredicate(format: "style.mood == 'wild'")), "a")
            try expectEqual(try names(context, try QueryPredicate(format: "style.other != 'wild'")), "bc")
            try expectEqual(try names(context, try QueryPredicate(format: "style.other IN {'wild', '$null'}")), "ab")
            try expectEqual(try names(context, try QueryPredicate(format: "style.mood == 'none'")), "")
            try expectEqual(try names(context, try QueryPredicate(format: "style.lines != nil")), "ab")
            for computed in [\Parcel.style?.reversed == ["x"], \Parcel.style?.title == "n"] {
                try expectThrows(QueryError.self) { try names(context, computed) }
            }
            Parcel("d", nil, context)[Parcel.style] = Style(mood: .wild)
            try expectEqual(try names(context, \Parcel.style?.mood == .wild), "ad")
        }
    }
}
