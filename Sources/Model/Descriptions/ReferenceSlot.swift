/// A relationship whose destination is in a slot of the object's row.
package struct ReferenceSlot: Sendable {
    package let relationship: RelationshipDescription
    /// The slot of the destination's reference.
    package let slot: Slot
    /// The inverse, hidden ones included; `nil` if there is none.
    package let inverse: RelationshipDescription?

    /// - Returns: `nil` for a relationship that is not stored in rows.
    init?(_ relationship: RelationshipDescription, _ entities: [EntityDescription]) {
        guard case .toOne(let slot, _, _) = relationship.storage else { return nil }
        self.relationship = relationship
        self.slot = slot
        inverse = relationship.inverse.flatMap { entities[relationship.destination].properties[$0].relationship }
    }
}
