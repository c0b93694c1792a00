/// Decompresses raw DEFLATE, RFC 1951, without a header, up to a limit.
struct Inflater {
    private let bytes: [UInt8]
    private let limit: Int
    private var position = 0
    private var bits: UInt32 = 0
    private var bitCount = 0
    private var output: [UInt8] = []

    static func inflate(_ bytes: [UInt8], limit: Int) throws(ModelFileError) -> [UInt8] {
        var inflater = Inflater(bytes: bytes, limit: limit)
        while try !inflater.block() {}
        return inflater.output
    }

    private static let damaged = ModelFileError(.malformedCompression, "the compressed bytes are damaged or end early")

    // MARK: - Blocks

    /// Reads a block; returns whether it was the last.
    private mutating func block() throws(ModelFileError) -> Bool {
        let isLast = try take(1) == 1
        switch try take(2) {
        case 0: try stored()
        case 1: try compressed(.fixedLiterals, .fixedDistances)
        case 2:
            let (literals, distances) = try tables()
            try compressed(literals, distances)
        default: throw Inflater.damaged
        }
        return isLast
    }

    private mutating func stored() throws(ModelFileError) {
        (bits, bitCount) = (0, 0)
        guard position + 4 <= bytes.count else { throw Inflater.damaged }
        let length = Int(bytes[position]) | Int(bytes[position + 1]) << 8
        let check = Int(bytes[position + 2]) | Int(bytes[position + 3]) << 8
        position += 4
        guard length == ~check & 0xFFFF, position + length <= bytes.count else { throw Inflater.damaged }
        try reserve(length)
        output += bytes[position..<(position + length)]
        position += length
    }

    static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
    ]
    static let lengthBits = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0]
    static let distanceBases = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289,
        16385, 24577,
    ]

    /// Returns the index of the greatest base that is not above a number.
    static func code(of number: Int, _ bases: [Int]) -> Int { (bases.firstIndex { $0 > number } ?? bases.count) - 1 }

    private mutating func compressed(_ literals: Codes, _ distances: Codes) throws(ModelFileError) {
        while true {
            let symbol = try self.symbol(literals)
            if symbol < 256 {
                try reserve(1)
                output.append(UInt8(symbol))
                continue
            }
            if symbol == 256 { return }
            guard symbol - 257 < Inflater.lengthBases.count else { throw Inflater.damaged }
            let length = Inflater.lengthBases[symbol - 257] + (try take(Inflater.lengthBits[symbol - 257]))
            let code = try self.symbol(distances)
            guard code < Inflater.distanceBases.count else { throw Inflater.damaged }
            let distance = Inflater.distanceBases[code] + (try take(max(0, code / 2 - 1)))
            guard distance <= output.count else { throw Inflater.damaged }
            try reserve(length)
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
    }

    private func reserve(_ count: Int) throws(ModelFileError) {
        guard output.count + count <= limit else {
            throw ModelFileError(.limitExceeded, "the bytes become more than \(limit) when they are decompressed")
        }
    }

    // MARK: - Codes

    /// The numbers of codes of each length, and the symbols in the order of their codes.
    private struct Codes {
        var counts = [Int](repeating: 0, count: 16)
        var symbols: [Int] = []

        init(_ lengths: [Int]) {
            for length in lengths { counts[length] += 1 }
            counts[0] = 0
            for length in 1...15 { symbols += lengths.indices.filter { lengths[$0] == length } }
        }

        /// The codes; throws if there are more of some length than it has.
        init(checking lengths: [Int]) throws(ModelFileError) {
            self.init(lengths)
            var unused = 1
            for count in counts.dropFirst() {
                unused = unused * 2 - count
                if unused < 0 { throw Inflater.damaged }
            }
        }

        static let fixedLiterals = Codes((0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
        static let fixedDistances = Codes([Int](repeating: 5, count: 30))
    }

    private mutating func symbol(_ codes: Codes) throws(ModelFileError) -> Int {
        var (code, first, index) = (0, 0, 0)
        for length in 1...15 {
            code |= try take(1)
            let count = codes.counts[length]
            if code - count < first { return codes.symbols[index + code - first] }
            index += count
            first = (first + count) << 1
            code <<= 1
        }
        throw Inflater.damaged
    }

    private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    private mutating func tables() throws(ModelFileError) -> (Codes, Codes) {
        let (literalCount, distanceCount, lengthCount) = (try take(5) + 257, try take(5) + 1, try take(4) + 4)
        var codeLengths = [Int](repeating: 0, count: 19)
        for index in 0..<lengthCount { codeLengths[Inflater.order[index]] = try take(3) }
        let codes = try Codes(checking: codeLengths)
        var lengths: [Int] = []
        while lengths.count < literalCount + distanceCount {
            switch try symbol(codes) {
            case 16:
                guard let last = lengths.last else { throw Inflater.damaged }
                lengths += [Int](repeating: last, count: try take(2) + 3)
            case 17: lengths += [Int](repeating: 0, count: try take(3) + 3)
            case 18: lengths += [Int](repeating: 0, count: try take(7) + 11)
            case let length: lengths.append(length)
            }
        }
        guard lengths.count == literalCount + distanceCount, lengths[256] > 0 else { throw Inflater.damaged }
        return (try Codes(checking: Array(lengths[..<literalCount])), try Codes(checking: Array(lengths[literalCount...])))
    }

    private mutating func take(_ count: Int) throws(ModelFileError) -> Int {
        while bitCount < count {
            guard position < bytes.count else { throw Inflater.damaged }
            bits |= UInt32(bytes[position]) << UInt32(bitCount)
            position += 1
            bitCount += 8
        }
        let value = Int(bits & (UInt32(1) << UInt32(count) - 1))
        bits >>= UInt32(count)
        bitCount -= count
        return value
    }
}
