import FoundationEssentials

/// Writes a binary property list, each value without members once and keys in ascending order: equal values have equal bytes.
struct BinaryPropertyListWriter {
    private enum Object {
        /// The bytes of a value without references.
        case leaf([UInt8])
        case references(head: [UInt8], [Int])
    }

    private var objects: [Object] = []
    /// The numbers of values without members, by their bytes: canonically equivalent texts may differ in them.
    private var leaves: [[UInt8]: Int] = [:]

    static func bytes(of value: BinaryPropertyList.Value) -> [UInt8] {
        var writer = BinaryPropertyListWriter()
        let root = writer.collect(value)
        return writer.bytes(root: root)
    }

    /// - Returns: The number of the object; a container has a greater one than its members.
    private mutating func collect(_ value: BinaryPropertyList.Value) -> Int {
        switch value {
        case .array(let values):
            let members = values.map { collect($0) }
            objects.append(.references(head: Self.head(0xA0, members.count), members))
        case .dictionary(let entries):
            let entries = entries.sorted { $0.key < $1.key }
            let members = entries.map { collect(.string($0.key)) } + entries.map { collect($0.value) }
            objects.append(.references(head: Self.head(0xD0, entries.count), members))
        case .string(let text): return collect(leaf: Self.bytes(of: text))
        case .bool(let flag): return collect(leaf: [flag ? 9 : 8])
        case .int(let integer): return collect(leaf: Self.bytes(of: integer))
        case .double(let double): return collect(leaf: [0x23] + Self.bigEndian(double.bitPattern, size: 8))
        case .date(let date): return collect(leaf: [0x33] + Self.bigEndian(date.timeIntervalSinceReferenceDate.bitPattern, size: 8))
        case .data(let data): return collect(leaf: Self.head(0x40, data.count) + data)
        case .uid(let uid):
            let size = Self.size(of: uid)
            return collect(leaf: [0x80 | UInt8(size - 1)] + Self.bigEndian(UInt64(uid), size: size))
        }
        return objects.count - 1
    }

    private mutating func collect(leaf: [UInt8]) -> Int {
        if let known = leaves[leaf] { return known }
        leaves[leaf] = objects.count
        objects.append(.leaf(leaf))
        return objects.count - 1
    }

    private func bytes(root: Int) -> [UInt8] {
        let referenceSize = Self.size(of: objects.count)
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            switch object {
            case .leaf(let value): bytes += value
            case .references(let head, let numbers): bytes += head + numbers.flatMap { Self.bigEndian(UInt64($0), size: referenceSize) }
            }
        }
        let table = bytes.count
        let offsetSize = Self.size(of: table)
        for offset in offsets { bytes += Self.bigEndian(UInt64(offset), size: offsetSize) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        for number in [objects.count, root, table] { bytes += Self.bigEndian(UInt64(number), size: 8) }
        return bytes
    }

    private static func bytes(of text: String) -> [UInt8] {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return head(0x50, text.utf8.count) + text.utf8 }
        return head(0x60, text.utf16.count) + text.utf16.flatMap { bigEndian(UInt64($0), size: 2) }
    }

    /// Encodes an integer: a negative one has eight bytes, and is the only signed one.
    private static func bytes(of integer: Int64) -> [UInt8] {
        let size = integer < 0 ? 8 : size(of: Int(integer))
        return [0x10 | UInt8(size.trailingZeroBitCount)] + bigEndian(UInt64(bitPattern: integer), size: size)
    }

    private static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [kind | UInt8(count)] : [kind | 15] + bytes(of: Int64(count))
    }

    private static func bigEndian(_ number: UInt64, size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// Returns the least power of two of bytes that a non-negative number fits in.
    private static func size(of number: Int) -> Int { number < 1 << 8 ? 1 : number < 1 << 16 ? 2 : number < 1 << 32 ? 4 : 8 }
}
