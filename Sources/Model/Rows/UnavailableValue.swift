/// A value that cannot be read, as its file is lost or damaged.
///
/// A row contains it instead of the value, so that all else of the object can be read, changed and deleted. Its slot is
/// nil; to distinguish it from nil, call ``Row/unavailableValue(_:)`` first.
public struct UnavailableValue: Error, Sendable, Hashable {
    /// The state of the file.
    public enum Reason: UInt8, Sendable {
        /// The file does not exist.
        case missing = 1
        /// The file's content has changed.
        case damaged = 2
    }

    /// The state of the file.
    public let reason: Reason
    /// The path of the file.
    public let path: String

    /// Creates a value whose file is lost or damaged.
    public init(_ reason: Reason, path: String) {
        self.reason = reason
        self.path = path
    }
}

extension Row {
    /// Returns whether a variable slot has an unavailable value.
    ///
    /// Its word is not zero then, although it is nil.
    @inlinable
    public func isUnavailable(_ slot: Slot) -> Bool { isNull(slot) && rawWord(slot) != 0 }

    /// Returns the unavailable value of a variable slot; `nil` if it has a value, or is nil.
    public func unavailableValue(_ slot: Slot) -> UnavailableValue? {
        guard let bytes = unsafe unavailableBytes(slot) else { return nil }
        let reason = unsafe bytes.first.flatMap(UnavailableValue.Reason.init) ?? .damaged
        return unsafe UnavailableValue(reason, path: String(decoding: bytes.dropFirst(), as: UTF8.self))
    }

    /// Throws for a slot with an unavailable value.
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
        // An unchecked slot: it is nil.
        guard start <= byteCount, count <= byteCount - start else { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
        return unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<(start + count)])
    }
}

extension RowWriter {
    /// Marks the value of a variable slot as unavailable.
    public mutating func set(_ value: UnavailableValue, at slot: Slot) {
        unsafe ([value.reason.rawValue] + value.path.utf8).withUnsafeBytes { unsafe set(unavailable: $0, at: slot) }
    }
}
