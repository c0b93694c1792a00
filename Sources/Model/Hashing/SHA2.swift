/// The SHA-256 and SHA-512 digests of FIPS 180-4, for version hashes and the digests of Core Data's metadata.
///
/// They name versions, they guard no secret; so a model does not drag a cryptography package into every program that has one.
public enum SHA2 {
    /// The 32 bytes of SHA-256.
    public static func digest256(_ message: [UInt8]) -> [UInt8] {
        digest(message, block: 64, lengthBytes: 8, constants: constants256, initial: initial256, shifts: shifts256)
    }

    /// The 64 bytes of SHA-512.
    public static func digest512(_ message: [UInt8]) -> [UInt8] {
        digest(message, block: 128, lengthBytes: 16, constants: constants512, initial: initial512, shifts: shifts512)
    }

    private typealias Shifts = (a: (Int, Int, Int), e: (Int, Int, Int), w0: (Int, Int, Int), w1: (Int, Int, Int))
    private static let shifts256: Shifts = ((2, 13, 22), (6, 11, 25), (7, 18, 3), (17, 19, 10))
    private static let shifts512: Shifts = ((28, 34, 39), (14, 18, 41), (1, 8, 7), (19, 61, 6))

    /// The fractional parts of the cube roots of the first 80 primes; SHA-256 takes the upper halves of the first 64.
    private static let constants512: [UInt64] = primes(80).map { fraction(of: $0, root: 3) }
    private static let constants256: [UInt32] = constants512.prefix(64).map { UInt32($0 >> 32) }
    private static let initial512: [UInt64] = primes(8).map { fraction(of: $0, root: 2) }
    private static let initial256: [UInt32] = initial512.map { UInt32($0 >> 32) }

    private static func digest<Word: FixedWidthInteger & UnsignedInteger>(
        _ message: [UInt8], block: Int, lengthBytes: Int, constants: [Word], initial: [Word], shifts: Shifts
    ) -> [UInt8] {
        var padded = message
        padded.append(0x80)
        while padded.count % block != block - lengthBytes { padded.append(0) }
        padded.append(contentsOf: repeatElement(0, count: lengthBytes - 8))
        withUnsafeBytes(of: (UInt64(message.count) * 8).bigEndian) { padded.append(contentsOf: $0) }

        let size = Word.bitWidth / 8
        func rotate(_ x: Word, _ n: Int) -> Word { (x >> Word(n)) | (x << Word(Word.bitWidth - n)) }
        func big(_ x: Word, _ s: (Int, Int, Int)) -> Word { rotate(x, s.0) ^ rotate(x, s.1) ^ rotate(x, s.2) }
        func small(_ x: Word, _ s: (Int, Int, Int)) -> Word { rotate(x, s.0) ^ rotate(x, s.1) ^ (x >> Word(s.2)) }

        var hash = initial
        var w = [Word](repeating: 0, count: constants.count)
        for start in stride(from: 0, to: padded.count, by: block) {
            for t in 0..<16 {
                w[t] = padded[(start + t * size)..<(start + (t + 1) * size)].reduce(0) { $0 << 8 | Word($1) }
            }
            for t in 16..<w.count {
                w[t] = small(w[t - 2], shifts.w1) &+ w[t - 7] &+ small(w[t - 15], shifts.w0) &+ w[t - 16]
            }
            var s = hash
            for t in 0..<w.count {
                let t1 = s[7] &+ big(s[4], shifts.e) &+ ((s[4] & s[5]) ^ (~s[4] & s[6])) &+ constants[t] &+ w[t]
                let t2 = big(s[0], shifts.a) &+ ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]))
                s = [t1 &+ t2, s[0], s[1], s[2], s[3] &+ t1, s[4], s[5], s[6]]
            }
            for i in 0..<8 { hash[i] &+= s[i] }
        }
        return hash.flatMap { word in (0..<size).map { UInt8(truncatingIfNeeded: word >> Word((size - 1 - $0) * 8)) } }
    }

    private static func primes(_ count: Int) -> [UInt64] {
        var found: [UInt64] = []
        var candidate: UInt64 = 2
        while found.count < count {
            if found.allSatisfy({ candidate % $0 != 0 }) { found.append(candidate) }
            candidate += 1
        }
        return found
    }

    /// The first 64 bits of the fractional part of a root, by bisection over exact integers.
    private static func fraction(of prime: UInt64, root: Int) -> UInt64 {
        // Seeks the greatest x with x^root <= prime * 2^(64 root), x < 2^68; the low 64 bits of x are the fraction.
        var x = Wide(0)
        for bit in stride(from: 67, through: 0, by: -1) {
            let candidate = x.setting(bit)
            var power = candidate
            for _ in 1..<root { power = power.times(candidate) }
            if power.isAtMost(prime, shiftedBy: 64 * root) { x = candidate }
        }
        return x.low64
    }

    /// A natural number of up to 256 bits, in 32-bit limbs.
    private struct Wide {
        var limbs: [UInt64]

        init(_ low: UInt64) { limbs = [low & 0xFFFF_FFFF, low >> 32] + [UInt64](repeating: 0, count: 6) }

        var low64: UInt64 { limbs[0] | limbs[1] << 32 }

        func setting(_ bit: Int) -> Wide {
            var copy = self
            copy.limbs[bit / 32] |= 1 << UInt64(bit % 32)
            return copy
        }

        func times(_ other: Wide) -> Wide {
            var out = Wide(0)
            for i in 0..<8 {
                var carry: UInt64 = 0
                for j in 0..<(8 - i) {
                    let sum = out.limbs[i + j] + limbs[i] * other.limbs[j] + carry
                    out.limbs[i + j] = sum & 0xFFFF_FFFF
                    carry = sum >> 32
                }
            }
            return out
        }

        func isAtMost(_ number: UInt64, shiftedBy bits: Int) -> Bool {
            var bound = Wide(0)
            bound.limbs[bits / 32] = number & 0xFFFF_FFFF
            for (mine, its) in zip(limbs, bound.limbs).reversed() where mine != its { return mine < its }
            return true
        }
    }
}
