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
    private(set) var isUnbounded = false

    init(_ entity: EntityDescription, includingSubentities: Bool, in model: ManagedObjectModel) {
        self.model = model
        entities = entity.entities(includingSubentities: includingSubentities)
        root = entity.root
    }

    /// Whether only the fetched objects are read.
    var isLocal: Bool { related.isEmpty && !isUnbounded }

    mutating func add(_ predicate: QueryPredicate?, of entity: EntityDescription) {
        guard let predicate else { return }
        var (paths, isUnderstood) = ([String](), true)
        // The closure throws nothing.
        _ = try? predicate.replacingExpressions { QueryInterest.look(at: $0, &paths, &isUnderstood) }
        add(paths, isUnderstood, of: entity)
    }

    mutating func add(_ expression: QueryExpression, of entity: EntityDescription) {
        var (paths, isUnderstood) = ([String](), true)
        _ = try? expression.replacingExpressions { QueryInterest.look(at: $0, &paths, &isUnderstood) }
        add(paths, isUnderstood, of: entity)
    }

    private static func look(at part: QueryExpression, _ paths: inout [String], _ isUnderstood: inout Bool) -> QueryExpression? {
        switch part {
        case .keyPath(let path): paths.append(path)
        case .path, .subquery, .element, .anyKey, .fetch, .variable, .assignment, .custom: isUnderstood = false
        case .constant, .evaluatedObject, .list, .function, .conditional, .combined: break
        }
        return nil
    }

    private mutating func add(_ paths: [String], _ isUnderstood: Bool, of entity: EntityDescription) {
        if !isUnderstood { isUnbounded = true }
        for path in paths { add(path, of: entity) }
    }

    /// Adds a path from the fetched objects.
    mutating func add(_ path: String, of entity: EntityDescription) {
        var entity = entity
        var isFirst = true
        for step in path.split(separator: ".").map(String.init) where !step.hasPrefix("@") && step != "SELF" && step != "self" {
            if isFirst { names.insert(step) }
            isFirst = false
            guard let relationship = entity.relationship(named: step) ?? relationship(named: step, below: entity) else { return }
            // The owners' own properties change with one side of the relationship only.
            entity = model.destination(of: relationship)
            related.insert(entity.root)
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
