import Foundation
import StrataModel
import StrataTestRandom
import Testing

@testable import StrataXML

@Suite struct TextTests {
    private func text(_ body: (inout ByteBuffer) -> Void) -> String {
        var buffer = ByteBuffer()
        body(&buffer)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    private func double(_ text: String) -> Double? {
        Array(text.utf8).withUnsafeBytes { NumberText.double($0) }
    }

    @Test("Dates are spelled as printf spells them and are read back exactly")
    func dates() throws {
        var random = SeededGenerator.printed("dates")
        var numbers: [Double] = [259_495_720.56406, 0.5, 1.0 / 3, 0x1p-14, 0x1.fffffffffffffp-14, 1e15 + 0.3, 0x1p52 + 0.5, 0x1p53, 9.2e18]
        for _ in 0..<20_000 {
            let exponent = Int.random(in: -14...62, using: &random)
            let bits = UInt64(exponent + 1023) << 52 | UInt64.random(in: 0..<(1 << 52), using: &random)
            numbers.append(Double(bitPattern: bits) * (Bool.random(using: &random) ? 1 : -1))
            numbers.append(Double(Int.random(in: -1_000_000_000_000...1_000_000_000_000, using: &random)) / 1000)
        }
        for number in numbers where number.magnitude >= 0x1p-14 || number == 0 {
            let spelled = text { DateText.append(number, to: &$0) }
            try #require(spelled == String(format: "%.20f", number), "\(number)")
            try #require(double(spelled)?.bitPattern == number.bitPattern, "\(spelled)")
        }
    }

    @Test("Numbers are read as strtod reads them")
    func numbers() throws {
        var random = SeededGenerator.printed("numbers")
        for _ in 0..<30_000 {
            var digits = String(UInt64.random(in: 0...(.max), using: &random) >> UInt64.random(in: 0..<64, using: &random))
            if Bool.random(using: &random) {
                digits += "."
                for _ in 0..<Int.random(in: 1...24, using: &random) { digits += String(Int.random(in: 0...9, using: &random)) }
            }
            if Bool.random(using: &random) { digits = "-" + digits }
            try #require(double(digits)?.bitPattern == strtod(digits, nil).bitPattern, "\(digits)")
            let bits = Double(bitPattern: UInt64.random(in: 0...(.max), using: &random))
            let shortest = text { NumberText.append(bits, to: &$0) }
            try #require(bits.isNaN ? double(shortest)?.isNaN == true : double(shortest)?.bitPattern == bits.bitPattern, "\(shortest)")
        }
        for refused in ["", " ", "-", ".", "1.", ".5.", "1e", "x", "1 2", "0x", "--1", "1,5"] where refused != "1." {
            #expect(double(refused) == nil, "\(refused)")
        }
    }

    @Test("Whole numbers within 64 bits are read, all else is refused")
    func integers() {
        func integer(_ text: String) -> Int64? { Array(text.utf8).withUnsafeBytes { NumberText.integer($0) } }
        #expect(integer("-9223372036854775808") == .min)
        #expect(integer("9223372036854775807") == .max)
        #expect(integer(" +12\n") == 12)
        for refused in ["", "-", "9223372036854775808", "-9223372036854775809", "99999999999999999999", "1.0", "1e3", "٣", "0x1"] {
            #expect(integer(refused) == nil, "\(refused)")
        }
    }

    @Test("Numbers are spelled as short as they can be")
    func shortest() {
        #expect(text { NumberText.append(5, to: &$0) } == "5")
        #expect(text { NumberText.append(-0.0, to: &$0) } == "-0")
        #expect(text { NumberText.append(0.1, to: &$0) } == "0.1")
        #expect(text { NumberText.append(float: Double(Float(0.1)), to: &$0) } == "0.1")
        #expect(text { NumberText.append(-.infinity, to: &$0) } == "-inf")
        #expect(text { NumberText.append(.nan, to: &$0) } == "nan")
        #expect(text { $0.append(digits: .max, width: 1) } == "18446744073709551615")
        #expect(text { $0.append(digits: 7, width: 10) } == "0000000007")
    }

    @Test("Text of random characters comes back in every context")
    func escapes() throws {
        var random = SeededGenerator.printed("escapes")
        let alphabet = Array("a\\u3c00<>&\"'\r\n\t\0\u{1}\u{FFFE}\u{FFFF}\u{FFFD}é😀ﬀ5e f".unicodeScalars)
        for _ in 0..<20_000 {
            var scalars = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...24, using: &random) {
                if let scalar = alphabet.randomElement(using: &random) { scalars.append(scalar) }
            }
            let original = Array(String(scalars).utf8)
            for context in [TextEscape.Context.content, .tag] {
                var escaped = ByteBuffer()
                let isText = original.withUnsafeBytes { TextEscape.append($0, for: context, to: &escaped) }
                #expect(isText)
                try #require(!escaped.bytes.contains { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") || $0 == 13 || $0 == 0 })
                var decoded = ByteBuffer()
                try #require(TextEscape.appendDecoded(escaped.bytes, to: &decoded))
                try #require(Array(decoded.bytes) == original, "\(original)")
            }
        }
    }

    @Test("The escapes that Core Data writes are understood, also beyond ASCII")
    func appleEscapes() {
        func decoded(_ text: String) -> String? {
            var buffer = ByteBuffer()
            let isSound = Array(text.utf8).withUnsafeBytes { TextEscape.appendDecoded($0, to: &buffer) }
            return isSound ? String(decoding: buffer.bytes, as: UTF8.self) : nil
        }
        #expect(decoded("\\u3c00note\\u3e00\\u2600 Lisa") == "<note>& Lisa")
        #expect(decoded("\\u11ff") == "\u{FF11}")
        #expect(decoded("\\u3dd8\\u00de") == "😀")
        #expect(decoded("C:\\dir\\u12") == "C:\\dir\\u12")
        #expect(decoded("\\u3dd8") == nil)
        #expect(decoded("\\u00de") == nil)
    }

    @Test("Base64 breaks its lines where Core Data does and refuses what is none")
    func base64() {
        let bytes = [UInt8]((0..<60).map { UInt8($0) })
        let spelled = text { out in bytes.withUnsafeBytes { Base64.append($0, to: &out) } }
        #expect(spelled.split(separator: "\n").map(\.count) == [76, 4])
        #expect(spelled.hasSuffix("\n"))
        #expect(Data(base64Encoded: spelled.replacing("\n", with: "")) == Data(bytes))
        for refused in ["A", "AA", "AAA", "A===", "AA=A", "AAAA=", "AA==AA==", "AB==", "AAB=", "A!AA", "====", "AAAA===="] {
            var out = ByteBuffer()
            #expect(!Array(refused.utf8).withUnsafeBytes { Base64.appendDecoded($0, to: &out) }, "\(refused)")
        }
    }

    @Test("Only decimal numbers spelled as rows spell them are taken over unread")
    func decimals() {
        for text in ["0", "1", "-1", "10", "0.1", "-0.5", "123.456", "1.0", "01", "-0", "+1", "1.", ".1", "", "-", "1e3", "0.10", "00"] {
            let isCanonical = Array(text.utf8).withUnsafeBytes { DecimalSpelling.isCanonical($0) }
            let again = DecimalText.decimal(text).map { DecimalText.text($0) }
            if isCanonical { #expect(again == text) }
            #expect(isCanonical == ["0", "1", "-1", "10", "0.1", "-0.5", "123.456"].contains(text), "\(text)")
        }
    }
}
