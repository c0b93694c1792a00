import FoundationEssentials

/// Reads and writes binary property lists, which distinguish integers from floating-point numbers: a typed decoder
/// makes an integer of every whole number.
///
/// A list consists of objects, a table of their offsets, and a trailer of 32 bytes; all numbers are big-endian.
// Safe: accesses are bounds-checked, and it does not outlive the bytes.
@safe public struct BinaryPropertyList {
    /// A value of a list.
    public typealias Value = PropertyListValue

    private static let magic = Array("bplist00".utf8)

    private let bytes: UnsafeRawBufferPointer
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let table: Int
    /// The number of objects that may still be visited: a list may reference an object many times.
    private var budget: Int
    /// Texts and bytes are decoded once, however often they are referenced.
    private var known: [Int: Value] = [:]

    /// Returns the value of a list; `nil` where the bytes are no list of the kind.
    ///
    /// - Parameters:
    ///   - bytes: The whole list.
    ///   - nesting: The maximum nesting of arrays and dictionaries.
    ///   - values: The maximum number of values, with repetitions; never more than eight for each byte.
    /// - Throws: ``DamagedPropertyList`` if the list is malformed, or exceeds these limits.
    public static func value(
        _ bytes: UnsafeRawBufferPointer, nesting: Int, values: Int = .max
    ) throws(DamagedPropertyList) -> Value? {
        guard unsafe bytes.starts(with: magic) else { return nil }
        guard bytes.count >= 40 else { throw DamagedPropertyList() }
        var list = try unsafe BinaryPropertyList(bytes)
        list.budget = min(list.budget, values)
        return try list.value(of: list.number(at: bytes.count - 16, size: 8), nesting: nesting)
    }

    /// Returns the value of a list, within the limits of ``value(_:nesting:values:)``; `nil` where the bytes are no list of
    /// the kind, or a malformed one.
    public static func value(in bytes: [UInt8], nesting: Int, values: Int = .max) -> Value? {
        unsafe bytes.withUnsafeBytes { try? unsafe value($0, nesting: nesting, values: values) }
    }

    private init(_ bytes: UnsafeRawBufferPointer) throws(DamagedPropertyList) {
        unsafe self.bytes = bytes
        let trailer = bytes.count - 32
        (offsetSize, referenceSize) = unsafe (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
        objectCount = try unsafe BinaryPropertyList.number(bytes, at: trailer + 8, size: 8)
        table = try unsafe BinaryPropertyList.number(bytes, at: trailer + 24, size: 8)
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), table <= trailer, objectCount <= (trailer - table) / offsetSize
        else { throw DamagedPropertyList() }
        budget = bytes.count * 8
    }

    private mutating func value(of object: Int, nesting: Int) throws(DamagedPropertyList) -> Value {
        budget -= 1
        guard object < objectCount, budget > 0 else { throw DamagedPropertyList() }
        let offset = try number(at: table + object * offsetSize, size: offsetSize)
        guard offset < table else { throw DamagedPropertyList() }
        let (kind, size) = unsafe (bytes[offset] >> 4, Int(bytes[offset] & 15))
        if let value = known[object] { return value }
        switch kind {
        case 0 where size == 8 || size == 9: return .bool(size == 9)
        case 1 where size <= 3: return .int(try integer(at: offset + 1, size: 1 << size))
        case 1 where size == 4: return try wide(at: offset + 1)
        case 2 where size == 2: return .double(Double(Float(bitPattern: UInt32(try number(at: offset + 1, size: 4)))))
        case 2 where size == 3: return .double(try double(at: offset + 1))
        case 3 where size == 3: return .date(Date(timeIntervalSinceReferenceDate: try double(at: offset + 1)))
        case 4:
            let (start, count) = try content(offset, size, width: 1)
            return unsafe remember(object, .data(Data(bytes[start..<(start + count)])))
        case 5, 6: return remember(object, .string(try text(offset, size, isWide: kind == 6)))
        case 8 where size < 8: return .uid(try number(at: offset + 1, size: size + 1))
        case 10, 13:
            guard nesting > 0 else { throw DamagedPropertyList() }
            return kind == 10 ? try array(offset, size, nesting) : try dictionary(offset, size, nesting)
        default: throw DamagedPropertyList()
        }
    }

