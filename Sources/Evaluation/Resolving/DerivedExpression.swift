/// The derivation of an attribute, checked against its model: an expression over the object, and its dependencies.
public struct DerivedExpression: Sendable {
    /// Values that the expression reads, of the object itself or of others.
    public struct Source: Sendable {
        /// The relationships to the objects read, in order; none for the object itself.
        public let steps: [ResolvedCollection.Step]
        /// The slot that is read in the objects at the end; `nil` where only their identity matters.
        public let slot: Slot?
    }

    /// A number that is maintained by changes alone, over a relationship whose inverse is to-one.
    public enum Tally: Sendable {
        /// The number of destinations.
        case count(RelationshipDescription)
        /// The sum of integers in a slot of the destinations.
        case sum(RelationshipDescription, Slot)
    }

    /// The attribute.
    public let attribute: AttributeDescription
    /// The slot of the attribute.
    public let slot: Slot
    /// The entity that declares the attribute.
    public let entity: EntityDescription
    /// The expression for each object.
    public let expression: ResolvedExpression
    /// The dependencies of the value.
    public let sources: [Source]
    /// The maintenance of the value by changes, where possible.
    public let tally: Tally?
    /// Whether the value depends on the time of the save.
    public let isTimestamp: Bool

    /// Parses and checks the derivation expression of an attribute.
    ///
    /// - Returns: `nil` for an attribute that is not derived.
    /// - Throws: `QueryFormatError` where the expression is malformed; `QueryError` where it does not fit the entity,
    ///   or its values are not of the attribute's type.
    public init?(_ attribute: AttributeDescription, of entity: EntityDescription, in model: ManagedObjectModel) throws {
        guard let text = attribute.declaration.derivationExpression, let slot = attribute.slot else { return nil }
        var resolver = QueryResolver(entity, model)
        resolver.foldsTime = false
        let expression = try resolver.scalar(QueryExpression(format: text, model: model))
        try DerivedExpression.checkType(of: expression, attribute, entity, in: model)
        var collector = SourceCollector()
        collector.add(expression)
        self.attribute = attribute
        self.slot = slot
        self.entity = entity
        self.expression = expression
        sources = collector.sources
        tally = DerivedExpression.tally(expression)
        isTimestamp = resolver.readsTime
    }

    private static func checkType(
        of expression: ResolvedExpression, _ attribute: AttributeDescription, _ entity: EntityDescription, in model: ManagedObjectModel
    ) throws(QueryError) {
        let given: AttributeType
        switch expression {
        case .path(let path):
            guard let source = path.attribute else { throw misfit("an object", attribute, entity) }
            given = source.type
        case .list, .values, .combined: throw misfit("several values", attribute, entity)
        case .function(.uppercase, _), .function(.lowercase, _), .function(.canonical, _): given = .string
        case .function(.now, _): given = .date
        case .aggregate(let function, _, _) where function == .count || function == .sum: given = .integer64
        default:
            if expression.objectEntity(in: model) != nil { throw misfit("an object", attribute, entity) }
            return
        }
        // A date in a number is seconds since 2001, as in SQLite's tables.
        let isTime = given == .date && attribute.type == .double
        if given != attribute.type && !isTime && !(given.isNumeric && attribute.type.isNumeric) {
            throw misfit("\(given)", attribute, entity)
        }
    }

    private static func misfit(_ what: String, _ attribute: AttributeDescription, _ entity: EntityDescription) -> QueryError {
        QueryError(
            .typeMismatch, entity: entity.name, subject: attribute.name,
            "what it is derived of is \(what), and the attribute is \(attribute.type)")
    }

    private static func tally(_ expression: ResolvedExpression) -> Tally? {
        guard case .aggregate(let function, let collection, let value) = expression, case .variable(0) = collection.origin,
            collection.filter == nil, collection.steps.count == 1, case .inverse = collection.steps[0].relationship.storage
        else { return nil }
        switch (function, value) {
        case (.count, nil): return .count(collection.steps[0].relationship)
        case (.sum, .path(let path)?):
            guard path.steps.isEmpty, path.variable == collection.variable, let attribute = path.attribute, let slot = attribute.slot,
                attribute.slotKind == .integer
            else { return nil }
            return .sum(collection.steps[0].relationship, slot)
        default: return nil
        }
    }
}

/// Collects the dependencies of an expression.
private struct SourceCollector {
    private(set) var sources: [DerivedExpression.Source] = []
    /// The relationships to the object of each variable.
    private var ways: [Int: [ResolvedCollection.Step]] = [0: []]

    mutating func add(_ expression: ResolvedExpression) {
        expression.forEachCollection { collection in
            let way = way(of: collection)
            ways[collection.variable] = way
            sources.append(.init(steps: way, slot: nil))
        }
        expression.forEachPath { path in
            let steps = path.steps.map { ResolvedCollection.Step($0) }
            sources.append(.init(steps: (ways[path.variable] ?? []) + steps, slot: path.leafSlot))
        }
    }

    private func way(of collection: ResolvedCollection) -> [ResolvedCollection.Step] {
        switch collection.origin {
        case .variable(let variable): (ways[variable] ?? []) + collection.steps
        case .collection(let origin): way(of: origin) + collection.steps
        }
    }
}
