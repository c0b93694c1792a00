import StrataModel

/// The target of an element's content.
enum PropertyBinding {
    case attribute(slot: Slot, kind: SlotKind, type: AttributeType)
    /// A to-one relationship with its reference's slot.
    case toOne(slot: Slot)
    case toMany
    /// Ignored content.
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
