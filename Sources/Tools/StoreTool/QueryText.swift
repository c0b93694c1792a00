public import Strata

/// A query as text: an entity, and clauses in the format language.
///
/// `Person where age > 18 and name beginswith "A" sort name, age desc limit 10`
///
/// The clauses are `select`, `where`, `group`, `having`, `sort`, `limit` and `offset`, each at most once and in this
/// order, in any case. A property with the name of a clause takes the language's `#`: `where #limit > 3`; any other name stands in quotes
/// behind one: `#"odd name" where #"a,b" > 3`.
public struct QueryText: Sendable {
    /// The clauses, in their order.
    private enum Clause: Int, CaseIterable {
        case entity, select, `where`, group, having, sort, limit, offset
    }

    /// The greatest number of results, in place of a greater `limit` in the text; `nil` for the text's alone.
    public var greatestCount: Int?
    private let text: String
    private var clauses: [Clause: Substring] = [:]

    /// Divides a text into its clauses.
    ///
    /// - Throws: `CommandFailure` where a clause comes twice or out of order, or a quoted text does not end.
    public init(_ text: String) throws {
        self.text = text
        var clause = Clause.entity
        var start = text.startIndex
        for word in try TopLevelText(text).words {
            guard let next = Clause.allCases.dropFirst().first(where: { "\($0)" == word.lowercased() }) else { continue }
            guard next.rawValue > clause.rawValue else {
                throw CommandFailure(.data, "\(word) cannot stand behind \(clause)\n\(QueryText.mark(word.startIndex, in: text))")
            }
            clauses[clause] = text[start..<word.startIndex]
            (clause, start) = (next, word.endIndex)
        }
        clauses[clause] = text[start...]
    }

    /// Whether the query computes values rather than finding objects.
    public var selects: Bool { clauses[.select] != nil || clauses[.group] != nil }

    /// Returns whether the name of an entity stands in a query as it is: letters and digits, and no clause.
    public static func isPlain(_ name: String) -> Bool {
        name.allSatisfy { $0.isLetter || $0.isNumber } && !Clause.allCases.dropFirst().contains { "\($0)" == name.lowercased() }
    }

    /// Returns the request of the query for a context of one store.
    ///
    /// - Throws: `CommandFailure` where a clause is malformed, or the model has no such entity.
    public func request(in context: ManagedObjectContext) throws -> ObjectFetchRequest<ManagedObject> {
        let name = try entityName(clauses[.entity, default: ""])
        let model = context.model
        guard let entity = model.entity(named: name) else {
            if let end = name.firstIndex(where: \.isWhitespace), model.entity(named: String(name[..<end])) != nil {
                let word = text.index(text.startIndex, offsetBy: name.distance(from: name.startIndex, to: end))
                throw CommandFailure(.data, "expected where or another clause\n\(QueryText.mark(word, in: text))")
            }
            let known = model.entities.map(\.name).sorted().joined(separator: ", ")
            throw CommandFailure(.data, "the model has no entity \(name.isEmpty ? "without a name" : name): it has \(known)")
        }
        var request = ObjectFetchRequest<ManagedObject>(entityName: name)
        request.predicate = try predicate(.where, entity, context)
        request.havingPredicate = try predicate(.having, entity, context)
        request.sort = try items(.sort).map(sort)
        request.limit = [try number(.limit), greatestCount].compactMap(\.self).min()
        request.offset = try number(.offset) ?? 0
        let keys = try items(.group).map(column)
        let columns = try items(.select).map(column)
        request.propertiesToGroupBy = keys
        if clauses[.select] != nil {
            request.propertiesToFetch = columns
        } else if !keys.isEmpty {
            request.propertiesToFetch = keys + [.count()]
        }
        return request
    }

    /// Returns the name of the entity, which may stand in quotes behind a `#`.
    private func entityName(_ part: Substring) throws -> String {
        guard part.trimmed.hasPrefix("#") else { return part.trimmed }
        do {
            guard case .keyPath(let name) = try QueryExpression(format: String(part)) else { return part.trimmed }
            return name
        } catch {
            throw failure(error, in: part)
        }
    }

    private func predicate(_ clause: Clause, _ entity: EntityDescription, _ context: ManagedObjectContext) throws -> QueryPredicate? {
        guard let part = clauses[clause] else { return nil }
        let parsed: QueryPredicate
        do { parsed = try QueryPredicate(format: String(part), model: context.model) } catch { throw failure(error, in: part) }
        return try TextConstants(context).reading(parsed, of: entity)
    }

    /// Parses a column: an expression, with a name behind `as` or that of its text.
    private func column(_ part: Substring) throws -> ExpressionDescription {
        let name = try TopLevelText(part).words.last { $0.lowercased() == "as" }
        let expression = part[..<(name?.startIndex ?? part.endIndex)]
        do {
            let parsed = try QueryExpression(format: String(expression))
            return ExpressionDescription(name: name.map { part[$0.endIndex...].trimmed } ?? expression.trimmed, expression: parsed)
        } catch {
            throw failure(error, in: expression)
        }
    }

    private func sort(_ part: Substring) throws -> QuerySort {
        let words = part.split(whereSeparator: \.isWhitespace)
        switch (words.count, words.last?.lowercased()) {
        case (1, _): return QuerySort(String(words[0]))
        case (2, "asc"): return QuerySort(String(words[0]))
        case (2, "desc"): return QuerySort(String(words[0]), ascending: false)
        default:
            throw CommandFailure(.data, "sort takes names, each with asc or desc behind it\n\(QueryText.mark(part.startIndex, in: text))")
        }
    }

    private func number(_ clause: Clause) throws -> Int? {
        guard let part = clauses[clause] else { return nil }
        if let number = Int(part.trimmed), number >= 0 { return number }
        throw CommandFailure(.data, "\(clause) takes a number\n\(QueryText.mark(part.startIndex, in: text))")
    }

    private func items(_ clause: Clause) throws -> [Substring] {
        guard let part = clauses[clause] else { return [] }
        let items = try TopLevelText(part).items
        if let empty = items.first(where: { $0.trimmed.isEmpty }) {
            throw CommandFailure(.data, "\(clause) lacks a name\n\(QueryText.mark(empty.startIndex, in: text))")
        }
        return items
    }

    private func failure(_ error: QueryFormatError, in part: Substring) -> CommandFailure {
        let position = text.distance(from: text.startIndex, to: part.startIndex) + error.position
        return CommandFailure(.data, CommandFailure.text(error, in: text, at: position))
    }

    private static func mark(_ index: String.Index, in text: String) -> String {
        let word = text[index...].firstIndex { !$0.isWhitespace } ?? text.endIndex
        let position = text.distance(from: text.startIndex, to: word)
        return CommandFailure.marked(text, at: position)
    }
}

extension StringProtocol {
    /// The text without white space at its ends.
    public var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
