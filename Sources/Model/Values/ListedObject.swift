import FoundationEssentials

/// An object of a binary property list, with the references that keyed archives have.
indirect enum ListedObject {
    case null
    case flag(Bool)
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes(Data)
    case reference(Int)
    case list([ListedObject])
    case dictionary([String: ListedObject])
}

// MARK: - Writing

extension ListedObject {
    /// The object as a property list: keys in ascending order and each text once, so that equal objects have equal bytes.
    var propertyList: Data {
        var writer = Writer()
        let root = writer.add(self)
        return writer.list(root)
    }

    private struct Writer {
        private enum Item {
            case leaf([UInt8])
            case references(head: [UInt8], [Int])
        }

        private var items: [Item] = []
        private var leaves: [[UInt8]: Int] = [:]

        mutating func add(_ object: ListedObject) -> Int {
            switch object {
            case .null: return add(leaf: [0])
            case .flag(let flag): return add(leaf: [flag ? 9 : 8])
            case .integer(let integer): return add(leaf: Self.bytes(of: integer))
            case .real(let number): return add(leaf: [0x23] + Self.bigEndian(number.bitPattern, 8))
            case .text(let text):
                let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
                let units = isASCII ? Array(text.utf8) : text.utf16.flatMap { Self.bigEndian(UInt64($0), 2) }
                return add(leaf: Self.head(isASCII ? 0x50 : 0x60, isASCII ? units.count : units.count / 2) + units)
            case .bytes(let bytes): return add(leaf: Self.head(0x40, bytes.count) + bytes)
            case .reference(let number):
                let size = Self.size(of: number)
                return add(leaf: [0x80 | UInt8(size - 1)] + Self.bigEndian(UInt64(number), size))
            case .list(let members):
                let references = members.map { add($0) }
                items.append(.references(head: Self.head(0xA0, members.count), references))
            case .dictionary(let fields):
                let fields = fields.sorted { $0.key < $1.key }
                let references = fields.map { add(.text($0.key)) } + fields.map { add($0.value) }
                items.append(.references(head: Self.head(0xD0, fields.count), references))
            }
            return items.count - 1
        }

        private mutating func add(leaf: [UInt8]) -> Int {
            if let known = leaves[leaf] { return known }
            leaves[leaf] = items.count
            items.append(.leaf(leaf))
            return items.count - 1
        }

        func list(_ root: Int) -> Data {
            let referenceSize = Self.size(of: items.count)
            var bytes = Array("bplist00".utf8)
            var offsets: [Int] = []
            for item in items {
                offsets.append(bytes.count)
                switch item {
                case .leaf(let leaf): bytes += leaf
                case .references(let head, let numbers): bytes += head + numbers.flatMap { Self.bigEndian(UInt64($0), referenceSize) }
                }
            }
            let table = bytes.count
            let offsetSize = Self.size(of: table)
            bytes += offsets.flatMap { Self.bigEndian(UInt64($0), offsetSize) }
            bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
            for number in [items.count, root, table] { bytes += Self.bigEndian(UInt64(number), 8) }
            return Data(bytes)
        }

        private static func bytes(of integer: Int64) -> [UInt8] {
            let size = integer < 0 ? 8 : size(of: Int(integer))
            return [0x10 | UInt8(size.trailingZeroBitCount)] + bigEndian(UInt64(bitPattern: integer), size)
        }

        private static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
            count < 15 ? [kind | UInt8(count)] : [kind | 15] + bytes(of: Int64(count))
        }

        private static func bigEndian(_ number: UInt64, _ size: Int) -> [UInt8] {
            (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }

        private static func size(of number: Int) -> Int { number < 1 << 8 ? 1 : number < 1 << 16 ? 2 : number < 1 << 32 ? 4 : 8 }
    }
}

// MARK: - Reading

extension ListedObject {
    /// Reads a binary property list; `nil` where the bytes are none, or contain other objects than an archive of a list.
    init?(propertyList: Data) {
        guard var reader = Reader(Array(propertyList)), let root = reader.root() else { return nil }
        self = root
    }

    private struct Reader {
        private let bytes: [UInt8]
        private let offsetSize: Int
        private let referenceSize: Int
        private let count: Int
        private let rootNumber: Int
        private let table: Int
        /// The number of objects that may still be read: a list may reference an object many times.
        private var budget: Int

