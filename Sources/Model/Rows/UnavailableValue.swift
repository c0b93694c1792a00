/// A value that cannot be read, as the file that stores it is lost or damaged.
///
/// A row carries it instead of the value, so that everything else of the object can be read, changed and deleted. Its
/// slot holds no value; to treat it as nil, ask ``Row/unavailableValue(_:)`` first.
public struct UnavailableValue: Error, Sendable, Hashable {
    /// The state of the file.
    public enum Reason: UInt8, Sendable {
        /// It is not there.
        case missing = 1
        /// Its content is not what was written.
        case damaged = 2
    }

    /// The state of the file.
    public let reason: Reason
    /// The path of the file.
    public let path: String

    /// A value whose file is lost or damaged.
    public init(_ reason: Reason, path: String) {
        self.reason = reason
        self.path = path
    }
}

extension Row {
    /// Whether a variable slot stands for a value that cannot be read.
    ///
    /// Its word is not zero then, although it holds no value.
    @inlinable
    public func isUnavailable(_ slot: Slot) -> Bool { isNull(slot) && rawWord(slot) != 0 }

    /// What is known of the value of a variable slot that cannot be read; `nil` where it can, or there is none.
    public func unavailableValue(_ slot: Slot) -> UnavailableValue? {
        guard let bytes = unsafe unavailableBytes(slot) else { return nil }
        let reason = unsafe bytes.first.flatMap(UnavailableValue.Reason.init) ?? .damaged
        return unsafe UnavailableValue(reason, path: String(decoding: bytes.dropFirst(), as: UTF8.self))
    }

    /// Refuses to conclude anything from a slot of a kind that stands for a value that cannot be read.
    ///
    /// - Throws: The unavailable value.
    @inlinable
    public func requireAvailable(_ slot: Slot, _ kind: SlotKind) throws(UnavailableValue) {
        if kind.isVariable, isUnavailable(slot), let value = unavailableValue(slot) { throw value }
    }

    func unavailableBytes(_ slot: Slot) -> UnsafeRawBufferPointer? {
        guard isUnavailable(slot) else { return nil }
        let word = rawWord(slot)
        let (start, count) = (Int(word & 0xFFFF_FFFF), Int(word >> 32))
        // Nobody checked the slot: it holds no value.
        guard start <= byteCount, count <= byteCount - start else { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
        return unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<(start + count)])
    }
}

extension RowWriter {
    /// Says of a variable slot that its value cannot be read.
    public mutating func set(_ value: UnavailableValue, at slot: Slot) {
        unsafe ([value.reason.rawValue] + value.path.utf8).withUnsafeBytes { unsafe set(unavailable: $0, at: slot) }
    }
}
