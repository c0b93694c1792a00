/// The index of a property in its entity, and its slot in the rows, for accessors, without references.
public struct PropertySlot: Sendable, Hashable {
    // The members of a cached slot have to fit in registers, which an optional slot does not.
    @usableFromInline let propertyNumber: UInt32
    /// The slot's number from 1, 0 without one.
    @usableFromInline let slotNumber: UInt32
    /// The kind of the slot's value; meaningless without a slot.
    public let kind: SlotKind

    /// The index among the entity's properties.
    @inlinable public var property: Int { Int(propertyNumber) }
    /// The slot of the attribute's value or of the to-one destination's reference; `nil` where the row holds none.
    @inlinable public var slot: Slot? { slotNumber == 0 ? nil : Slot(rawValue: Int(slotNumber) &- 1) }

    init(_ description: PropertyDescription) {
        let slot: Slot?
        switch description {
        case .attribute(let attribute):
            slot = attribute.slot
            kind = attribute.slotKind
        case .relationship(let relationship):
            if case .toOne(let reference, _, _) = relationship.storage { slot = reference } else { slot = nil }
            kind = .reference
        }
        propertyNumber = UInt32(description.index)
        slotNumber = slot.map { UInt32($0.rawValue) + 1 } ?? 0
    }

    /// The property slot in 32 bits, `nil` if it does not fit: 14 bits of property, 14 of slot plus one, 4 of kind.
    public var packed: UInt32? {
        guard propertyNumber < 0x3FFF, slotNumber < 0x3FFF else { return nil }
        return propertyNumber << 18 | slotNumber << 4 | UInt32(kind.rawValue)
    }

    /// Unpacks a property slot; `nil` where the number is malformed.
    @inlinable
    @inline(__always)
    public init?(packed: UInt32) {
        guard packed & 0xF <= SlotKind.last.rawValue else { return nil }
        propertyNumber = packed >> 18
        slotNumber = packed >> 4 & 0x3FFF
        // As fast as a comparison: the number is that of a case.
        kind = unsafe unsafeBitCast(UInt8(truncatingIfNeeded: packed & 0xF), to: SlotKind.self)
    }
}
