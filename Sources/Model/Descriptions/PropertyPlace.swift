/// Where a property lies in its entity and its rows: all that a property's access has to know, in a few words without references.
public struct PropertyPlace: Sendable, Hashable {
    /// The index among the entity's properties.
    public let property: Int
    /// The slot of the attribute's value or of the to-one destination's reference; `nil` where the row holds none.
    public let slot: Slot?
    /// What the slot holds; meaningless without one.
    public let kind: SlotKind

    init(_ description: PropertyDescription) {
        property = description.index
        switch description {
        case .attribute(let attribute):
            slot = attribute.slot
            kind = attribute.slotKind
        case .relationship(let relationship):
            if case .toOne(let reference, _, _) = relationship.storage { slot = reference } else { slot = nil }
            kind = .reference
        }
    }

    /// The place in 32 bits, `nil` where it does not fit: 14 bits each for property and slot, of which 0 says none, 4 for the kind.
    public var packed: UInt32? {
        let number = slot.map { $0.rawValue + 1 } ?? 0
        guard property < 0x3FFF, number < 0x3FFF else { return nil }
        return UInt32(property) << 18 | UInt32(number) << 4 | UInt32(kind.rawValue)
    }

    /// The place that was packed into a number; `nil` where it is none.
    @inlinable
    public init?(packed: UInt32) {
        guard let kind = SlotKind(rawValue: UInt8(packed & 0xF)) else { return nil }
        property = Int(packed >> 18)
        let number = Int(packed >> 4 & 0x3FFF)
        slot = number == 0 ? nil : Slot(rawValue: number - 1)
        self.kind = kind
    }
}
