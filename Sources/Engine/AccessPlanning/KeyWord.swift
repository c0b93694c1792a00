/// Words that are ordered as the contents of slots.
public enum KeyWord {
    /// Returns the word of a number.
    @inlinable
    public static func of(_ number: Int64) -> UInt64 { UInt64(bitPattern: number) ^ (1 << 63) }

    /// Returns the word of a number: zero and minus zero are one, and a NaN follows all others.
    @inlinable
    public static func of(_ number: Double) -> UInt64 {
        if number.isNaN { return .max }
        if number == 0 { return 1 << 63 }
        let bits = number.bitPattern
        return bits >> 63 == 0 ? bits | (1 << 63) : ~bits
    }

    /// Returns a word of the first seven bytes, and the number of bytes up to eight.
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var word: UInt64 = 0
        if bytes.count >= 8 {
            word = unsafe UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) & ~0xFF
        } else {
            for index in bytes.indices { word |= unsafe UInt64(bytes[index]) << UInt64(56 - index * 8) }
        }
        return word | UInt64(min(bytes.count, 8) + 1)
    }
}
