/// A truncated or malformed sequence of bytes.
public struct MalformedBytes: Error, Sendable {
    /// Creates the error, without details: the caller knows the file, and throws `corrupt`.
    public init() {}
}

/// Reads the bytes of a ``ByteWriter``, which may be malformed: reads are bounds-checked.
// Safe: reads are bounds-checked, and the creator ensures the lifetime of the bytes.
@frozen
@safe public struct ByteReader<Length: FixedWidthInteger & Sendable> {
    @usableFromInline let bytes: UnsafeRawBufferPointer
    @usableFromInline var position = 0

    /// How many bytes were read.
    @inlinable public var offset: Int { position }

    /// Creates a reader of bytes, which must outlive it.
    @inlinable
    public init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

    /// Creates a reader of bytes of ``ByteWriter/sealed(as:)``, which must outlive it.
    ///
    /// - Throws: ``MalformedBytes`` where the checksum is another.
    public init<Checksum: FixedWidthInteger>(sealed: UnsafeRawBufferPointer, as _: Checksum.Type) throws(MalformedBytes) {
        let count = sealed.count - MemoryLayout<Checksum>.size
        guard count >= 0 else { throw MalformedBytes() }
        unsafe bytes = UnsafeRawBufferPointer(rebasing: sealed[..<count])
        let checksum = unsafe Checksum(littleEndian: sealed.loadUnaligned(fromByteOffset: count, as: Checksum.self))
        guard unsafe checksum == Checksum(truncatingIfNeeded: CRC32C.checksum(of: bytes)) else { throw MalformedBytes() }
    }

    /// How many bytes are left.
    @inlinable public var left: Int { unsafe bytes.count - position }

    /// Whether nothing is left.
    @inlinable public var isAtEnd: Bool { left == 0 }

    /// Reads a number.
    ///
    /// - Throws: ``MalformedBytes`` where the bytes end before it does.
    @inlinable
    public mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) throws(MalformedBytes) -> Number {
        guard left >= MemoryLayout<Number>.size else { throw MalformedBytes() }
        let number = unsafe Number(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Number.self))
        position += MemoryLayout<Number>.size
        return number
    }

    /// Reads a byte.
    ///
    /// - Throws: ``MalformedBytes`` at the end.
    @inlinable
    public mutating func byte() throws(MalformedBytes) -> UInt8 { try number() }

    /// Reads an optional number.
    ///
    /// - Throws: ``MalformedBytes`` for truncated or malformed bytes.
    @inlinable
    public mutating func optional() throws(MalformedBytes) -> Int64? {
        switch try number(Length.self) {
        case 0: return nil
        case 1: return try number()
        default: throw MalformedBytes()
        }
    }

    /// Reads how many things follow, each of which takes so many bytes at least.
    ///
    /// - Throws: ``MalformedBytes`` where so many do not fit into what is left.
    @inlinable
    public mutating func count(ofSize size: Int = 1) throws(MalformedBytes) -> Int {
        guard let count = Int(exactly: try number(Length.self)), count >= 0, count <= left / size else { throw MalformedBytes() }
        return count
    }

    /// Reads a number that is written as a count but is an index: nothing follows for it.
    ///
    /// - Throws: ``MalformedBytes`` where it is negative, or the bytes end before it does.
    @inlinable
    public mutating func index() throws(MalformedBytes) -> Int {
        guard let index = Int32(exactly: try number(Length.self)), index >= 0 else { throw MalformedBytes() }
        return Int(index)
    }

    /// Reads some bytes, in place.
    ///
    /// - Throws: ``MalformedBytes`` if there are not as many left.
    @inlinable
    public mutating func take(_ count: Int) throws(MalformedBytes) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= left else { throw MalformedBytes() }
        defer { position += count }
        return unsafe UnsafeRawBufferPointer(rebasing: bytes[position..<(position + count)])
    }

    /// Reads bytes after their length, in place.
    ///
    /// - Throws: ``MalformedBytes`` if the length exceeds the rest.
    @inlinable
    public mutating func content() throws(MalformedBytes) -> UnsafeRawBufferPointer { try unsafe take(count()) }

    /// Reads a text behind its length.
    ///
    /// - Throws: ``MalformedBytes`` also where it is no UTF-8.
    @inlinable
    public mutating func text() throws(MalformedBytes) -> String {
        guard let text = unsafe String(validating: try content(), as: UTF8.self) else { throw MalformedBytes() }
        return text
    }

    /// Checks that nothing is left but the zeros that ``ByteWriter/pad()`` writes.
    ///
    /// - Throws: ``MalformedBytes`` where anything else is left.
    @inlinable
    public func end() throws(MalformedBytes) {
        guard left < 8, unsafe bytes[position...].allSatisfy({ $0 == 0 }) else { throw MalformedBytes() }
    }
}
