import StrataModel

/// Where the content of an element belongs.
enum PropertyBinding {
    /// An attribute in a slot.
    case attribute(slot: Slot, kind: SlotKind, type: AttributeType)
    /// A to-one relationship whose reference is in a slot.
    case toOne(slot: Slot)
    /// A to-many relationship.
    case toMany
    /// Nothing of it is kept.
    case none

    init(_ property: PropertyDescription) {
        switch property {
        case .attribute(let attribute):
            self = attribute.slot.map { .attribute(slot: $0, kind: attribute.slotKind, type: attribute.type) } ?? .none
        case .relationship(let relationship):
            switch relationship.storage {
            case .toOne(let reference, _, _): self = .toOne(slot: reference)
            case .inverse, .links: self = .toMany
            case .none: self = .none
            }
        }
    }
}
