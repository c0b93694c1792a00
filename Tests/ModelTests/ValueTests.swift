import FoundationEssentials
import StrataModel
import StrataTestRandom
import StrataText
import Testing

@Suite("Values")
struct ValueTests {
    private let composed = "\u{E9}"
    private let decomposed = "e\u{301}"

    @Test("Text is equal where its bytes are: composed and decomposed letters differ")
    func normalisation() {
        #expect(composed == decomposed)
        #expect(Value.string(composed) != .string(decomposed))
        #expect(!Value.string(composed).equals(.string(decomposed)))
        #expect(Set([Value.string(composed), .string(decomposed)]).count == 2)
        #expect(Value.string(decomposed).compare(.string(composed)) == .less)
    }

    @Test("Text orders by its bytes, also where that is not the order of UTF-16")
    func textOrder() {
        #expect(Value.string("Z").compare("a") == .less)
        #expect(Value.string("a").compare("ab") == .less)
        #expect(Value.string("").compare("a") == .less)
        #expect(Value.string("\u{FFFD}").compare("\u{10000}") == .less)
        #expect(Value.string("a\0b").compare("a\0c") == .less)
    }

    @Test("Numbers of different kinds are different values, and equal by magnitude")
    func numericKinds() {
        #expect(Value.int(1) != .double(1))
        #expect(Value.int(1).equals(.double(1)))
        #expect(Value.int(1).equals(.decimal(1)))
        #expect(Value.double(0.5).equals(.decimal(Decimal(string: "0.5") ?? 0)))
        #expect(Value.bool(true).equals(.int(1)))
        #expect(Value.bool(false).compare(.int(1)) == .less)
        #expect(!Value.int(1).equals(.string("1")))
    }

    @Test("An integer and a floating-point number compare exactly beyond 2⁵³")
    func exactMixedOrder() {
        let limit: Int64 = 1 << 53
        #expect(Value.int(limit + 1).compare(.double(Double(limit))) == .greater)
        #expect(Value.double(Double(limit)).compare(.int(limit + 1)) == .less)
        #expect(Value.int(.max).compare(.double(0x1p63)) == .less)
        #expect(Value.int(.min).compare(.double(-0x1p63)) == .equal)
        #expect(Value.int(.min).compare(.double(-.infinity)) == .greater)
        #expect(Value.int(2).compare(.double(2.5)) == .less)
        #expect(Value.int(-2).compare(.double(-2.5)) == .greater)
    }

    @Test("Mixed numbers order as mathematics says, for random ones near each other")
    func mixedOrderLaw() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<2000 {
            let number = Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<60, using: &random)
            let near = Double(number) + ([-1, -0.5, 0, 0.5, 1].randomElement(using: &random) ?? 0)
            let expected: Ordering =
                if let whole = Int64(exactly: near) { Ordering(number, whole) } else if abs(near) >= 0x1p63 {
                    near > 0 ? .less : .greater
                } else { Double(number) < near ? .less : .greater }
            #expect(Value.int(number).compare(.double(near)) == expected)
            #expect(Value.double(near).compare(.int(number)) == expected.reversed)
        }
    }

    @Test("A NaN has no order, differs from itself in predicates, is one value, and sorts after all numbers")
    func notANumber() {
        let nan = Value.double(.nan)
        #expect(nan.compare(nan) == .unordered)
        #expect(nan.compare(1) == .unordered)
        #expect(Value.int(1).compare(nan) == .unordered)
        #expect(!nan.equals(nan))
        #expect(nan == nan)
        #expect(Set([nan, .double(-.nan)]).count == 1)
        #expect(nan.sortOrder(.double(.infinity)) == .greater)
        #expect(nan.sortOrder(nan) == .equal)
        #expect(nan.sortOrder(.null) == .greater)
        #expect(Value.decimal(.nan).sortOrder(.int(.max)) == .greater)
    }

    @Test("Nothing equals nothing only, has no order, and sorts first")
    func null() {
        #expect(Value.null.equals(.null))
        #expect(!Value.null.equals(0))
        #expect(!Value.null.equals(""))
        #expect(Value.null.compare(.null) == .unordered)
        #expect(Value.null.compare(0) == .unordered)
        #expect(Value.null.sortOrder(.int(.min)) == .less)
        #expect(Value.null.sortOrder(.null) == .equal)
    }

    @Test("Decimals compare exactly, and with numbers that no decimal can hold")
    func decimals() throws {
        let third = try #require(Decimal(string: "0.33333333333333333333333333333333333333"))
        let more = try #require(Decimal(string: "0.33333333333333333333333333333333333334"))
        #expect(Value.decimal(third).compare(.decimal(more)) == .less)
        #expect(Value.decimal(third).compare(.int(1)) == .less)
        #expect(Value.decimal(1).compare(.double(1e300)) == .less)
        #expect(Value.double(-1e300).compare(.decimal(1)) == .less)
        #expect(Value.decimal(1).compare(.double(.infinity)) == .less)
        #expect(Value.decimal(1).compare(.double(-.infinity)) == .greater)
        #expect(Value.decimal(1).compare(.double(1e-300)) == .greater)
        #expect(Value.decimal(0).compare(.double(1e-300)) == .less)
        #expect(Value.int(.min).equals(.decimal(Decimal(Int64.min))))
    }

    @Test("Bytes, UUIDs and dates order by content")
    func others() throws {
        #expect(Value.data(Data([1])).compare(.data(Data([1, 0]))) == .less)
        #expect(Value.data(Data([0xFF])).compare(.data(Data([1, 0]))) == .greater)
        let low = try #require(UUID(uuidString: "00000000-0000-0000-0000-000000000001"))
        let high = try #require(UUID(uuidString: "F0000000-0000-0000-0000-000000000000"))
        #expect(Value.uuid(low).compare(.uuid(high)) == .less)
        #expect(Value.date(Date(timeIntervalSinceReferenceDate: 1)).compare(.date(Date(timeIntervalSinceReferenceDate: 2))) == .less)
        #expect(Value.date(.distantPast).compare(.int(0)) == .unordered)
    }

    @Test("Equal values have equal hashes")
    func hashes() {
        #expect(Set([Value.double(0), .double(-0.0)]).count == 1)
        #expect(Set([Value.list([1, "a"]), .list([1, "a"]), .list(["a", 1])]).count == 2)
        #expect(Value.double(0) == .double(-0.0))
    }

    @Test("Literals make values of their kind")
    func literals() {
        let values: [Value] = [1, 1.5, "a", true, .null, [1, 2]]
        #expect(values == [.int(1), .double(1.5), .string("a"), .bool(true), .null, .list([.int(1), .int(2)])])
    }
}
