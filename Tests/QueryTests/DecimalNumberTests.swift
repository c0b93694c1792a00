import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataTestRandom
import StrataText
import Testing

@Suite("Decimal numbers")
struct DecimalNumberTests {
    private func number(_ text: String) -> DecimalNumber? {
        var text = text
        return text.withUTF8 { DecimalNumber(UnsafeRawBufferPointer($0)) }
    }

    private func random(_ generator: inout SeededGenerator) throws -> Decimal {
        let digits = (0..<(1 + generator.next() % 38)).map { _ in String(generator.next() % 10) }.joined()
        return try #require(Decimal(string: "\(generator.next() % 2 == 0 ? "-" : "")\(digits)e\(Int(generator.next() % 160) - 110)"))
    }

    @Test("They are read from the text of a decimal, and are it again")
    func texts() throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<2000 {
            let decimal = try random(&generator)
            #expect(number(DecimalText.text(decimal))?.decimal == decimal, "\(decimal)")
        }
        #expect(number("340282366920938463463374607431768211455")?.decimal.description == "340282366920938463463374607431768211455")
        #expect(number("NaN")?.isNaN == true)
        for text in ["", "-", ".", "1e5", "1.2.3", "abc", "--1", "3402823669209384634633746074317682114550001"] {
            #expect(number(text) == nil, "\(text)")
        }
    }

    @Test("They are ordered as decimals")
    func order() throws {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<2000 {
            let a = try random(&generator)
            let b = generator.next() % 4 == 0 ? a + (try #require(Decimal(string: "1e-30"))) : try random(&generator)
            let (x, y) = (try #require(DecimalNumber(.decimal(a))), try #require(DecimalNumber(.decimal(b))))
            #expect(x.compare(y) == Ordering(a, b), "\(a) and \(b)")
        }
        #expect(DecimalNumber.nan.compare(.nan) == .unordered)
        #expect(DecimalNumber.nan.sortOrder(DecimalNumber(Int64(1))) == .greater)
    }

    @Test("Of a floating-point number they are the digits that it is shown with")
    func floating() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<5000 {
            let value = Double(Int64(truncatingIfNeeded: generator.next() % 1_000_000_000_000_000)) / 1e3 / Double(1 + generator.next() % 3)
            guard let number = DecimalNumber(nearestTo: value, scale: Int(generator.next() % 5)) else { continue }
            #expect(Double(number.decimal.description) == value)
            #expect(number.decimal == Decimal(string: value.description), "\(value)")
            #expect(number.nearestDouble == value)
        }
        #expect(DecimalNumber(nearestTo: 19.99, scale: 2)?.decimal == Decimal(string: "19.99"))
        #expect(DecimalNumber(nearestTo: 0.1 + 0.2) == nil)
        #expect(DecimalNumber(nearestTo: .nan) == nil)
        #expect(DecimalNumber(nearestTo: .infinity) == nil)
    }

    @Test("A sum is the same in any order and in parts, and is rounded once")
    func sums() throws {
        var generator = SeededGenerator(seed: 11)
        let numbers = try (0..<300).map { _ in try #require(DecimalNumber(.decimal(try random(&generator)))) }
        var (forward, backward, parts) = (DecimalSum(), DecimalSum(), DecimalSum())
        for number in numbers { forward.add(number) }
        for number in numbers.reversed() { backward.add(number) }
        for start in stride(from: 0, to: 300, by: 30) {
            var part = DecimalSum()
            for number in numbers[start..<(start + 30)] { part.add(number) }
            parts.add(part)
        }
        #expect(forward.decimal == backward.decimal)
        #expect(forward.decimal == parts.decimal)
        var third = DecimalSum()
        third.add(DecimalNumber(Int64(2)))
        #expect(third.quotient(by: 3) == Decimal(string: "0.66666666666666666666666666666666666667"))
        for number in numbers { third.add(number) }
        for var number in numbers {
            number.isNegative.toggle()
            third.add(number)
        }
        #expect(third.decimal == 2)
    }

    @Test("A sum is read from a text of any number of digits")
    func sumTexts() {
        func sum(_ text: String) -> Decimal?? {
            var text = text
            return text.withUTF8 { DecimalSum(UnsafeRawBufferPointer($0)) }.map(\.decimal)
        }
        #expect(sum("100000000000000000000000000000000000000.00000000000000000000000000000000000001") == Decimal(string: "1e38"))
        #expect(sum("-123.4500") == Decimal(string: "-123.45"))
        #expect(sum("1" + String(repeating: "0", count: 170)) == .some(nil))
        #expect(sum("x") == nil)
    }
}