        init?(_ bytes: [UInt8]) {
            guard bytes.starts(with: "bplist00".utf8), bytes.count >= 40 else { return nil }
            self.bytes = bytes
            budget = 8 * bytes.count
            let trailer = bytes.count - 32
            offsetSize = Int(bytes[trailer + 6])
            referenceSize = Int(bytes[trailer + 7])
            func number(_ offset: Int) -> Int? {
                let number = bytes[(trailer + offset)..<(trailer + offset + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                return Int(exactly: number).flatMap { $0 <= bytes.count ? $0 : nil }
            }
            guard let count = number(8), let root = number(16), let table = number(24), (1...8).contains(offsetSize),
                (1...8).contains(referenceSize), table + count * offsetSize <= trailer
            else { return nil }
            (self.count, rootNumber, self.table) = (count, root, table)
        }

        mutating func root() -> ListedObject? { object(rootNumber, nesting: 8) }

        /// - Parameter nesting: The greatest nesting, which an archive of a list does not reach.
        private mutating func object(_ number: Int, nesting: Int) -> ListedObject? {
            budget -= 1
            guard budget > 0, nesting > 0, (0..<count).contains(number),
                let start = self.number(at: table + number * offsetSize, offsetSize),
                start < table
            else { return nil }
            let (kind, low) = (bytes[start] & 0xF0, Int(bytes[start] & 0x0F))
            switch kind {
            case 0x00: return low == 0 ? .null : low == 8 ? .flag(false) : low == 9 ? .flag(true) : nil
            case 0x10:
                guard low <= 3, let bits = self.bits(at: start + 1, 1 << low) else { return nil }
                return .integer(Int64(bitPattern: bits))
            case 0x20:
                guard low == 2 || low == 3, let bits = self.bits(at: start + 1, 1 << low) else { return nil }
                return .real(low == 3 ? Double(bitPattern: bits) : Double(Float(bitPattern: UInt32(bits))))
            case 0x80: return self.number(at: start + 1, low + 1).map { .reference($0) }
            default: break
            }
            guard let (length, content) = self.length(low, after: start) else { return nil }
            switch kind {
            case 0x40: return slice(content, length).map { .bytes(Data($0)) }
            case 0x50: return slice(content, length).map { .text(String(decoding: $0, as: UTF8.self)) }
            case 0x60:
                guard length <= bytes.count, let units = slice(content, 2 * length) else { return nil }
                let pairs = stride(from: units.startIndex, to: units.endIndex, by: 2)
                return .text(String(decoding: pairs.map { UInt16(units[$0]) << 8 | UInt16(units[$0 + 1]) }, as: UTF16.self))
            case 0xA0: return objects(content, length, nesting).map { .list($0) }
            case 0xD0:
                guard let keys = objects(content, length, nesting),
                    let values = objects(content + length * referenceSize, length, nesting)
                else { return nil }
                let names = keys.compactMap { if case .text(let text) = $0 { text } else { nil } }
                return names.count == keys.count ? .dictionary(Dictionary(zip(names, values)) { first, _ in first }) : nil
            default: return nil
            }
        }

        private mutating func objects(_ start: Int, _ count: Int, _ nesting: Int) -> [ListedObject]? {
            guard count <= bytes.count, start + count * referenceSize <= bytes.count else { return nil }
            var objects: [ListedObject] = []
            for index in 0..<count {
                guard let number = self.number(at: start + index * referenceSize, referenceSize),
                    let object = object(number, nesting: nesting - 1)
                else { return nil }
                objects.append(object)
            }
            return objects
        }

        /// Returns the length of an object, which follows as an integer where it is 15 or more, and the start of its content.
        private func length(_ low: Int, after start: Int) -> (Int, Int)? {
            if low < 15 { return (low, start + 1) }
            guard start + 1 < bytes.count, bytes[start + 1] & 0xF0 == 0x10, bytes[start + 1] & 0x0F <= 3 else { return nil }
            let size = 1 << Int(bytes[start + 1] & 0x0F)
            return number(at: start + 2, size).map { ($0, start + 2 + size) }
        }

        private func slice(_ start: Int, _ length: Int) -> ArraySlice<UInt8>? {
            guard start <= table, length <= table - start else { return nil }
            return bytes[start..<(start + length)]
        }

        private func bits(at start: Int, _ size: Int) -> UInt64? {
            guard start + size <= bytes.count else { return nil }
            return bytes[start..<(start + size)].reduce(0) { $0 << 8 | UInt64($1) }
        }

        /// Returns a number that is no greater than the count of bytes.
        private func number(at start: Int, _ size: Int) -> Int? {
            bits(at: start, size).flatMap { Int(exactly: $0) }.flatMap { $0 <= bytes.count ? $0 : nil }
        }
    }
}
