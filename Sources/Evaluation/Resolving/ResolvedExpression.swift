/// An expression that was checked against a model.
///
/// Variable 0 is the fetched object; each collection's elements have the next free number, and paths have the variable
/// that they start from. What a store does not compute exactly as ``RowExpression`` does, it leaves to the core.
public indirect enum ResolvedExpression: Sendable {
    /// A value, or a list of them.
    case constant(Value)
    /// The attribute, to-one destination or object at the end of a path without to-many steps.
    case path(PropertyPath)
    /// The name of the entity of the object at the end of a path; nil where there is none.
    case entityName(PropertyPath, names: [String])
    /// A function over a value of each element of a collection.
    case aggregate(AggregateFunction, ResolvedCollection, of: ResolvedExpression?)
    /// A value of one element of a collection; nil where there is none.
    case element(ResolvedCollection, ResolvedPosition, of: ResolvedExpression)
    /// The values of a collection's elements as a list, possibly distinct.
    case values(ResolvedCollection, of: ResolvedExpression, isDistinct: Bool)
    /// A function of arguments.
    case function(QueryFunction, [ResolvedExpression])
    /// A function that the program registered under a selector.
    case custom(String, QueryFunctionTable.Function, [ResolvedExpression])
    /// One of two expressions: the first where the condition is met.
    case conditional(ResolvedPredicate, ResolvedExpression, ResolvedExpression)
    /// Values of several expressions as one collection.
    case list([ResolvedExpression])
    /// Two lists as one.
    case combined(QueryExpression.SetOperation, ResolvedExpression, ResolvedExpression)
    /// A column of the tested tuple: a key or an aggregate of a group.
    case column(Int)

    /// The path, `nil` for any other expression.
    public var path: PropertyPath? { if case .path(let path) = self { path } else { nil } }

    /// Returns the entity of the expression's objects, which are references; `nil` for other values.
    public func objectEntity(in model: ManagedObjectModel) -> EntityDescription? {
        switch self {
        case .path(let path): path.objectEntity
        case .element(_, _, let value): value.objectEntity(in: model)
        case .conditional(_, let a, let b): a.objectEntity(in: model) ?? b.objectEntity(in: model)
        case .function(.noIndex, let arguments), .function(.indexedBy, let arguments): arguments.first?.objectEntity(in: model)
        case .aggregate(let function, _, let value?) where function == .min || function == .max: value.objectEntity(in: model)
        default: nil
        }
    }
}

/// A position in a collection.
public indirect enum ResolvedPosition: Sendable {
    /// The first element; nil where there is none.
    case first
    /// The last element; nil where there is none.
    case last
    /// The index, from 0.
    case at(ResolvedExpression)
}

/// The objects at the end of a path with to-many steps, each as often as there are paths to it, filtered by a
/// condition.
public struct ResolvedCollection: Sendable {
    /// The start of the steps.
    public indirect enum Origin: Sendable {
        /// At the object of a variable.
        case variable(Int)
        /// At each element of another collection.
        case collection(ResolvedCollection)
    }

    /// A step to the destinations of a relationship.
    public struct Step: Sendable {
        /// The relationship that is followed, to one or to many.
        public let relationship: RelationshipDescription
        /// The slot that holds the destination's reference; `nil` for a to-many relationship.
        public let slot: Slot?
        /// The entity that the model declares for its destination; objects may be of sub-entities.
        public let destination: EntityDescription

        /// Creates a step along a relationship.
        public init(relationship: RelationshipDescription, slot: Slot?, destination: EntityDescription) {
            self.relationship = relationship
            self.slot = slot
            self.destination = destination
        }
    }

    /// The start of the steps.
    public let origin: Origin
    /// The relationships along the path, in order.
    public let steps: [Step]
    /// The variable of an element within ``filter``, and within what is computed of it.
    public let variable: Int
    /// The entity of the elements.
    public let entity: EntityDescription
    /// The condition that elements meet, `nil` for all.
    public let filter: ResolvedPredicate?

    /// Creates a collection of the objects at the end of the steps.
    public init(origin: Origin, steps: [Step], variable: Int, entity: EntityDescription, filter: ResolvedPredicate? = nil) {
        self.origin = origin
        self.steps = steps
        self.variable = variable
        self.entity = entity
        self.filter = filter
    }

    /// Returns the collection of the elements that also meet another condition.
    public func filtered(by condition: ResolvedPredicate) -> ResolvedCollection {
        let both: ResolvedPredicate = filter.map { .and([$0, condition]) } ?? condition
        return ResolvedCollection(origin: origin, steps: steps, variable: variable, entity: entity, filter: both)
    }
}

/// A comparison of any two expressions.
public struct ResolvedTest: Sendable {
    /// The left side.
    public let left: ResolvedExpression
    /// The operator of the comparison.
    public let `operator`: QueryComparison.Operator
    /// The right side.
    public let right: ResolvedExpression
    /// The preparation of text.
    public let options: QueryComparison.Options
    /// The elements of a list on the left that count; nil is an empty list, any other value a list of itself.
    public let modifier: QueryComparison.Modifier

    /// Creates a comparison of two expressions.
    public init(
        _ left: ResolvedExpression, _ op: QueryComparison.Operator, _ right: ResolvedExpression, options: QueryComparison.Options = [],
        modifier: QueryComparison.Modifier = .direct
    ) {
        self.left = left
        self.operator = op
        self.right = right
        self.options = options
        self.modifier = modifier
    }
}
