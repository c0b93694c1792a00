/// Collects numbers and texts as the bytes of a section.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func put(_ byte: UInt8) { bytes.append(byte) }

    mutating func put<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func put(_ source: some Collection<UInt8>) { bytes.append(contentsOf: source) }

    /// Puts a text behind its length.
    mutating func put(text: String) {
        put(UInt32(truncatingIfNeeded: text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// Puts zeros up to a multiple of eight.
    mutating func pad() {
        while bytes.count & 7 != 0 { bytes.append(0) }
    }
}
