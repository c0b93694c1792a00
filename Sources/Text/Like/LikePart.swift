/// What stands between two stars of a pattern, to be found in bytes: each `?` is one byte of any kind.
struct LikePart {
    /// The number of bytes.
    let count: Int
    /// The longest run without `?`.
    private let run: ByteSearch
    private let runOffset: Int
    /// The bytes, 0 for any, and the bits of each that count; empty where all of it is the run.
    private let bytes: [UInt8]
    private let mask: [UInt8]

    /// - Parameter bytes: The bytes, `nil` for `?`; lowercase where the case of ASCII letters is to be ignored.
    init(_ bytes: [UInt8?], ignoresCase: Bool) {
        count = bytes.count
        let runs = bytes.indices.split { bytes[$0] == nil }
        let longest = runs.max { $0.count < $1.count }
        run = ByteSearch(longest.map { $0.compactMap { bytes[$0] } } ?? [], ignoresCase: ignoresCase)
        runOffset = longest?.startIndex ?? 0
        let isRun = run.needle.count == bytes.count
        self.bytes = isRun ? [] : bytes.map { $0 ?? 0 }
        mask = isRun ? [] : bytes.map { $0 == nil ? 0 : 0xFF }
    }

    /// Whether the bytes at an offset, which must be in bounds with them all, are the part.
    @inline(__always)
    private func holds(_ text: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        let ignoresCase = run.ignoresCase
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe mask.withUnsafeBufferPointer { mask in
                for index in bytes.indices {
                    let byte = unsafe text[offset + index]
                    if unsafe ((ignoresCase ? ASCIIText.lowered(byte) : byte) ^ bytes[index]) & mask[index] != 0 { return false }
                }
                return true
            }
        }
    }

    /// Whether the text begins with the part.
    func isPrefix(of text: UnsafeRawBufferPointer) -> Bool {
        unsafe bytes.isEmpty ? run.isPrefix(of: text) : text.count >= count && holds(text, at: 0)
    }

    /// Whether the text ends with the part.
    func isSuffix(of text: UnsafeRawBufferPointer) -> Bool {
        unsafe bytes.isEmpty ? run.isSuffix(of: text) : text.count >= count && holds(text, at: text.count - count)
    }

    /// Whether the text is the part.
    func isEqual(to text: UnsafeRawBufferPointer) -> Bool { unsafe text.count == count && isPrefix(of: text) }

    /// Where the part occurs first, at `start` or behind.
    ///
    /// - Parameter steps: The number of bytes that may be compared for it; below 0 when it was not enough, and nothing was found.
    /// - Complexity: O(text × part); without `?` O(text + part).
    func find(in text: UnsafeRawBufferPointer, from start: Int, steps: inout Int) -> Int? {
        if bytes.isEmpty { return unsafe run.find(in: text, from: start) }
        var next = start
        while next + count <= text.count {
            guard let found = unsafe run.find(in: text, from: next + runOffset), found - runOffset + count <= text.count else { return nil }
            if unsafe holds(text, at: found - runOffset) { return found - runOffset }
            next = found - runOffset + 1
            steps -= count
            if steps < 0 { return nil }
        }
        return nil
    }
}
