/// A search for a sequence of bytes, with or without regard to the case of ASCII letters.
public struct ByteSearch {
    /// The bytes that are searched for.
    public let needle: [UInt8]
    let ignoresCase: Bool
    /// The needle's first and last byte, eight times each, and the bits in which a letter's two cases differ.
    private let first: UInt64
    private let last: UInt64
    private let firstCase: UInt64
    private let lastCase: UInt64

    /// Creates a search; a needle whose case is ignored must be in lower case.
    public init(_ needle: [UInt8], ignoresCase: Bool) {
        self.needle = needle
        self.ignoresCase = ignoresCase
        func spread(_ byte: UInt8?) -> UInt64 { UInt64(byte ?? 0) &* ASCIIText.ones }
        func caseBits(_ byte: UInt8?) -> UInt64 { ignoresCase && byte.map { 0x61...0x7A ~= $0 } == true ? 0x20 &* ASCIIText.ones : 0 }
        (first, last) = (spread(needle.first), spread(needle.last))
        (firstCase, lastCase) = (caseBits(needle.first), caseBits(needle.last))
    }

    /// Returns whether the text begins with the needle.
    @inline(__always)
    public func isPrefix(of text: UnsafeRawBufferPointer) -> Bool { unsafe text.count >= needle.count && isNeedle(text, at: 0) }

    /// Returns whether the text ends with the needle.
    @inline(__always)
    public func isSuffix(of text: UnsafeRawBufferPointer) -> Bool {
        unsafe text.count >= needle.count && isNeedle(text, at: text.count - needle.count)
    }

    /// Returns whether the text is the needle.
    @inline(__always)
    public func isEqual(to text: UnsafeRawBufferPointer) -> Bool { unsafe text.count == needle.count && isNeedle(text, at: 0) }

    @inline(__always)
    private func isNeedle(_ text: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        guard let base = text.baseAddress else { return needle.isEmpty }
        return unsafe needle.withUnsafeBytes { needle in
            guard let start = needle.baseAddress else { return true }
            return unsafe ASCIIText.equal(base + offset, start, needle.count, ignoringCase: ignoresCase)
        }
    }

    /// Returns the offset of the first occurrence of the needle at or after `start`.
    ///
    /// - Complexity: O(text + needle); allocates only for texts with many near matches.
    public func find(in text: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
        guard let base = text.baseAddress, !needle.isEmpty else { return needle.isEmpty ? start : nil }
        let lastStart = text.count - needle.count
        if lastStart < start { return nil }
        let span = needle.count - 1
        /// The number of failed comparisons before the search switches to an algorithm that compares each byte once.
        var budget = text.count &* 4 &+ 256
        var offset = start
        while offset <= lastStart {
            // The last eight offsets may overlap the ones before; a text too short for eight is searched byte by byte.
            if lastStart - start >= 7 {
                offset = min(offset, lastStart - 7)
                let differences =
                    unsafe ((ASCIIText.word(base, offset) | firstCase) ^ first) | ((ASCIIText.word(base, offset + span) | lastCase) ^ last)
                var candidates = (differences &- ASCIIText.ones) & ~differences & ASCIIText.highBits
                while candidates != 0 {
                    let match = offset + candidates.trailingZeroBitCount >> 3
                    if unsafe isNeedle(text, at: match) { return match }
                    budget -= needle.count
                    candidates &= candidates - 1
                }
                offset += 8
            } else {
                if unsafe isNeedle(text, at: offset) { return offset }
                budget -= needle.count
                offset += 1
            }
            if budget < 0 { return unsafe findWithoutReturning(in: text, from: min(offset, lastStart + 1)) }
        }
        return nil
    }

    /// Returns the algorithm of Knuth, Morris and Pratt.
    private func findWithoutReturning(in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var borders = [Int](repeating: 0, count: needle.count)
        var length = 0
        for index in needle.indices.dropFirst() {
            while length > 0 && needle[index] != needle[length] { length = borders[length - 1] }
            if needle[index] == needle[length] { length += 1 }
            borders[index] = length
        }
        var matched = 0
        for index in start..<text.count {
            let byte = unsafe ignoresCase ? ASCIIText.lowered(text[index]) : text[index]
            while matched > 0 && byte != needle[matched] { matched = borders[matched - 1] }
            if byte == needle[matched] { matched += 1 }
            if matched == needle.count { return index - matched + 1 }
        }
        return nil
    }
}
