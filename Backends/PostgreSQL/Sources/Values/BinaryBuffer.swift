/// Builds values in the server's binary format: big-endian numbers, and bytes after their length.
struct BinaryBuffer {
    private(set) var bytes: [UInt8] = []

    var count: Int { bytes.count }

    mutating func put(_ number: some FixedWidthInteger) {
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Adds a null.
    mutating func putNull() { put(Int32(-1)) }

    mutating func put(field number: some FixedWidthInteger) {
        put(Int32(number.bitWidth / 8))
        put(number)
    }

    mutating func put(field content: UnsafeRawBufferPointer) {
        put(Int32(truncatingIfNeeded: content.count))
        unsafe bytes.append(contentsOf: content)
    }

    mutating func put(field content: [UInt8]) {
        put(Int32(truncatingIfNeeded: content.count))
        bytes += content
    }

    mutating func put(raw content: [UInt8]) { bytes += content }

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
}
