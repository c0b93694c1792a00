/// Who made a transaction of a history, and by what kind of request.
public struct HistoryOrigin: Sendable, Hashable {
    /// The kind of a transaction.
    public enum Kind: UInt8, Sendable, Hashable, Codable {
        /// The save of a context.
        case save = 1
        /// A batch insert, update or delete.
        case batch = 2
        /// A migration to another version of the model.
        case migration = 3
        /// Changes that another program made without adding them to the history.
        case external = 4
    }

    /// The kind of the transaction.
    public var kind: Kind
    /// The author, as the application names it.
    public var author: String?
    /// The name of the context.
    public var contextName: String?
    /// The name of the process.
    public var processName: String?
    /// The identifier of the application's bundle; `nil` where it is the name of the process.
    public var bundleID: String?

    /// Creates an origin.
    public init(
        _ kind: Kind, author: String? = nil, contextName: String? = nil, processName: String? = nil, bundleID: String? = nil
    ) {
        self.kind = kind
        self.author = author
        self.contextName = contextName
        self.processName = processName
        self.bundleID = bundleID
    }

    /// The bytes: the kind, then for each text 0 for nil or one more than its length, and its UTF-8.
    public var encoded: [UInt8] {
        var out = [kind.rawValue]
        for text in [author, contextName, processName, bundleID] {
            out.put(varint: text.map { UInt64($0.utf8.count) + 1 } ?? 0)
            if let text { out.append(contentsOf: text.utf8) }
        }
        return out
    }

    /// Reads the bytes of ``encoded``.
    ///
    /// - Throws: `MalformedBytes`.
    public init(_ bytes: [UInt8]) throws {
        self = try unsafe bytes.withUnsafeBytes { bytes in
            var reader = unsafe ByteReader<UInt32>(bytes)
            guard let kind = Kind(rawValue: try reader.byte()) else { throw MalformedBytes() }
            func text() throws -> String? {
                let length = try reader.varint()
                return length == 0 ? nil : try reader.text(length - 1)
            }
            let origin = HistoryOrigin(
                kind, author: try text(), contextName: try text(), processName: try text(), bundleID: try text())
            guard reader.isAtEnd else { throw MalformedBytes() }
            return origin
        }
    }
}

extension [UInt8] {
    /// Appends a number by seven bits in each byte, the lowest first; the highest bit marks that another byte follows.
    mutating func put(varint number: UInt64) {
        var number = number
        while number > 0x7F {
            append(UInt8(truncatingIfNeeded: number) | 0x80)
            number >>= 7
        }
        append(UInt8(truncatingIfNeeded: number))
    }

    /// Appends a number of either sign, the sign in its lowest bit.
    mutating func put(signed number: Int64) { put(varint: UInt64(bitPattern: (number << 1) ^ (number >> 63))) }

    /// Appends a text behind its length.
    mutating func put(short text: String) {
        put(varint: UInt64(text.utf8.count))
        append(contentsOf: text.utf8)
    }

    /// Appends the eight bytes of a number, the least significant first.
    mutating func put(word number: UInt64) { unsafe Swift.withUnsafeBytes(of: number.littleEndian) { unsafe append(contentsOf: $0) } }
}

extension ByteReader {
    mutating func varint() throws(MalformedBytes) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            let byte = try byte()
            guard shift < 63 || byte <= 1 else { throw MalformedBytes() }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        throw MalformedBytes()
    }

    mutating func signed() throws(MalformedBytes) -> Int64 {
        let number = try varint()
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    /// Reads the number of elements that follow, each of at least a byte, or an index below a bound.
    mutating func short(below bound: Int? = nil) throws(MalformedBytes) -> Int {
        guard let number = Int(exactly: try varint()), number < bound ?? left + 1 else { throw MalformedBytes() }
        return number
    }

    mutating func text(_ length: UInt64) throws(MalformedBytes) -> String {
        guard let count = Int(exactly: length), let text = unsafe String(validating: try take(count), as: UTF8.self) else {
            throw MalformedBytes()
        }
        return text
    }
}
