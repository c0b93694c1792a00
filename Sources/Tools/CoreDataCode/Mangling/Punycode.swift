/// Identifiers beyond ASCII in symbols: Punycode with letters for digits, and a range for invalid characters.
enum Punycode {
    static func encode(_ text: String) -> String {
        let points = text.unicodeScalars.map { scalar -> UInt32 in
            scalar.isASCII && !isPlain(scalar) ? scalar.value + 0xD800 : scalar.value
        }
        let basic = points.filter { $0 < 0x80 }
        var output = String(String.UnicodeScalarView(basic.compactMap(Unicode.Scalar.init)))
        if !basic.isEmpty { output += "_" }
        var point: UInt32 = 0x80
        var delta = 0
        var bias = 72
        var handled = basic.count
        while handled < points.count, let next = points.filter({ $0 >= point }).min() {
            delta += Int(next - point) * (handled + 1)
            point = next
            for value in points {
                if value < point { delta += 1 }
                guard value == point else { continue }
                var rest = delta
                var position = 36
                while true {
                    let threshold = position <= bias ? 1 : position >= bias + 26 ? 26 : position - bias
                    if rest < threshold { break }
                    output.unicodeScalars.append(digit(threshold + (rest - threshold) % (36 - threshold)))
                    rest = (rest - threshold) / (36 - threshold)
                    position += 36
                }
                output.unicodeScalars.append(digit(rest))
                bias = adapted(delta, handled + 1, isFirst: handled == basic.count)
                delta = 0
                handled += 1
            }
            delta += 1
            point += 1
        }
        return output
    }

    private static func adapted(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var position = 0
        while delta > 455 {
            delta /= 35
            position += 36
        }
        return position + 36 * delta / (delta + 38)
    }

    private static func digit(_ value: Int) -> Unicode.Scalar {
        Unicode.Scalar(value < 26 ? UInt8(ascii: "a") + UInt8(value) : UInt8(ascii: "A") + UInt8(value - 26))
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isASCIIHexDigit || scalar == "_" || scalar == "$" || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }
}
