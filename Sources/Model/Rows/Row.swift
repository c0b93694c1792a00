import StrataText

/// An object's persisted state: immutable bytes in the shape that ``RowLayout`` describes.
///
/// A row is two words; copying it copies no bytes. Attributes are decoded on access.
// Unchecked: the bytes are immutable and the chunk keeps them alive.
@safe public struct Row: @unchecked Sendable {
    @usableFromInline let chunk: RowChunk
    @usableFromInline let base: UnsafeRawPointer

    @usableFromInline
    init(chunk: RowChunk, base: UnsafeRawPointer) {
        self.chunk = chunk
        unsafe self.base = base
    }

    /// Reads a row in a chunk.
    ///
    /// - Returns: `nil` for a malformed row: the check makes all accesses to the row safe.
    /// - Complexity: O(slots).
    public init?(in chunk: RowChunk, at offset: Int, model: ManagedObjectModel) {
        guard offset >= 0, offset & 7 == 0, offset <= chunk.capacity - RowLayout.headerSize else { return nil }
        let base = unsafe UnsafeRawPointer(chunk.base + offset)
        let count = unsafe Int(base.load(as: UInt32.self))
        let index = unsafe EntityIndex(base.load(fromByteOffset: 4, as: UInt32.self))
        guard count & 7 == 0, count <= chunk.capacity - offset, index.rawValue < model.entities.count else { return nil }
        let entity = model.entities[index]
        let fixedSize = entity.layout.fixedSize
        guard fixedSize <= count else { return nil }
        unsafe self.init(chunk: chunk, base: base)
        for slot in entity.variableSlots where !isNull(slot) {
            let word = rawWord(slot)
            let start = Int(word & 0xFFFF_FFFF)
            let length = Int(word >> 32)
            guard start >= fixedSize, start + length <= count, length == 16 || entity.layout.slots[slot].kind != .uuid else { return nil }
        }
    }

    /// The length of the row in bytes.
    @inlinable public var byteCount: Int { unsafe Int(base.load(as: UInt32.self)) }
    /// The index, in the model, of the object's own entity.
    @inlinable public var entityIndex: EntityIndex { unsafe EntityIndex(base.load(fromByteOffset: 4, as: UInt32.self)) }
    /// The primary key of the row within the entity's hierarchy.
    @inlinable public var reference: Int64 { unsafe base.load(fromByteOffset: 8, as: Int64.self) }
    /// How often the row was saved.
    @inlinable public var version: UInt32 { unsafe base.load(fromByteOffset: 16, as: UInt32.self) }
    /// The word that the store uses as it likes.
    @inlinable public var storeWord: UInt32 { unsafe base.load(fromByteOffset: 20, as: UInt32.self) }

    /// All bytes of the row; valid while the row, or a copy of it, lives.
    @inlinable public var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: base, count: byteCount) }

    /// Returns whether a slot holds no value.
    @inlinable
    public func isNull(_ slot: Slot) -> Bool { unsafe RowLayout.isNull(slot, in: base) }

    /// Returns the eight bytes of a slot, whether or not it holds a value.
    @inlinable
    public func rawWord(_ slot: Slot) -> UInt64 { unsafe RowLayout.word(slot, in: base) }

    /// Returns the content of an integer, boolean, reference, entity or order slot; `nil` when it holds no value.
    @inlinable
    public func integer(_ slot: Slot) -> Int64? { isNull(slot) ? nil : Int64(bitPattern: rawWord(slot)) }

    /// Returns the content of an order slot; `nil` when it holds no value.
    @inlinable
    public func order(_ slot: Slot) -> OrderKey? { isNull(slot) ? nil : OrderKey(rawValue: Int64(bitPattern: rawWord(slot))) }

    /// Returns the content of a double, float or date slot; `nil` when it holds no value.
    @inlinable
    public func double(_ slot: Slot) -> Double? { isNull(slot) ? nil : Double(bitPattern: rawWord(slot)) }

    /// Returns the bytes of a variable slot, valid while the row lives; `nil` when it holds no value.
    @inlinable
    public func bytes(_ slot: Slot) -> UnsafeRawBufferPointer? {
        if isNull(slot) { return nil }
        let word = rawWord(slot)
        return unsafe UnsafeRawBufferPointer(start: base + Int(word & 0xFFFF_FFFF), count: Int(word >> 32))
    }

    /// Returns a slot to read a value from; it must not be used after the row's end.
    @inlinable
    public func slot(_ slot: Slot, _ kind: SlotKind) -> RowSlot { unsafe RowSlot(base: base, slot: slot, kind: kind) }

    /// Returns the value of a slot; references, entities and orders come as integers.
    public func value(_ slot: Slot, _ kind: SlotKind) -> Value { withExtendedLifetime(chunk) { self.slot(slot, kind).value } }

    /// Returns whether two rows hold the same bytes in a slot.
    public func slot(_ slot: Slot, _ kind: SlotKind, equals other: Row) -> Bool {
        if isNull(slot) || other.isNull(slot) {
            // An unavailable value is not equal to nil.
            return isNull(slot) == other.isNull(slot) && (!kind.isVariable || (rawWord(slot) == 0) == (other.rawWord(slot) == 0))
        }
        if kind.isVariable, let a = unsafe bytes(slot), let b = unsafe other.bytes(slot) { return unsafe compareBytes(a, b) == .equal }
        return rawWord(slot) == other.rawWord(slot)
    }
}

