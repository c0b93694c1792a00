import Strata

/// The texts in a condition that are compared with dates, UUIDs, bytes and objects, read as the values that the command writes so:
/// `paid >= "2026-11-30"`, `owner == "Person/p17"`.
struct TextConstants {
    private let context: ManagedObjectContext
    /// The entities of the variables of subqueries.
    private var variables: [String: EntityDescription] = [:]

    init(_ context: ManagedObjectContext) { self.context = context }

    /// What one side of a comparison holds, where texts for it are read.
    private enum Held {
        case values(AttributeType)
        case objects
    }

    /// Returns the condition with the values of its texts.
    ///
    /// - Throws: `CommandFailure` where a text is no value that the other side may have.
    func reading(_ predicate: QueryPredicate, of entity: EntityDescription) throws -> QueryPredicate {
        switch predicate {
        case .constant: predicate
        case .and(let parts): .and(try parts.map { try reading($0, of: entity) })
        case .or(let parts): .or(try parts.map { try reading($0, of: entity) })
        case .not(let part): .not(try reading(part, of: entity))
        case .comparison(let comparison): .comparison(try reading(comparison, of: entity))
        }
    }

    private func reading(_ comparison: QueryComparison, of entity: EntityDescription) throws -> QueryComparison {
        var comparison = comparison
        comparison.left = try reading(comparison.left, of: entity)
        comparison.right = try reading(comparison.right, of: entity)
        switch comparison.operator {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn, .between, .contains:
            if let held = held(comparison.left, entity) { comparison.right = try constant(comparison.right, for: held) }
            if let held = held(comparison.right, entity) { comparison.left = try constant(comparison.left, for: held) }
        case .beginsWith, .endsWith, .like, .matches: break
        }
        return comparison
    }

    /// Returns the expression with the values of the texts in its conditions.
    private func reading(_ expression: QueryExpression, of entity: EntityDescription) throws -> QueryExpression {
        switch expression {
        case .path(let base, let path): return .path(try reading(base, of: entity), path)
        case .function(let function, let parts): return .function(function, try parts.map { try reading($0, of: entity) })
        case .conditional(let condition, let a, let b):
            return .conditional(try reading(condition, of: entity), try reading(a, of: entity), try reading(b, of: entity))
        case .subquery(let base, let name, let condition):
            guard let element = objects(of: base, entity) else { return expression }
            var inner = self
            inner.variables[name] = element
            return .subquery(base, variable: name, try inner.reading(condition, of: entity))
        default: return expression
        }
    }

    private func held(_ expression: QueryExpression, _ entity: EntityDescription) -> Held? {
        switch expression {
        case .evaluatedObject, .variable: return objects(of: expression, entity).map { _ in .objects }
        case .keyPath(let path): return held(at: path, entity)
        case .path(let base, let path): return objects(of: base, entity).flatMap { held(at: path, $0) }
        case .function(.min, let parts), .function(.max, let parts): return parts.first.flatMap { held($0, entity) }
        default: return nil
        }
    }

    private func held(at path: String, _ entity: EntityDescription) -> Held? {
        if let attribute = entity.attribute(named: path) {
            switch attribute.type {
            case .date, .uuid, .binary: return .values(attribute.type)
            default: return nil
            }
        }
        let parts = path.split(separator: ".", maxSplits: 1)
        guard let first = parts.first else { return nil }
        let rest = parts.dropFirst().first.map(String.init)
        if first == "@min" || first == "@max" { return rest.flatMap { held(at: $0, entity) } }
        guard let destination = objects(at: String(first), entity) else { return nil }
        return rest.map { held(at: $0, destination) } ?? .objects
    }

    /// Returns the entity of the objects that an expression evaluates to; `nil` for other expressions.
    private func objects(of expression: QueryExpression, _ entity: EntityDescription) -> EntityDescription? {
        switch expression {
        case .evaluatedObject: return entity
        case .variable(let name): return variables[name]
        case .keyPath(let path): return objects(at: path, entity)
        case .path(let base, let path): return objects(of: base, entity).flatMap { objects(at: path, $0) }
        default: return nil
        }
    }

    private func objects(at path: String, _ entity: EntityDescription) -> EntityDescription? {
        var entity: EntityDescription? = entity
        for name in path.split(separator: ".") {
            entity = entity?.relationship(named: String(name)).map { context.model.entities[$0.destination] }
        }
        return entity
    }

    private func constant(_ expression: QueryExpression, for held: Held) throws -> QueryExpression {
        guard case .constant(let value) = expression else { return expression }
        return .constant(try self.value(value, for: held))
    }

    private func value(_ value: Value, for held: Held) throws -> Value {
        switch value {
        case .list(let values): return .list(try values.map { try self.value($0, for: held) })
        case .string(let text):
            if let read = read(text, for: held) { return read }
            throw CommandFailure(.data, "\"\(text)\" is not \(TextConstants.form(of: held))")
        default: return value
        }
    }

    private func read(_ text: String, for held: Held) -> Value? {
        switch held {
        case .values(.date):
            // A number would be seconds since 2001, where most mean a year.
            guard text.contains("-"), let date = DateText.date(text) ?? DateText.date(text + "T00:00Z") else { return nil }
            return .date(date)
        case .values(let type): return type.value(text)
        case .objects: return context.persistentStoreCoordinator?.objectID(spelled: text).map { .objectID($0) }
        }
    }

    private static func form(of held: Held) -> String {
        switch held {
        case .values(.date): "a date, such as \"2026-11-30\", its beginning in UTC, or \"2026-11-30T12:00:00+01:00\""
        case .values(.uuid): "a UUID"
        case .values: "bytes in base64"
        case .objects: "the URI of an object in this store, or the end of it, such as \"Person/p3\""
        }
    }
}

extension PersistentStoreCoordinator {
    /// Returns the ID of an object by its URI, or by the end of it, `Person/p3`, in the first store; `nil` where there is none.
    func objectID(spelled uri: String) -> ObjectID? {
        if uri.contains("://") { return objectID(forURI: uri) }
        return stores.first.flatMap { objectID(forURI: "x-coredata://\($0.id)/\(uri)") }
    }
}
