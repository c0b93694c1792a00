extension Row {
    /// Returns the entity of a to-one relationship's destination.
    ///
    /// If several are possible, the row has it in a slot beside the reference, see
    /// ``RelationshipDescription/Storage/toOne(reference:entity:order:)``; it may be unknown in a malformed row.
    public func destinationEntity(_ slot: Slot?, of relationship: RelationshipDescription) -> EntityIndex {
        slot.flatMap { integer($0) }.map { EntityIndex($0) } ?? relationship.destination
    }
}
