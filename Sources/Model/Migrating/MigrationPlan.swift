/// The steps of a migration, to be read before it is run.
///
/// ```swift
/// for step in mapping.plan.steps where step.losesData { print(step) }
/// ```
public struct MigrationPlan: Sendable, CustomStringConvertible {
    /// One thing that a migration does.
    public struct Step: Sendable, Hashable, CustomStringConvertible {
        /// The kind of step.
        public enum Action: String, Sendable, Hashable {
            /// The entity or property is new.
            case add
            /// The entity or property is removed.
            case drop
            /// The entity or property has another name.
            case rename
            /// The values get another type or are computed, or the relationship gets another cardinality.
            case convert
            /// The entity has another parent, or the relationship has another destination.
            case move
            /// A value becomes required, or unique.
            case require
        }

        /// The kind of step.
        public let action: Action
        /// The entity, by its name in the destination where it is there.
        public let entity: String
        /// The property, `nil` where it is the entity.
        public let property: String?
        /// The description of the step.
        public let message: String
        /// Whether what is in a store may be lost by it.
        public let losesData: Bool

        public var description: String { losesData ? message + " (loses data)" : message }
    }

    /// The steps, by entity.
    public let steps: [Step]

    /// Whether any step may lose what is in a store.
    public var losesData: Bool { steps.contains(where: \.losesData) }
    /// Whether the objects are unchanged, and only the model in the store's metadata changes.
    public var isEmpty: Bool { steps.isEmpty }

    /// The steps, one in a line.
    public var description: String { steps.map(\.description).joined(separator: "\n") }
}
