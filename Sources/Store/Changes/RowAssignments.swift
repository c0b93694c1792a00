/// New values for slots of many rows, of one entity and its sub-entities.
public struct RowAssignments: Sendable {
    /// A value that is computed for each row of its former values.
    public struct Computation: Sendable {
        /// The attribute, which has a slot.
        public let attribute: AttributeDescription
        /// The value before its conversion to the attribute's type.
        public let expression: ResolvedExpression

        /// Creates the value of an expression over the former row, for an attribute.
        public init(_ attribute: AttributeDescription, _ expression: ResolvedExpression) {
            self.attribute = attribute
            self.expression = expression
        }
    }

    /// A row of the entity with the values that are the same for all rows.
    public let template: Row
    /// The slots that get the template's values, ascending.
    public let slots: [Slot]
    /// The computed values.
    ///
    /// A value that does not fit its attribute, or nil where one is required, fails the update.
    public let computations: [Computation]

    /// Creates assignments of a template's values and of computed ones.
    public init(template: Row, slots: [Slot], computations: [Computation]) {
        self.template = template
        self.slots = slots
        self.computations = computations
    }
}
