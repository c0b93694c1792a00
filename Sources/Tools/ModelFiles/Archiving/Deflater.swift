/// Compresses to raw DEFLATE, RFC 1951, without a header: one block of the fixed codes, with the repetitions that a table of the last occurrence
/// of each three bytes finds.
struct Deflater {
    private var output: [UInt8] = []
    private var bits: UInt64 = 0
    private var bitCount = 0

    static func deflate(_ bytes: [UInt8]) -> [UInt8] {
        var deflater = Deflater()
        // The last block, of the fixed codes.
        deflater.put(0b011, 3)
        deflater.compress(bytes)
        deflater.putLiteral(256)
        if deflater.bitCount > 0 { deflater.put(0, 7) }
        return deflater.output
    }

    private static let window = 32768
    private static let greatestLength = 258
    private static let hashBits = 13

    private mutating func compress(_ bytes: [UInt8]) {
        var last = [Int](repeating: -1, count: 1 << Self.hashBits)
        var index = 0
        while index < bytes.count {
            guard index + 3 <= bytes.count else {
                putLiteral(Int(bytes[index]))
                index += 1
                continue
            }
            let hash = Self.hash(bytes, index)
            let candidate = last[hash]
            last[hash] = index
            let length = candidate >= 0 && index - candidate <= Self.window ? Self.matchLength(bytes, candidate, index) : 0
            guard length >= 3 else {
                putLiteral(Int(bytes[index]))
                index += 1
                continue
            }
            putMatch(length: length, distance: index - candidate)
            for covered in (index + 1)..<(index + length) where covered + 3 <= bytes.count { last[Self.hash(bytes, covered)] = covered }
            index += length
        }
    }

    private static func hash(_ bytes: [UInt8], _ index: Int) -> Int {
        let three = UInt32(bytes[index]) | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2]) << 16
        return Int((three &* 0x9E37_79B1) >> UInt32(32 - hashBits))
    }

    private static func matchLength(_ bytes: [UInt8], _ earlier: Int, _ index: Int) -> Int {
        let most = min(greatestLength, bytes.count - index)
        var length = 0
        while length < most, bytes[earlier + length] == bytes[index + length] { length += 1 }
        return length
    }

    // MARK: - Codes

    private mutating func putMatch(length: Int, distance: Int) {
        let lengthCode = Inflater.code(of: length, Inflater.lengthBases)
        putLiteral(257 + lengthCode)
        put(length - Inflater.lengthBases[lengthCode], Inflater.lengthBits[lengthCode])
        let distanceCode = Inflater.code(of: distance, Inflater.distanceBases)
        putCode(distanceCode, 5)
        put(distance - Inflater.distanceBases[distanceCode], max(0, distanceCode / 2 - 1))
    }

    /// Writes a symbol in the fixed code of literals and lengths.
    private mutating func putLiteral(_ symbol: Int) {
        switch symbol {
        case ..<144: putCode(0x30 + symbol, 8)
        case ..<256: putCode(0x190 + symbol - 144, 9)
        case ..<280: putCode(symbol - 256, 7)
        default: putCode(0xC0 + symbol - 280, 8)
        }
    }

    /// Writes a code, its most significant bit first.
    private mutating func putCode(_ code: Int, _ count: Int) {
        var reversed = 0
        for bit in 0..<count where code >> bit & 1 == 1 { reversed |= 1 << (count - 1 - bit) }
        put(reversed, count)
    }

    private mutating func put(_ value: Int, _ count: Int) {
        bits |= UInt64(value) << UInt64(bitCount)
        bitCount += count
        while bitCount >= 8 {
            output.append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
            bitCount -= 8
        }
    }
}
