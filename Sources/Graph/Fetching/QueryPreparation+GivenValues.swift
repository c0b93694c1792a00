import StrataModel
import StrataQuery

/// Subqueries from given objects whose conditions read the fetched object. The variable is replaced by each object that
/// the given one references, and its values by constants; what is left is a list of those that meet the condition.
extension QueryPreparation {
    /// A value that a path references from a given object, and the condition on which it counts, if any.
    private struct Candidate {
        let value: Value
        var condition: QueryPredicate?
    }

    /// The greatest number of objects of such a subquery: the condition is written out for each.
    private static let mostCandidates = 100_000

    /// Returns an expression over a given object with its values as constants; throws `QueryError` where the path does
    /// not fit, or references too many objects.
    func givenValues(of expression: QueryExpression) throws -> QueryExpression {
        switch expression {
        case .path(let base, let text):
            let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard let first = names.firstIndex(where: { $0.hasPrefix("@") }) else {
                guard case .element(let collection, let position) = base else { break }
                return .element(list(try follow(text, from: try candidates(collection), hasSingleValues: true)), try prepare(position))
            }
            // The names behind an operator belong to its operand.
            let next = names[(first + 1)...].firstIndex { $0.hasPrefix("@") } ?? names.endIndex
            let operand = (names[..<first] + names[(first + 1)..<next]).joined(separator: ".")
            let values = try givenValues(of: operand.isEmpty ? base : .path(base, operand))
            return .path(values, ([names[first]] + names[next...]).joined(separator: "."))
        case .element(let collection, let position): return .element(try givenValues(of: collection), try prepare(position))
        default: break
        }
        return list(try candidates(expression))
    }

    private func prepare(_ position: QueryExpression.Position) throws -> QueryExpression.Position {
        if case .at(let index) = position { .at(try prepare(index)) } else { position }
    }

    private func list(_ candidates: [Candidate]) -> QueryExpression {
        if candidates.allSatisfy({ $0.condition == nil }) { return .constant(.list(candidates.map(\.value))) }
        return .function(
            .joined,
            candidates.map { candidate in
                let value = QueryExpression.constant(.list([candidate.value]))
                return candidate.condition.map { .conditional($0, value, .constant(.list([]))) } ?? value
            })
    }

    private func candidates(_ expression: QueryExpression) throws -> [Candidate] {
        var found: [Candidate] = []
        switch expression {
        case .path(.path(let base, let start), let text): return try candidates(.path(base, start + "." + text))
        case .path(let base, let text): return try follow(text, from: try candidates(base))
        case .subquery(let base, let variable, let condition):
            for var candidate in try candidates(base) where !candidate.value.isNull {
                let own = try prepare(condition.withSubstitutionVariables([variable: candidate.value]))
                candidate.condition = candidate.condition.map { $0 && own } ?? own
                found.append(candidate)
            }
        default:
            guard let id = expression.objectID(in: context.model) else {
                throw QueryError(
                    .illegalKeyPath, subject: expression.description,
                    "which element it is depends on the object that is fetched, and nothing can be asked of it but an attribute")
            }
            found = [Candidate(value: .objectID(id))]
        }
        return found
    }

    /// Returns what a path references from each of some objects; throws `QueryError` for several values instead of one.
    private func follow(_ text: String, from candidates: [Candidate], hasSingleValues: Bool = false) throws -> [Candidate] {
        var found: [Candidate] = []
        for candidate in candidates {
            guard case .objectID(let id) = candidate.value else { continue }
            switch try value(of: .keyPath(text), for: id) {
            case .list where hasSingleValues:
                throw QueryError(.illegalKeyPath, entity: id.entity.name, subject: text, "it does not have a single value")
            case .list(let values): found += values.map { Candidate(value: $0, condition: candidate.condition) }
            case let value: found.append(Candidate(value: value, condition: candidate.condition))
            }
            if found.count > QueryPreparation.mostCandidates {
                throw QueryError(
                    .tooDeep, entity: id.entity.name, subject: text,
                    "a condition that reads the fetched object goes through \(QueryPreparation.mostCandidates) objects of a given one at most"
                )
            }
        }
        return found
    }
}
