import FoundationEssentials
public import StrataModel
import StrataTestModels
import StrataText
import Testing

/// As an application may declare it.
extension UInt64: ValueConvertible {}

@Suite("Bringing values to a type")
struct CoercionTests {
    private enum Colour: String, ValueConvertible { case red, green }
    private enum Level: Int16, ValueConvertible {
        case low = 1
        case high = 2
    }

    @Test("No value is of every type", arguments: AttributeType.allCases)
    func null(type: AttributeType) { #expect(type.coerce(.null) == .null) }

    @Test(
        "A value that fits every attribute of a kind of slot is left as it is",
        arguments: AttributeType.allCases.filter { $0 != .undefined && $0 != .composite })
    func fitting(type: AttributeType) throws {
        let model = try ManagedObjectModel { Entity("Thing") { Attribute("value", type) } }
        let kind = try #require(model.entities[0].attribute(named: "value")).slotKind
        let values: [Value] = [
            .null, true, 0, 1, -32_768, 32_767, 32_768, .int(.max), .int(.min), 0.0, 1.5, .double(.infinity), .double(1e300), .double(0.1),
            "", "text",
            .decimal(7), .date(Date(timeIntervalSinceReferenceDate: 0.1)), .data(Data([1])), .uuid(UUID()),
            .url(try #require(URL(string: "https://example.org"))),
        ]
        for value in values where value.fitsAll(kind) { #expect(type.coerce(value) == value) }
    }

    @Test("Integers stay within their type's range")
    func integers() {
        #expect(AttributeType.integer16.coerce(32_767) == 32_767)
        #expect(AttributeType.integer16.coerce(32_768) == nil)
        #expect(AttributeType.integer16.coerce(-32_768) == -32_768)
        #expect(AttributeType.integer16.coerce(-32_769) == nil)
        #expect(AttributeType.integer32.coerce(.int(1 << 31)) == nil)
        #expect(AttributeType.integer64.coerce(.int(.max)) == .int(.max))
    }

    @Test("Whole floating-point numbers become integers, others do not")
    func wholeNumbers() {
        #expect(AttributeType.integer32.coerce(3.0) == 3)
        #expect(AttributeType.integer32.coerce(3.5) == nil)
        #expect(AttributeType.integer16.coerce(40_000.0) == nil)
        #expect(AttributeType.integer64.coerce(.double(.nan)) == nil)
        #expect(AttributeType.integer64.coerce(.double(1e19)) == nil)
    }

    @Test("Truth values and 0 and 1 become each other")
    func truth() {
        #expect(AttributeType.boolean.coerce(1) == true)
        #expect(AttributeType.boolean.coerce(0) == false)
        #expect(AttributeType.boolean.coerce(2) == nil)
        #expect(AttributeType.integer16.coerce(true) == 1)
        #expect(AttributeType.integer64.coerce(false) == 0)
    }

    @Test("Numbers become floating-point and decimal numbers")
    func fractions() {
        #expect(AttributeType.double.coerce(2) == 2.0)
        #expect(AttributeType.float.coerce(0.1) == .double(Double(Float(0.1))))
        #expect(AttributeType.decimal.coerce(0.1) == Decimal(string: "0.1").map { .decimal($0) })
        #expect(AttributeType.decimal.coerce(7) == .decimal(7))
        #expect(AttributeType.double.coerce(.decimal(Decimal(string: "0.25") ?? 0)) == 0.25)
    }

    @Test("Text becomes a UUID or a URL only where it spells one")
    func text() {
        let uuid = UUID()
        #expect(AttributeType.uuid.coerce(.string(uuid.uuidString)) == .uuid(uuid))
        #expect(AttributeType.uuid.coerce("x") == nil)
        #expect(AttributeType.uri.coerce("https://swift.org") == URL(string: "https://swift.org").map { .url($0) })
        #expect(AttributeType.string.coerce(.uuid(uuid)) == nil)
    }

    @Test("Kinds that have nothing in common are refused")
    func refused() {
        #expect(AttributeType.string.coerce(1) == nil)
        #expect(AttributeType.integer16.coerce("1") == nil)
        #expect(AttributeType.date.coerce(1.0) == nil)
        #expect(AttributeType.binary.coerce("x") == nil)
        #expect(AttributeType.double.coerce(true) == nil)
        #expect(AttributeType.string.coerce(.list(["a"])) == nil)
    }

    @Test("What a type holds, it holds unchanged")
    func idempotent() {
        let samples: [(AttributeType, Value)] = [
            (.integer16, 5), (.integer32, -5), (.integer64, .int(.min)), (.double, 1.5), (.float, 0.5), (.decimal, .decimal(3)),
            (.string, "é"), (.boolean, true), (.date, .date(.distantFuture)), (.binary, .data(Data([1]))), (.uuid, .uuid(UUID())),
            (.transformable, .data(Data())),
        ]
        for (type, value) in samples { #expect(type.coerce(value) == value, "\(type)") }
    }

    // MARK: - Swift types

    @Test("An enumeration is stored as its raw value and read back")
    func enumerations() {
        #expect(Colour.green.value == "green")
        #expect(Colour(value: "green") == .green)
        #expect(Colour(value: "blue") == nil)
        #expect(Colour(value: 1) == nil)
        #expect(Level.high.value == 2)
        #expect(Level(value: 2) == .high)
        #expect(Level(value: 3) == nil)
    }

    @Test("Every type reads back what it stores, and nothing of another kind")
    func roundTrips() {
        func check<T: ValueConvertible & Equatable>(_ value: T) {
            #expect(T(value: value.value) == value)
            #expect(T(value: .null) == nil)
            #expect(T(value: .list([])) == nil)
        }
        check(Int.min)
        check(Int16(-3))
        check(Int32.max)
        check(Int64.max)
        check(true)
        check(1.25)
        check(Float(0.1))
        check(Decimal(string: "12.34") ?? 0)
        check("é")
        check(Date(timeIntervalSinceReferenceDate: 0.1))
        check(Data([0, 255]))
        check(UUID())
    }

    @Test("A number that a narrower type cannot hold does not read as one")
    func narrowing() {
        #expect(Int16(value: 40_000) == nil)
        #expect(Int32(value: .int(.max)) == nil)
        #expect(Int16(value: 5) == 5)
    }

    /// What exceeds 64 bits with a sign was cut down to another number.
    @Test("A number that no attribute of integers holds is still that number")
    func beyondIntegers() {
        #expect(UInt64.max.value.compare(.int(.max)) == .greater)
        #expect(UInt64(Int64.max).value == .int(.max))
        #expect(AttributeType.integer64.coerce(UInt64.max.value) == nil)
    }

    @Test("Reading a slot gives the value, and nil for an empty slot or one of another kind")
    func slots() throws {
        let model = try ManagedObjectModel {
            Entity("Item") { Attributes(["a": .string, "b": .integer16, "c": .string]) }
        }
        var writer = RowWriter()
        writer.begin(model.entities[0], reference: 1, version: 1)
        writer.set("green", at: 0, .string)
        writer.set(40_000, at: 1, .integer)
        let row = writer.finish()
        #expect(String.read(row.slot(0, .string)) == "green")
        #expect(Colour.read(row.slot(0, .string)) == .green)
        #expect(Int.read(row.slot(1, .integer)) == 40_000)
        #expect(Int16.read(row.slot(1, .integer)) == nil)
        #expect(String.read(row.slot(2, .string)) == nil)
        #expect(Int.read(row.slot(0, .string)) == nil)
        #expect(Bool.read(row.slot(1, .integer)) == nil)
        withExtendedLifetime(row) {}
    }

    @Test("A transformer of a Codable type gives back what it took, and refuses another type")
    func transformer() throws {
        let transformer = ValueTransformer.codable([String: Int].self)
        let data = try #require(try transformer.data(from: ["a": 1]))
        #expect(try transformer.value(from: data) as? [String: Int] == ["a": 1])
        #expect(try transformer.data(from: "text") == nil)
        #expect(throws: (any Error).self) { try transformer.value(from: Data([1, 2, 3])) }
    }
}
