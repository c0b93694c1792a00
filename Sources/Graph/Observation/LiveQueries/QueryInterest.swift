import StrataModel
import StrataQuery

/// The dependencies of a query's answer, by the paths that it names; others count as everything.
struct QueryInterest {
    let entities: Range<EntityIndex>
    let root: EntityIndex
    private let model: ManagedObjectModel
    /// The names of the properties of these objects that are read.
    private var names: Set<String> = []
    var readsAll = false
    /// The roots of the hierarchies of related objects, of which everything counts.
    private(set) var related: Set<EntityIndex> = []
    /// Whether related objects are read, not only compared.
    private var readsRelated = false
    private(set) var isUnbounded = false

    /// The paths that a condition names.
    private struct Paths {
        var all: [String] = []
        var isUnderstood = true
        /// Whether values are passed to functions, or chosen by conditions.
        var areOperands = false
    }

    init(_ entity: EntityDescription, includingSubentities: Bool, in model: ManagedObjectModel) {
        self.model = model
        entities = entity.entities(includingSubentities: includingSubentities)
        root = entity.root
    }

    /// Whether only the fetched objects are read, with their references to others.
    var isLocal: Bool { !readsRelated && !isUnbounded }

    mutating func add(_ predicate: QueryPredicate?, of entity: EntityDescription) {
        guard let predicate else { return }
        var paths = Paths()
        // The closure throws nothing.
        _ = try? predicate.replacingExpressions { QueryInterest.look(at: $0, &paths) }
        add(paths, of: entity)
    }

    mutating func add(_ expression: QueryExpression, of entity: EntityDescription) {
        var paths = Paths()
        _ = try? expression.replacingExpressions { QueryInterest.look(at: $0, &paths) }
        add(paths, of: entity)
    }

    private static func look(at part: QueryExpression, _ paths: inout Paths) -> QueryExpression? {
        switch part {
        case .keyPath(let path): paths.all.append(path)
        case .path, .subquery, .element, .anyKey, .fetch, .variable, .assignment, .custom: paths.isUnderstood = false
        case .function, .conditional, .combined: paths.areOperands = true
        case .constant, .evaluatedObject, .list: break
        }
        return nil
    }

    private mutating func add(_ paths: Paths, of entity: EntityDescription) {
        if !paths.isUnderstood { isUnbounded = true }
        for path in paths.all { add(path, of: entity, isCompared: !paths.areOperands) }
    }

    /// Adds a path from the fetched objects.
    ///
    /// - Parameter isCompared: Whether its value is only compared: that of a to-one relationship is a reference in the row.
    mutating func add(_ path: String, of entity: EntityDescription, isCompared: Bool = false) {
        var entity = entity
        var isFirst = true
        let steps = path.split(separator: ".").map(String.init)
        for (index, step) in steps.enumerated() where !step.hasPrefix("@") && step != "SELF" && step != "self" {
            if isFirst { names.insert(step) }
            isFirst = false
            guard let relationship = entity.relationship(named: step) ?? relationship(named: step, below: entity) else { return }
            // The owners' own properties change with one side of the relationship only.
            entity = model.destination(of: relationship)
            related.insert(entity.root)
            if !isCompared || relationship.isToMany || index < steps.count - 1 { readsRelated = true }
        }
    }

    private func relationship(named name: String, below entity: EntityDescription) -> RelationshipDescription? {
        entity.hierarchy.lazy.compactMap { model.entities[$0].relationship(named: name) }.first
    }

    func isAffected(by summary: ChangeSummary) -> Bool {
        if isUnbounded || summary.isAll || !related.isDisjoint(with: summary.tally.roots) { return true }
        guard summary.tally.roots.contains(root) else { return false }
        return summary.tally.entities.contains { index, changes in
            guard entities.contains(index) else { return false }
            guard !changes.existence, !readsAll, let changed = changes.properties else { return true }
            let entity = model.entities[index]
            return names.contains { name in
                if let property = entity.property(named: name) { return changed.contains(property.index) }
                guard let composite = entity.compositeAttribute(named: name) else { return !changed.isEmpty }
                return composite.attributes.contains { changed.contains($0.index) }
            }
        }
    }
}