extension Row {
    /// Returns the entity of a to-one relationship's destination.
    ///
    /// If several are possible, the row has it in a slot beside the reference, see
    /// ``RelationshipDescription/Storage/toOne(reference:entity:order:)``; it may be unknown in a malformed row.
    public func destinationEntity(_ slot: Slot?, of relationship: RelationshipDescription) -> EntityIndex {
        slot.flatMap { integer($0) }.map { EntityIndex($0) } ?? relationship.destination
    }

    /// Returns whether the row has the values of another one of the same layout, whatever their versions.
    public func hasValues(of other: Row, _ layout: RowLayout) -> Bool {
        entityIndex == other.entityIndex && layout.slots.typedIndices().allSatisfy { slot($0, layout.slots[$0].kind, equals: other) }
    }
}

/// One slot of a row, ready to be decoded; valid during the call that it is passed to.
///
/// It does not retain the row's memory, as an object's accessor would retain and release it for every value: the object
/// does.
// Safe: who makes it keeps the row while it is read.
@safe public struct RowSlot {
    @usableFromInline let base: UnsafeRawPointer
    @usableFromInline let slot: Slot
    /// The kind of the slot's value.
    public let kind: SlotKind

    @inlinable
    init(base: UnsafeRawPointer, slot: Slot, kind: SlotKind) {
        unsafe self.base = base
        self.slot = slot
        self.kind = kind
    }

    @inlinable var word: UInt64 { unsafe RowLayout.word(slot, in: base) }

    /// Whether there is no value.
    @inlinable public var isNull: Bool { unsafe RowLayout.isNull(slot, in: base) }
    /// The content of an integer, boolean, reference, entity or order slot.
    @inlinable public var integer: Int64? { isNull ? nil : Int64(bitPattern: word) }
    /// The content of a double, float or date slot.
    @inlinable public var double: Double? { isNull ? nil : Double(bitPattern: word) }
    /// The bytes of a variable slot.
    @inlinable public var bytes: UnsafeRawBufferPointer? {
        if isNull { return nil }
        let word = word
        return unsafe UnsafeRawBufferPointer(start: base + Int(word & 0xFFFF_FFFF), count: Int(word >> 32))
    }

    /// The content as a value; ``Value/null`` also for a variable slot whose bytes do not spell one.
    public var value: Value {
        if isNull { return .null }
        switch kind {
        case .integer, .reference, .entity, .order: return integer.map { .int($0) } ?? .null
        case .boolean: return integer.map { .bool($0 != 0) } ?? .null
        case .double, .float: return double.map { .double($0) } ?? .null
        case .date: return double.map { .date(Date(timeIntervalSinceReferenceDate: $0)) } ?? .null
        case .string: return text.map { .string($0) } ?? .null
        case .uri: return text.flatMap(URL.init(string:)).map { .url($0) } ?? .null
        case .decimal: return text.flatMap { DecimalText.decimal($0) }.map { .decimal($0) } ?? .null
        case .uuid:
            return unsafe bytes.flatMap { unsafe $0.count == 16 ? .uuid(UUID(uuid: $0.loadUnaligned(as: uuid_t.self))) : nil } ?? .null
        case .binary, .transformable: return unsafe bytes.map { unsafe .data(Data($0)) } ?? .null
        }
    }

    private var text: String? { unsafe bytes.map { unsafe String(decoding: $0, as: UTF8.self) } }
}

/// The text of a stored decimal number: exact, and the same for equal numbers.
public enum DecimalText {
    /// Returns the text of a number.
    public static func text(_ number: Decimal) -> String { number.isNaN ? "NaN" : number.description }

    /// Returns the number of a text, `nil` when it spells none.
    public static func decimal(_ text: String) -> Decimal? { text == "NaN" ? .nan : Decimal(string: text) }
}
