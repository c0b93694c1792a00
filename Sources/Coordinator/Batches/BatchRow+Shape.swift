import StrataModel

extension BatchRow {
    /// A stored attribute, without references to count.
    struct Column {
        let slot: Slot
        let type: AttributeType
        let kind: SlotKind
        let isOptional: Bool
        let hasDefault: Bool
        let isDerived: Bool
        let generated: GeneratedValue?
    }

    /// The part of a row that is the same for all objects of an entity.
    struct Shape {
        let serial: UInt32
        /// The columns, by the index of the property; none for properties that are not stored.
        let columns: [Column?]
        /// The indexes of the stored attributes.
        let stored: [Int]
        let requirements: [CompositeRequirement]

        init(_ entity: EntityDescription) {
            serial = entity.serial
            var columns = [Column?](repeating: nil, count: entity.properties.count)
            for attribute in entity.attributes {
                columns[attribute.index] = attribute.slot.map { slot in
                    Column(
                        slot: slot, type: attribute.type, kind: attribute.slotKind, isOptional: !attribute.requiresValue,
                        hasDefault: !attribute.defaultValue.isNull, isDerived: attribute.isDerived,
                        generated: attribute.declaration.generatedValue)
                }
            }
            self.columns = columns
            stored = entity.storedAttributes.map(\.index)
            requirements = entity.compositeRequirements
        }
    }
}
