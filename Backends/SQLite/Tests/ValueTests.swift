import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQLite
import StrataStore
import Testing

@Suite("Values in columns")
struct ValueTests {
    private static let types: [AttributeType] = [
        .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date, .binary, .uuid, .uri, .transformable,
    ]

    private static func name(_ type: AttributeType) -> String { "v\(type.rawValue)" }

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            Entity("E") {
                for type in types { Attribute(name(type), type) }
                Attribute("external", .binary).externalStorage
            }
        ])
    }

    private static let values: [(AttributeType, Value)] = {
        var values: [(AttributeType, Value)] = []
        for type in [AttributeType.integer16, .integer32, .integer64] {
            guard let range = type.integerRange else { continue }
            for number in [range.lowerBound, range.lowerBound + 1, -1, 0, 1, range.upperBound - 1, range.upperBound] {
                values.append((type, .int(number)))
            }
        }
        values += [Int64(1) << 53 + 1, -(Int64(1) << 53) - 1].map { (.integer64, .int($0)) }
        for number in [
            0, 1, -1, 0.1, 1e300, -1e-300, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity, -.infinity, .nan, 0x1p53 + 2, 4e18,
            1e19,
            -9223372036854775808.0,
        ] as [Double] {
            values.append((.double, .double(number)))
            values.append((.date, .date(Date(timeIntervalSinceReferenceDate: number))))
        }
        values += [Float(0.1), .infinity, .nan, .leastNonzeroMagnitude, 16777216].map { (.float, .double(Double($0))) }
        for text in [
            "0", "1", "-1", "0.1", "10.11", "11.2", "123456789012345", "1234567890123456", "0.1234567890123456789", "-0.000000000000001",
            "12345678901234567890123456789012345678", "0.00000000000000000000000000000000000001", "9223372036854775807",
            "-9223372036854775808", "9223372036854775808", "100000000000000000000000", "1000000000000000.5", "99999999999999.9",
        ] { if let number = Decimal(string: text) { values.append((.decimal, .decimal(number))) } }
        values.append((.decimal, .decimal(.nan)))
        for text in [
            "", " ", "a\u{0}b", "\u{0}", "NaN", "1", "1.0", "\r\n\t", "e\u{301}", "\u{e9}", "😀", "'\"; --", "%_\\",
            String(repeating: "x", count: 70_000),
        ] {
            values.append((.string, .string(text)))
        }
        for bytes in [
            Data(), Data([0]), Data([1]), Data([2] + Array("619F5BBC-799D-44E4-8B9F-49AC950CD416".utf8) + [0]),
            Data(repeating: 7, count: 5000),
        ] {
            values.append((.binary, .data(bytes)))
            values.append((.transformable, .data(bytes)))
        }
        values += [(.boolean, .bool(true)), (.boolean, .bool(false))]
        if let uuid = UUID(uuidString: "00000000-0000-0000-0000-000000000000") { values.append((.uuid, .uuid(uuid))) }
        values.append((.uuid, .uuid(UUID())))
        if let url = URL(string: "https://example.com/a%20b?q=1#f") { values.append((.uri, .url(url))) }
        return values
    }()

    /// Whether two values are equal, or both a date that is none.
    private func isSame(_ a: Value, _ b: Value) -> Bool {
        if case .date(let a) = a, case .date(let b) = b, a.timeIntervalSinceReferenceDate.isNaN {
            return b.timeIntervalSinceReferenceDate.isNaN
        }
        return a == b
    }

    @Test("Every value comes back as it went in, also after reopening")
    func roundTrip() throws {
        let model = try Self.model()
        let sandbox = try Sandbox()
        let store = try open(sandbox.path(), model)
        var changes = ChangeSet()
        for (index, (type, value)) in Self.values.enumerated() {
            changes.inserted.append(try row(model, "E", Int64(index + 1), [Self.name(type): value]))
        }
        #expect(try store.save(changes).isEmpty)
        try store.close()
        let reopened = try open(sandbox.path(), model)
        let rows = try reopened.fetch(FetchPlan(try #require(model.entity(named: "E"))))
        try #require(rows.count == Self.values.count)
        for (index, (type, expected)) in Self.values.enumerated() {
            #expect(try isSame(value(rows[index], Self.name(type), model), expected), "\(type)")
            let attribute = try #require(model.entities[0].attribute(named: Self.name(type)))
            #expect(
                rows[index].slot(try #require(attribute.slot), attribute.slotKind, equals: changes.inserted[index]),
                "\(type) \(expected)"
            )
            for other in Self.types where other != type { #expect(try value(rows[index], Self.name(other), model).isNull) }
        }
        try reopened.close()
    }

    @Test("Rows that are updated to each value hold it")
    func update() throws {
        let model = try Self.model()
        let sandbox = try Sandbox()
        let store = try open(sandbox.path(), model)
        #expect(try store.insert(row(model, "E", 1)).isEmpty)
        for (index, (type, expected)) in Self.values.enumerated() {
            var changes = ChangeSet()
            changes.updated = [
                RowUpdate(
                    row: try row(model, "E", 1, [Self.name(type): expected], version: UInt32(index + 2)),
                    changedSlots: Array(model.entities[0].layout.slots.typedIndices(Slot.self))
                )
            ]
            #expect(try store.save(changes).isEmpty)
            let read = try store.read { try $0.row(root: 0, reference: 1) }
            let found = try #require(read)
            #expect(try isSame(value(found, Self.name(type), model), expected), "\(type)")
            #expect(found.version == UInt32(index + 2))
        }
        try store.close()
    }

    @Test("Values are kept in the columns as Core Data keeps them")
    func storedForm() throws {
        let model = try Self.model()
        let sandbox = try Sandbox()
        let store = try open(sandbox.path(), model)
        let uuid = try #require(UUID(uuidString: "619F5BBC-799D-44E4-8B9F-49AC950CD416"))
        let values: [String: Value] = [
            "v400": .decimal(try #require(Decimal(string: "10.11"))), "v500": .double(.nan), "v800": true,
            "v900": .date(Date(timeIntervalSinceReferenceDate: 464441952.529884)), "v1100": .uuid(uuid),
            "v1200": .url(try #require(URL(string: "https://a.b/c"))), "external": .data(Data([9])),
        ]
        #expect(try store.insert(row(model, "E", 1, values)).isEmpty)
        #expect(
            try raw(
                sandbox.path(),
                "SELECT typeof(ZV400), ZV400, typeof(ZV500), ZV500, ZV800, ZV900, hex(ZV1100), ZV1200, hex(ZEXTERNAL), Z_OPT FROM ZE"
            )
                == [
                    [
                        "real", "10.11", "text", "NaN", "1", "464441952.529884", "619F5BBC799D44E48B9F49AC950CD416", "https://a.b/c",
                        "0109", "1",
                    ]
                ]
        )
        try store.close()
    }

    @Test("A text is what it is made of, not what it looks like")
    func canonicalEquivalents() throws {
        let model = try ManagedObjectModel(entities: [
            Entity("E") {
                Attribute("s", .string); Unique("s")
            }
        ])
        let sandbox = try Sandbox()
        let store = try open(sandbox.path(), model)
        #expect(try store.insert(row(model, "E", 1, ["s": "\u{e9}"]), row(model, "E", 2, ["s": "e\u{301}"])).isEmpty)
        try store.close()
    }
}
