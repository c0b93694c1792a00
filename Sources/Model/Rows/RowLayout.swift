/// The kind of a slot's value.
public enum SlotKind: UInt8, Sendable, Hashable {
    /// An integer attribute of any width.
    case integer
    /// A truth value: an integer, 0 or 1.
    case boolean
    /// A 64-bit floating-point attribute.
    case double
    /// A 32-bit floating-point attribute, stored as 64 bits.
    case float
    /// A date, as seconds since 2001.
    case date
    /// A decimal number, as its shortest text.
    case decimal
    /// Text as UTF-8, without a terminating zero.
    case string
    /// A URL, as UTF-8.
    case uri
    /// A UUID, as 16 bytes.
    case uuid
    /// Bytes of any content.
    case binary
    /// The bytes of a value transformer.
    case transformable
    /// The reference of a to-one relationship's destination.
    case reference
    /// The entity index of a to-one relationship's destination, if several are possible.
    case entity
    /// The order key of the object in the ordered relationship that references it.
    case order

    @inlinable static var last: SlotKind { .order }

    /// Whether the slot names bytes in the row's variable area rather than holding the value itself.
    @inlinable
    public var isVariable: Bool {
        switch self {
        case .decimal, .string, .uri, .uuid, .binary, .transformable: true
        default: false
        }
    }

    init(_ type: AttributeType) {
        self =
            switch type {
            case .integer16, .integer32, .integer64: .integer
            case .boolean: .boolean
            case .double: .double
            case .float: .float
            case .date: .date
            case .decimal: .decimal
            case .string: .string
            case .uri: .uri
            case .uuid: .uuid
            case .binary: .binary
            case .transformable, .undefined, .composite: .transformable
            }
    }
}

/// One slot of a layout.
public struct SlotDescription: Sendable, Hashable {
    /// The kind of the slot's value.
    public let kind: SlotKind
    /// The index, in the entity's properties, of the property that the slot belongs to.
    public let property: Int

    /// Creates a slot of a property.
    public init(kind: SlotKind, property: Int) {
        self.kind = kind
        self.property = property
    }
}

/// Maps the slots of an entity's rows to its properties.
///
/// A sub-entity's layout begins with its parent's, so that a slot has the same index in the whole hierarchy.
///
/// A row is, in bytes and in the machine's (little-endian) order:
///
/// | offset | size | content |
/// |---|---|---|
/// | 0 | 4 | length of the row, a multiple of 8 |
/// | 4 | 4 | index of the entity in the model |
/// | 8 | 8 | reference |
/// | 16 | 4 | version, 1 for a row that was never changed |
/// | 20 | 4 | for the store's use (a checksum), else 0 |
/// | 24 | 8 × (groups + slots) | for every 64 slots a bitmap of those that hold a value, then the slots |
/// | … | | the variable area: text and bytes, back to back |
///
/// A variable slot holds the offset of its bytes from the row's start in its low half and their number in its high
/// half. One without a value is zero, or references bytes with the reason why its value is unavailable
/// (``UnavailableValue``); no store keeps such a row.
public struct RowLayout: Sendable, Hashable {
    /// The slots, in order.
    public let slots: [SlotDescription]

    /// Creates a layout of the given slots.
    public init(slots: [SlotDescription]) { self.slots = slots }

    /// The slots with their indexes, in order.
    @inlinable
    public var indexedSlots: some Sequence<(slot: Slot, description: SlotDescription)> {
        slots.enumerated().lazy.map { (slot: Slot(rawValue: $0.offset), description: $0.element) }
    }

    /// The length in bytes of a row's fixed part.
    public var fixedSize: Int { RowLayout.headerSize + ((slots.count + 63) / 64 + slots.count) * 8 }

    /// The length in bytes of a row's header.
    public static let headerSize = 24

    /// Returns the offset of a slot from the start of the row.
    @inlinable
    public static func offset(ofSlot slot: Slot) -> Int { 32 + (slot.rawValue >> 6) * 520 + (slot.rawValue & 63) * 8 }

    /// Returns the offset, from the start of the row, of the bitmap word with a slot's bit.
    @inlinable
    public static func offset(ofBitmapOfSlot slot: Slot) -> Int { 24 + (slot.rawValue >> 6) * 520 }

    /// Returns the bit of a slot in that word.
    @inlinable
    public static func bit(ofSlot slot: Slot) -> UInt64 { 1 &<< UInt64(slot.rawValue & 63) }
}
