/// Packs values one after the other: integers as 8 bytes, texts and bytes behind a 4-byte length.
struct RecordWriter {
    private(set) var bytes: [UInt8] = []

    mutating func reset() { bytes.removeAll(keepingCapacity: true) }

    mutating func put(_ value: Int64) { withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) } }

    mutating func put(_ value: Double) { put(Int64(bitPattern: value.bitPattern)) }

    mutating func put(_ value: String) {
        var value = value
        value.withUTF8 { put(UnsafeRawBufferPointer($0)) }
    }

    mutating func put(_ value: String?) {
        guard let value else { return length(.max) }
        put(value)
    }

    mutating func put(_ value: [UInt8]) { value.withUnsafeBytes { put($0) } }

    private mutating func put(_ value: UnsafeRawBufferPointer) {
        length(UInt32(value.count))
        bytes.append(contentsOf: value)
    }

    private mutating func length(_ length: UInt32) { withUnsafeBytes(of: length) { bytes.append(contentsOf: $0) } }
}

/// Reads what `RecordWriter` packed, in the same order.
struct RecordReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func integer() -> Int64 {
        defer { position += 8 }
        return bytes.loadUnaligned(fromByteOffset: position, as: Int64.self)
    }

    mutating func double() -> Double { Double(bitPattern: UInt64(bitPattern: integer())) }

    mutating func text() -> String { String(decoding: block() ?? UnsafeRawBufferPointer(start: nil, count: 0), as: UTF8.self) }

    mutating func optionalText() -> String? { block().map { String(decoding: $0, as: UTF8.self) } }

    mutating func array() -> [UInt8] { block().map { Array($0) } ?? [] }

    /// The bytes of a text in place.
    mutating func block() -> UnsafeRawBufferPointer? {
        let length = bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)
        position += 4
        guard length != .max else { return nil }
        defer { position += Int(length) }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + Int(length)])
    }
}
