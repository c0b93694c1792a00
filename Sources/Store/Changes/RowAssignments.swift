public import StrataEvaluation
public import StrataModel
import StrataQuery

/// New values for slots of many rows, which are of one entity or of its sub-entities.
public struct RowAssignments: Sendable {
    /// A value that is computed for each row out of what the row held before.
    public struct Computation: Sendable {
        /// The attribute, which has a slot.
        public let attribute: AttributeDescription
        /// The value before it is brought to the attribute's type.
        public let expression: ResolvedExpression

        /// Creates the value of an expression over the row as it was, for an attribute.
        public init(_ attribute: AttributeDescription, _ expression: ResolvedExpression) {
            self.attribute = attribute
            self.expression = expression
        }
    }

    /// A row of the entity that holds the values which are the same for all rows.
    public let template: Row
    /// The slots that get what the template holds, ascending.
    public let slots: [Slot]
    /// The values that are computed.
    ///
    /// A value that does not fit its attribute, or is missing where one is required, fails the update.
    public let computations: [Computation]

    /// Creates the content that slots get: of a template row, or computed.
    public init(template: Row, slots: [Slot], computations: [Computation]) {
        self.template = template
        self.slots = slots
        self.computations = computations
    }
}
