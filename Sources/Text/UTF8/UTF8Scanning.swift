/// Decoding of UTF-8 that may be malformed, in both directions; every malformed byte is U+FFFD.
extension UnsafeBufferPointer<UInt8> {
    /// Returns the scalar that begins at an offset and the number of its bytes; the offset must be in bounds.
    @inline(__always)
    func scalar(at offset: Int) -> (value: UInt32, count: Int) {
        let first = unsafe UInt32(self[offset])
        return unsafe first < 0x80 ? (first, 1) : wideScalar(at: offset)
    }

    /// Returns the scalar that ends before an offset and the number of its bytes; the offset must be above 0.
    @inline(__always)
    func scalar(before offset: Int) -> (value: UInt32, count: Int) {
        let last = unsafe UInt32(self[offset - 1])
        if last < 0x80 { return (last, 1) }
        for length in 2...4 where length <= offset {
            if unsafe self[offset - length] & 0xC0 == 0x80 { continue }
            let found = unsafe wideScalar(at: offset - length)
            if found.count == length { return found }
            break
        }
        return (0xFFFD, 1)
    }

    private func wideScalar(at offset: Int) -> (value: UInt32, count: Int) {
        let malformed = (value: UInt32(0xFFFD), count: 1)
        let first = unsafe UInt32(self[offset])
        func tail(_ index: Int) -> UInt32? {
            guard offset + index < count, unsafe self[offset + index] & 0xC0 == 0x80 else { return nil }
            return unsafe UInt32(self[offset + index] & 0x3F)
        }
        switch first {
        case 0xC2...0xDF:
            guard let a = tail(1) else { return malformed }
            return ((first & 0x1F) << 6 | a, 2)
        case 0xE0...0xEF:
            guard let a = tail(1), let b = tail(2) else { return malformed }
            let value = (first & 0x0F) << 12 | a << 6 | b
            return value < 0x800 || 0xD800...0xDFFF ~= value ? malformed : (value, 3)
        case 0xF0...0xF4:
            guard let a = tail(1), let b = tail(2), let c = tail(3) else { return malformed }
            let value = (first & 0x07) << 18 | a << 12 | b << 6 | c
            return value < 0x10000 || value > 0x10FFFF ? malformed : (value, 4)
        default: return malformed
        }
    }
}