    private mutating func remember(_ object: Int, _ value: Value) -> Value {
        known[object] = value
        return value
    }

    private mutating func array(_ offset: Int, _ size: Int, _ nesting: Int) throws(DamagedPropertyList) -> Value {
        let (start, count) = try content(offset, size, width: referenceSize)
        var values: [Value] = []
        for index in 0..<count { values.append(try value(of: reference(start, index), nesting: nesting - 1)) }
        return .array(values)
    }

    private mutating func dictionary(_ offset: Int, _ size: Int, _ nesting: Int) throws(DamagedPropertyList) -> Value {
        let (start, count) = try content(offset, size, width: 2 * referenceSize)
        var values: [String: Value] = [:]
        for index in 0..<count {
            guard case .string(let key) = try value(of: reference(start, index), nesting: 0) else { throw DamagedPropertyList() }
            values[key] = try value(of: reference(start, count + index), nesting: nesting - 1)
        }
        return .dictionary(values)
    }

    private func reference(_ start: Int, _ index: Int) throws(DamagedPropertyList) -> Int {
        try number(at: start + index * referenceSize, size: referenceSize)
    }

    /// Returns the offset of an object's content, and its number of items, which is in the marker or after it.
    private func content(_ offset: Int, _ size: Int, width: Int) throws(DamagedPropertyList) -> (start: Int, count: Int) {
        var (start, count) = (offset + 1, size)
        if size == 15 {
            guard start < table, unsafe bytes[start] >> 4 == 1, unsafe bytes[start] & 15 <= 3 else { throw DamagedPropertyList() }
            let size = unsafe 1 << Int(bytes[start] & 15)
            count = try number(at: start + 1, size: size)
            start += 1 + size
        }
        guard start <= table, count <= (table - start) / width else { throw DamagedPropertyList() }
        return (start, count)
    }

    private func text(_ offset: Int, _ size: Int, isWide: Bool) throws(DamagedPropertyList) -> String {
        let (start, count) = try content(offset, size, width: isWide ? 2 : 1)
        if !isWide { return unsafe String(decoding: bytes[start..<(start + count)], as: UTF8.self) }
        let units = (0..<count).map { unsafe UInt16(bytes[start + 2 * $0]) << 8 | UInt16(bytes[start + 2 * $0 + 1]) }
        return String(decoding: units, as: UTF16.self)
    }

    // MARK: - Numbers

    /// Returns an integer, which may be negative if it has eight bytes.
    private func integer(at offset: Int, size: Int) throws(DamagedPropertyList) -> Int64 {
        if size < 8 { return Int64(try number(at: offset, size: size)) }
        return Int64(bitPattern: try word(at: offset))
    }

    /// Returns an integer of sixteen bytes, which is above the greatest signed integer.
    private func wide(at offset: Int) throws(DamagedPropertyList) -> Value {
        let (high, low) = (try word(at: offset), try word(at: offset + 8))
        guard high == 0 else { throw DamagedPropertyList() }
        return Int64(exactly: low).map { .int($0) } ?? .double(Double(low))
    }

    private func double(at offset: Int) throws(DamagedPropertyList) -> Double { Double(bitPattern: try word(at: offset)) }

    private func word(at offset: Int) throws(DamagedPropertyList) -> UInt64 {
        guard offset >= 0, unsafe offset <= bytes.count - 8 else { throw DamagedPropertyList() }
        return unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    private func number(at offset: Int, size: Int) throws(DamagedPropertyList) -> Int {
        try unsafe Self.number(bytes, at: offset, size: size)
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, at offset: Int, size: Int) throws(DamagedPropertyList) -> Int {
        guard offset >= 0, size <= bytes.count, offset <= bytes.count - size else { throw DamagedPropertyList() }
        let number = unsafe bytes[offset..<(offset + size)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let number = Int(exactly: number) else { throw DamagedPropertyList() }
        return number
    }
}

/// A truncated or malformed property list.
public struct DamagedPropertyList: Error, Sendable {
    init() {}
}
