/// The part between two stars of a pattern, which is searched for in bytes: each `?` is one byte of any value.
struct LikePart {
    let count: Int
    /// The longest run without `?`.
    private let run: ByteSearch
    private let runOffset: Int
    /// The bytes, 0 for any, and the significant bits of each; empty if the run is all of it.
    private let bytes: [UInt8]
    private let mask: [UInt8]

    /// - Parameter bytes: The bytes, `nil` for `?`; lowercase if the case of ASCII letters is ignored.
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

    /// Returns whether the bytes at an offset, all in bounds, are the part.
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

    func isPrefix(of text: UnsafeRawBufferPointer) -> Bool {
        unsafe bytes.isEmpty ? run.isPrefix(of: text) : text.count >= count && holds(text, at: 0)
    }

    func isSuffix(of text: UnsafeRawBufferPointer) -> Bool {
        unsafe bytes.isEmpty ? run.isSuffix(of: text) : text.count >= count && holds(text, at: text.count - count)
    }

    func isEqual(to text: UnsafeRawBufferPointer) -> Bool { unsafe text.count == count && isPrefix(of: text) }

    /// Returns the offset of the first occurrence from `start` on.
    ///
    /// - Parameter steps: The remaining number of byte comparisons; below 0 if they were not enough.
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
