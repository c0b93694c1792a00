import StrataModel

/// Core Data's version hashes, computed a second time from the description of the algorithm: as texts and bytes of one
/// message each, with a SHA-256 of its own.
enum ReferenceHash {
    static func property(_ name: String, optional: Bool = true, modifier: String = "", _ rest: [UInt8]) -> [UInt8] {
        sha256(sha256(Array(name.utf8) + [optional ? 1 : 0, 0] + Array(modifier.utf8)) + rest)
    }

    static func attribute(
        _ name: String, _ type: UInt16, optional: Bool = true, modifier: String = "", external: Bool = false, preserved: Bool = false
    ) -> [UInt8] {
        property(
            name, optional: optional, modifier: modifier,
            [UInt8(type % 256), UInt8(type / 256), 0, 0] + (external ? [1] : []) + (preserved ? [1] : []))
    }

    static func relationship(
        _ name: String, to destination: String, inverse: String = "", most: UInt8, least: UInt8 = 0, optional: Bool = true,
        modifier: String = "", ordered: Bool = false
    ) -> [UInt8] {
        property(
            name, optional: optional, modifier: modifier,
            Array((destination + inverse).utf8) + [most, 0, 0, 0, least, 0, 0, 0] + (ordered ? [1, 0] : []))
    }

    /// - Parameter properties: The hashes of all properties, in the order of their names.
    static func entity(
        _ name: String, abstract: Bool = false, parent: [UInt8] = [], _ properties: [[UInt8]], modifier: String = "",
        constraints: String = ""
    ) -> [UInt8] {
        sha256(Array(name.utf8) + [abstract ? 1 : 0] + parent + properties.flatMap(\.self) + Array((modifier + constraints).utf8))
    }

    private static let primes = (2...400).filter { number in !(2..<number).contains { number % $0 == 0 } }
    private static let cubeRoots = primes.prefix(64).map { root($0, cubic: true) }
    private static let squareRoots = primes.prefix(8).map { root($0, cubic: false) }

    /// Returns the first 32 bits of the fraction of a root: of the greatest r with r² ≤ p·2⁶⁴, or r³ ≤ p·2⁹⁶.
    private static func root(_ prime: Int, cubic: Bool) -> UInt32 {
        var (low, high) = (UInt128(0), UInt128(1) << 36)
        let target = UInt128(prime) << (cubic ? 96 : 64)
        while low + 1 < high {
            let middle = (low + high) / 2
            let power = cubic ? middle * middle * middle : middle * middle
            if power <= target { low = middle } else { high = middle }
        }
        return UInt32(truncatingIfNeeded: low)
    }

    /// Returns the digest of FIPS 180-4; its constants are computed.
    static func sha256(_ message: [UInt8]) -> [UInt8] {
        var bytes = message + [0x80]
        while bytes.count % 64 != 56 { bytes.append(0) }
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: (message.count * 8) >> shift)) }
        var state = squareRoots
        func rotated(_ word: UInt32, _ a: UInt32, _ b: UInt32, _ c: UInt32) -> UInt32 {
            [a, b, c].reduce(0) { $0 ^ (word >> $1 | word << (32 - $1)) }
        }
        for start in stride(from: 0, to: bytes.count, by: 64) {
            var w = (0..<16).map { index in (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[start + 4 * index + $1]) } }
            for t in 16..<64 {
                let small0 = rotated(w[t - 15], 7, 18, 0) ^ w[t - 15] ^ (w[t - 15] >> 3)
                let small1 = rotated(w[t - 2], 17, 19, 0) ^ w[t - 2] ^ (w[t - 2] >> 10)
                w.append(w[t - 16] &+ small0 &+ w[t - 7] &+ small1)
            }
            var v = state
            for t in 0..<64 {
                let one = v[7] &+ rotated(v[4], 6, 11, 25) &+ (v[4] & v[5] ^ ~v[4] & v[6]) &+ cubeRoots[t] &+ w[t]
                let two = rotated(v[0], 2, 13, 22) &+ (v[0] & v[1] ^ v[0] & v[2] ^ v[1] & v[2])
                v = [one &+ two, v[0], v[1], v[2], v[3] &+ one, v[4], v[5], v[6]]
            }
            state = zip(state, v).map { $0 &+ $1 }
        }
        return state.flatMap { word in stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) } }
    }
}
