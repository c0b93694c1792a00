import Foundation
import StrataTestRandom
import StrataValueText
import Testing

@Suite("Values as JSON") struct JSONTests {
    private static let texts = [
        "", "a", "\"", "\\", "/", "<script>", "\u{0}\u{1}\u{8}\t\n\u{B}\u{C}\r\u{1F}\u{7F}", "\u{2028}\u{202E}", "é日👩‍👩‍👧", "e\u{301}", "%2F",
        "a,b", "B", "b10",
        "b9",
    ]

    private static func random(_ random: inout SeededGenerator, depth: Int) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 7), using: &random) {
        case 0: .null
        case 1: .bool(Bool.random(using: &random))
        case 2: .int([0, -1, .min, .max, Int64.random(in: .min ... .max, using: &random)].randomElement(using: &random) ?? 0)
        case 3:
            .double(
                [
                    0, -0.0, 1, 1e15, 1e16, 1e300, .leastNonzeroMagnitude, 0.1, .infinity, -.infinity, .nan,
                    Double.random(in: -9...9, using: &random),
                ]
                .randomElement(
                    using: &random) ?? 0)
        case 4: .decimal(Decimal(Int.random(in: -99...99, using: &random)) / 8)
        case 5, 6: .string(texts.randomElement(using: &random) ?? "")
        case 7: .array((0..<Int.random(in: 0...3, using: &random)).map { _ in self.random(&random, depth: depth - 1) })
        default:
            .object(
                Dictionary(
                    (0..<Int.random(in: 0...5, using: &random)).map { _ in
                        (texts.randomElement(using: &random) ?? "", self.random(&random, depth: depth - 1))
                    }
                ) { $1 })
        }
    }

    @Test("A line is what an encoder writes") func line() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        var random = SeededGenerator(seed: 59)
        for _ in 0..<2_000 {
            let value = JSONTests.random(&random, depth: 3)
            #expect(value.line == String(decoding: try encoder.encode(value), as: UTF8.self))
        }
    }
}
