/// What pending rows need to know of an entity.
struct PendingRowShape {
    let scope: ObjectIDScope
    /// The number of bytes of a row without text.
    let size: Int
    /// The slots of 64-bit integers, and of those of 32 bits and more; a bit for each of the first 64.
    private let wideSlots: UInt64
    private let middleSlots: UInt64

    init(_ scope: ObjectIDScope) {
        self.scope = scope
        let entity = scope.entity
        size = entity.layout.fixedSize
        func slots(of types: AttributeType...) -> UInt64 {
            entity.attributes.reduce(0) { bits, attribute in
                guard types.contains(attribute.type), let slot = attribute.slot, slot.rawValue < UInt64.bitWidth else { return bits }
                return bits | 1 << UInt64(slot.rawValue)
            }
        }
        wideSlots = slots(of: .integer64)
        middleSlots = wideSlots | slots(of: .integer32)
    }

    /// Returns whether the integer attribute of a slot holds a number that is out of the least range.
    func holds(_ number: Int64, _ slot: Slot) -> Bool {
        slot.rawValue < UInt64.bitWidth
            && (Int32(exactly: number) == nil ? wideSlots : middleSlots) & (1 << UInt64(slot.rawValue)) != 0
    }
}
