/// Tests of texts in UTF-8 for ASCII, eight bytes at a time.
public enum ASCIIText {
    static let ones: UInt64 = 0x0101_0101_0101_0101
    @usableFromInline static var highBits: UInt64 { 0x8080_8080_8080_8080 }

    /// Returns whether all bytes are ASCII.
    @inlinable @inline(__always)
    public static func isASCII(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let base = text.baseAddress else { return true }
        var seen: UInt64 = 0
        var offset = 0
        if text.count >= 8 {
            while offset + 8 <= text.count {
                unsafe seen |= word(base, offset)
                if seen & highBits != 0 { return false }
                offset += 8
            }
            return unsafe word(base, text.count - 8) & highBits == 0
        }
        while offset < text.count {
            unsafe seen |= UInt64(text[offset])
            offset += 1
        }
        return seen & highBits == 0
    }

    static let allLetters: UInt32 = (1 << 26) - 1

    /// Returns the lower-case letters among some bytes, a bit each from `a` on.
    public static func letters(of bytes: [UInt8]) -> UInt32 {
        bytes.reduce(0) { 0x61...0x7A ~= $1 ? $0 | 1 << UInt32($1 - 0x61) : $0 }
    }

    /// Returns the end of the run of ASCII that begins at an offset.
    @inline(__always)
    static func endOfASCII(_ text: UnsafeRawBufferPointer, from start: Int) -> Int {
        guard let base = text.baseAddress else { return 0 }
        var offset = start
        while offset + 8 <= text.count {
            let high = unsafe word(base, offset) & highBits
            if high != 0 { return offset + high.trailingZeroBitCount >> 3 }
            offset += 8
        }
        while offset < text.count, unsafe text[offset] < 0x80 { offset += 1 }
        return offset
    }

    /// Lowercases the letters from an offset on; all bytes there must be ASCII.
    static func lowerLetters(of text: UnsafeMutableRawBufferPointer, from start: Int) {
        guard let base = text.baseAddress else { return }
        var offset = start
        while offset + 8 <= text.count {
            unsafe base.storeBytes(of: lowered(word(UnsafeRawPointer(base), offset)).littleEndian, toByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        while offset < text.count {
            unsafe text[offset] = lowered(text[offset])
            offset += 1
        }
    }

    @inlinable @inline(__always)
    static func word(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        unsafe UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Returns eight bytes with ASCII letters in lowercase.
    @inline(__always)
    static func lowered(_ word: UInt64) -> UInt64 {
        let heptets = word & ~highBits
        let capitals = ((heptets &+ ones &* (0x80 - 0x41)) ^ (heptets &+ ones &* (0x7F - 0x5A))) & highBits & ~word
        return word | capitals >> 2
    }

    @inline(__always)
    static func lowered(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    /// Returns whether `count` bytes equal the needle, which is lowercase if case is ignored.
    @inline(__always)
    static func equal(_ text: UnsafeRawPointer, _ needle: UnsafeRawPointer, _ count: Int, ignoringCase: Bool) -> Bool {
        var offset = 0
        while offset + 8 <= count {
            let bytes = unsafe word(text, offset)
            if unsafe (ignoringCase ? lowered(bytes) : bytes) != word(needle, offset) { return false }
            offset += 8
        }
        while offset < count {
            let byte = unsafe text.load(fromByteOffset: offset, as: UInt8.self)
            if unsafe (ignoringCase ? lowered(byte) : byte) != needle.load(fromByteOffset: offset, as: UInt8.self) { return false }
            offset += 1
        }
        return true
    }
}
