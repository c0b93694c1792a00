import StrataPlatform

/// Distinguishes the private declarations of a file in symbols: the MD5 digest of the module's and the file's names.
enum FileDiscriminator {
    static func text(module: String, file: String) -> String {
        let digest = digest(Array((module + file).utf8))
        return "_" + digest.map { (String($0, radix: 16).count < 2 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }

    private static let shifts: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]

    /// The integer parts of 2³² times the absolute sines of 1 to 64.
    private static let sines = (1...64).map { UInt32(abs(sin(Double($0))) * 0x1p32) }

    private static func digest(_ message: [UInt8]) -> [UInt8] {
        var bytes = message + [0x80]
        while bytes.count % 64 != 56 { bytes.append(0) }
        let length = UInt64(message.count) * 8
        for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: length >> (8 * UInt64(shift)))) }
        var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476]
        for start in stride(from: 0, to: bytes.count, by: 64) {
            let block = (0..<16).map { word in (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[start + word * 4 + $1]) << UInt32(8 * $1) } }
            var (a, b, c, d) = (state[0], state[1], state[2], state[3])
            for round in 0..<64 {
                let mixed: UInt32
                let word: Int
                switch round / 16 {
                case 0: (mixed, word) = ((b & c) | (~b & d), round)
                case 1: (mixed, word) = ((d & b) | (~d & c), (5 * round + 1) % 16)
                case 2: (mixed, word) = (b ^ c ^ d, (3 * round + 5) % 16)
                default: (mixed, word) = (c ^ (b | ~d), 7 * round % 16)
                }
                let sum = a &+ mixed &+ sines[round] &+ block[word]
                let shift = shifts[round / 16][round % 4]
                (a, d, c, b) = (d, c, b, b &+ (sum << shift | sum >> (32 - shift)))
            }
            state = zip(state, [a, b, c, d]).map { $0 &+ $1 }
        }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(8 * $0)) } }
    }
}
