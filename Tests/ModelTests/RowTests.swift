import FoundationEssentials
import StrataModel
import StrataTestRandom
import Testing

@Suite("Rows")
struct RowTests {
    /// A value for a slot of each kind.
    static func samples() throws -> [(SlotKind, Value)] {
        [
            (.integer, .int(.min)), (.boolean, true), (.double, .double(-0.1)), (.float, .double(Double(Float(0.1)))),
            (.date, .date(Date(timeIntervalSinceReferenceDate: 1.25))),
            (.decimal, .decimal(try #require(Decimal(string: "-12.3400000000001")))),
            (.string, "héllo \u{1F600}"), (.uri, .url(try #require(URL(string: "https://swift.org/a?b=c")))), (.uuid, .uuid(UUID())),
            (.binary, .data(Data([0, 1, 255]))), (.transformable, .data(Data([9]))), (.reference, .int(7)), (.entity, 2),
            (.order, .int(-1)),
        ]
    }

    private func layout(_ kinds: [SlotKind]) -> RowLayout {
        RowLayout(slots: kinds.enumerated().map { SlotDescription(kind: $1, property: $0) })
    }

    @Test("A row gives back its header and the value of every kind of slot")
    func everyKind() throws {
        let samples = try RowTests.samples()
        var writer = RowWriter()
        writer.begin(layout(samples.map(\.0)), entityIndex: 3, reference: -5, version: 8)
        for (slot, (kind, value)) in zip(samples.typedIndices(Slot.self), samples) { writer.set(value, at: slot, kind) }
        let row = writer.finish()
        #expect(row.entityIndex == 3)
        #expect(row.reference == -5)
        #expect(row.version == 8)
        #expect(row.storeWord == 0)
        #expect(row.byteCount % 8 == 0)
        #expect(row.bytes.count == row.byteCount)
        for (slot, (kind, value)) in zip(samples.typedIndices(Slot.self), samples) { #expect(row.value(slot, kind) == value, "\(kind)") }
    }

    @Test("Rows written one after the other, small or larger than a chunk, keep their values")
    func chunks() {
        let layout = layout([.string])
        var writer = RowWriter()
        var rows: [Row] = []
        let lengths = [0, 10, 900, 1_000, 5_000, 1, 70_000, 3, 200_000, 64]
        for (index, length) in lengths.enumerated() {
            writer.begin(layout, entityIndex: 0, reference: Int64(index), version: 1)
            writer.set(.string(String(repeating: "a", count: length)), at: 0, .string)
            rows.append(writer.finish())
        }
        #expect(rows.map(\.reference) == Array(0..<Int64(lengths.count)))
        #expect(rows.map { $0.bytes(0)?.count } == lengths)
    }

    @Test("A slot that is not set, or set to a value of another kind, holds nothing")
    func emptySlots() throws {
        let samples = try RowTests.samples()
        var writer = RowWriter()
        writer.begin(layout(samples.map(\.0)), entityIndex: 0, reference: 1, version: 1)
        for (slot, (kind, _)) in zip(samples.typedIndices(Slot.self), samples) {
            writer.set(slot.rawValue % 2 == 0 ? .null : .list([]), at: slot, kind)
        }
        let row = writer.finish()
        for (slot, (kind, _)) in zip(samples.typedIndices(Slot.self), samples) {
            #expect(row.isNull(slot))
            #expect(row.value(slot, kind) == .null)
            #expect(row.bytes(slot) == nil)
            #expect(row.integer(slot) == nil)
        }
    }

    @Test("Empty text and empty bytes are values")
    func emptyText() {
        var writer = RowWriter()
        writer.begin(layout([.string, .binary]), entityIndex: 0, reference: 1, version: 1)
        writer.set("", at: 0, .string)
        writer.set(.data(Data()), at: 1, .binary)
        let row = writer.finish()
        #expect(row.value(0, .string) == "")
        #expect(row.value(1, .binary) == .data(Data()))
    }

    @Test("Rows of more than 64 slots distinguish full slots from empty ones", arguments: [1, 63, 64, 65, 127, 128, 129, 200])
    func manySlots(count: Int) {
        var random = SeededGenerator(seed: UInt64(count))
        let full = (0..<count).map { _ in Bool.random(using: &random) }
        let kinds = (0..<count).map { $0 % 3 == 0 ? SlotKind.string : .integer }
        func value(_ slot: Slot) -> Value { kinds[slot] == .string ? .string("text \(slot)") : .int(Int64(slot.rawValue) * 3) }
        var writer = RowWriter()
        writer.begin(layout(kinds), entityIndex: 0, reference: 1, version: 1)
        for slot in full.typedIndices(Slot.self).reversed() where full[slot] { writer.set(value(slot), at: slot, kinds[slot]) }
        let row = writer.finish()
        for slot in full.typedIndices(Slot.self) { #expect(row.value(slot, kinds[slot]) == (full[slot] ? value(slot) : .null)) }
    }

    @Test("A long text in the middle of a row, and rows after it, survive the change of the chunk")
    func chunkOverflow() {
        let shape = layout([.string, .string, .integer])
        let long = String(repeating: "xyz€", count: 5000)
        var writer = RowWriter(chunkSize: 256)
        var rows: [Row] = []
        for number in 0..<50 {
            writer.begin(shape, entityIndex: 0, reference: Int64(number), version: 1)
            writer.set(.string("before \(number)"), at: 0, .string)
            writer.set(.string(number % 7 == 3 ? long : "short"), at: 1, .string)
            writer.set(.int(Int64(number)), at: 2, .integer)
            rows.append(writer.finish())
        }
        for (number, row) in rows.enumerated() {
            #expect(row.reference == Int64(number))
            #expect(row.value(0, .string) == .string("before \(number)"))
            #expect(row.value(1, .string) == .string(number % 7 == 3 ? long : "short"))
            #expect(row.value(2, .integer) == .int(Int64(number)))
        }
    }

    @Test("A row begun and not finished leaves no trace in the next one")
    func abandoned() {
        var writer = RowWriter()
        writer.begin(layout([.string, .integer]), entityIndex: 0, reference: 1, version: 1)
        writer.set("abandoned", at: 0, .string)
        writer.set(5, at: 1, .integer)
        writer.begin(layout([.string, .integer]), entityIndex: 0, reference: 2, version: 1)
        let row = writer.finish()
        #expect(row.reference == 2)
        #expect(row.isNull(0))
        #expect(row.isNull(1))
    }

    @Test("Rows outlive their writer")
    func lifetime() {
        func make() -> [Row] {
            var writer = RowWriter(chunkSize: 128)
            return (0..<20).map { number in
                writer.begin(layout([.string]), entityIndex: 0, reference: Int64(number), version: 1)
                writer.set(.string("row \(number)"), at: 0, .string)
                return writer.finish()
            }
        }
        let rows = make()
        #expect(rows.enumerated().allSatisfy { $1.value(0, .string) == .string("row \($0)") })
    }

    // MARK: - Copies

    @Test("A copy has the same values, and the version and store word that were asked for")
    func copies() throws {
        let samples = try RowTests.samples()
        var writer = RowWriter(chunkSize: 200)
        writer.begin(layout(samples.map(\.0)), entityIndex: 1, reference: 4, version: 2)
        for (slot, (kind, value)) in zip(samples.typedIndices(Slot.self), samples) { writer.set(value, at: slot, kind) }
        let row = writer.finish()
        let same = writer.copy(row)
        let other = writer.copy(row, version: 9, storeWord: 0xABCD)
        #expect(same.version == 2)
        #expect(same.storeWord == 0)
        #expect(other.version == 9)
        #expect(other.storeWord == 0xABCD)
        #expect(row.version == 2)
        #expect(row.storeWord == 0)
        for copy in [same, other] {
            #expect(copy.reference == 4)
            #expect(copy.entityIndex == 1)
            for (slot, (kind, value)) in zip(samples.typedIndices(Slot.self), samples) {
                #expect(copy.value(slot, kind) == value)
                #expect(copy.slot(slot, kind, equals: row))
            }
        }
    }

    @Test("A copy under another reference replaces the references asked for and nothing else")
    func replacing() {
        var writer = RowWriter()
        writer.begin(layout([.reference, .string, .reference]), entityIndex: 0, reference: -9, version: 1)
        writer.set(integer: -1, at: 0)
        writer.set("text", at: 1, .string)
        writer.set(integer: 5, at: 2)
        let row = writer.finish()
        let copy = writer.copy(row, reference: 12, replacing: [(0, 7)])
        #expect(copy.reference == 12)
        #expect(copy.integer(0) == 7)
        #expect(copy.integer(2) == 5)
        #expect(copy.value(1, .string) == "text")
        #expect(row.reference == -9)
        #expect(row.integer(0) == -1)
    }

    @Test("Single slots are copied with or without a value, into another shape")
    func copiedSlots() {
        var writer = RowWriter()
        writer.begin(layout([.string, .integer, .string]), entityIndex: 0, reference: 1, version: 1)
        writer.set("a", at: 0, .string)
        writer.set(3, at: 1, .integer)
        let row = writer.finish()
        writer.begin(layout([.string, .integer, .string]), entityIndex: 0, reference: 2, version: 1)
        writer.set("longer than before", at: 2, .string)
        writer.copy(0, .string, from: row)
        writer.copy(1, .integer, from: row)
        let copy = writer.finish()
        #expect(copy.value(0, .string) == "a")
        #expect(copy.integer(1) == 3)
        #expect(copy.value(2, .string) == "longer than before")
        #expect(row.slot(0, .string, equals: copy))
        #expect(!row.slot(2, .string, equals: copy))
    }

    @Test(
        "A decimal is kept exactly, and equal numbers are kept as equal text",
        arguments: [
            "0", "-1", "1.50", "99999999999999999999999999999999999999", "0.00000000000000000000000000000000000001", "-12345.678900",
        ]
    )
    func decimals(text: String) throws {
        let number = try #require(Decimal(string: text))
        #expect(DecimalText.decimal(DecimalText.text(number)) == number)
        let scaled = number * 10 / 10
        #expect(DecimalText.text(scaled) == DecimalText.text(number))
        #expect(DecimalText.decimal(DecimalText.text(.nan))?.isNaN == true)
        #expect(DecimalText.text(Decimal(sign: .plus, exponent: -2, significand: 100)) == DecimalText.text(1))
    }
}
