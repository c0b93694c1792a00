import FoundationEssentials
import Strata

/// Makes random predicates over the guild: comparisons of every type, quantifiers, subqueries, aggregates, functions.
struct QueryGenerator {
    /// The kinds of value that expressions are made of.
    enum Kind: CaseIterable {
        case integer, number, text, flag, date, decimal, uuid
    }

    /// An object that paths start from.
    struct Scope {
        let entity: String
        /// The variable; `nil` for the fetched object.
        let variable: String?

        func path(_ path: String) -> QueryExpression {
            guard let variable else { return path.isEmpty ? .evaluatedObject : .keyPath(path) }
            return path.isEmpty ? .variable(variable) : .path(.variable(variable), path)
        }
    }

    private static let attributes: [String: [(String, Kind)]] = [
        "Member": [
            ("number", .integer), ("age", .integer), ("score", .number), ("price", .decimal), ("name", .text), ("nick", .text),
            ("paid", .flag), ("born", .date), ("tag", .uuid),
        ],
        "House": [("name", .text), ("rating", .number)],
        "Room": [("name", .text), ("size", .integer)],
        "Skill": [("name", .text), ("level", .integer)],
    ]
    private static let toOne: [String: [(String, String)]] = [
        "Member": [("boss", "Member"), ("house", "House")], "House": [("owner", "Member")], "Room": [("house", "House")], "Skill": [],
    ]
    private static let toMany: [String: [(String, String)]] = [
        "Member": [("staff", "Member"), ("friends", "Member"), ("skills", "Skill")], "House": [("members", "Member"), ("rooms", "Room")],
        "Room": [], "Skill": [("members", "Member")],
    ]

    var generator: SeededGenerator
    /// IDs of members, for comparisons of objects.
    let members: [ObjectID]
    private var variables = 0

    init(seed: UInt64, members: [ObjectID]) {
        generator = SeededGenerator(seed: seed)
        self.members = members
    }

    private mutating func pick<T>(_ choices: [T]) -> T { choices[generator.below(choices.count)] }

    // MARK: - Predicates

    /// A predicate over members.
    mutating func predicate(depth: Int) -> QueryPredicate { predicate(Scope(entity: "Member", variable: nil), [], depth) }

    private mutating func predicate(_ scope: Scope, _ outer: [Scope], _ depth: Int) -> QueryPredicate {
        if depth > 0, generator.chance(45) {
            let parts = (0..<(2 + generator.below(2))).map { _ in predicate(scope, outer, depth - 1) }
            switch generator.below(5) {
            case 0, 1: return .and(parts)
            case 2, 3: return .or(parts)
            default: return .not(parts[0])
            }
        }
        switch generator.below(20) {
        case 0: return .constant(generator.chance(50))
        case 1, 2, 3: return objects(scope)
        case 4, 5, 6, 7, 8: return quantified(scope, outer, depth)
        case 9, 10: return counted(scope, outer, depth)
        case 11, 12, 13: return textual(scope, outer, depth)
        default: return comparison(scope, outer, depth)
        }
    }

    private mutating func comparison(_ scope: Scope, _ outer: [Scope], _ depth: Int) -> QueryPredicate {
        let kind = pick(Kind.allCases)
        let left = value(kind, scope, outer, depth)
        switch generator.below(10) {
        case 0: return .comparison(.init(left, .isIn, .constant(.list((0..<generator.below(5)).map { _ in constant(kind) }))))
        case 1 where kind != .flag && kind != .uuid:
            return .comparison(.init(left, .between, .constant(.list([constant(kind), constant(kind)]))))
        case 2: return .comparison(.init(left, pick([.equal, .notEqual]), .constant(.null)))
        default:
            let op: QueryComparison.Operator =
                kind == .flag ? pick([.equal, .notEqual]) : pick([.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual])
            return .comparison(.init(left, op, generator.chance(60) ? .constant(constant(kind)) : value(kind, scope, outer, depth)))
        }
    }

    private mutating func textual(_ scope: Scope, _ outer: [Scope], _ depth: Int) -> QueryPredicate {
        let op = pick([QueryComparison.Operator.contains, .beginsWith, .endsWith, .like, .matches, .equal, .less, .isIn])
        let options = pick(
            [[], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive]] as [QueryComparison.Options])
        let left = value(.text, scope, outer, depth)
        switch op {
        case .like:
            return .comparison(.init(left, op, .constant(.string(pick(["*", "a*", "?", "*b*", "\\*", "x\\*y", "", "S?"]))), options))
        case .matches:
            return .comparison(.init(left, op, .constant(.string(pick(["a.*", "[ab]+", ".?", "(a|S)+", "\\w+", "x\\*y"]))), options))
        case .isIn: return .comparison(.init(left, op, .constant(.list((0..<3).map { _ in constant(.text) })), options))
        case .contains where generator.chance(25), .beginsWith where generator.chance(25), .endsWith where generator.chance(25):
            return .comparison(.init(left, op, value(.text, scope, outer, 0), options))
        default: return .comparison(.init(left, op, .constant(.string(pick(Guild.names))), options))
        }
    }

    private mutating func objects(_ scope: Scope) -> QueryPredicate {
        let paths =
            scope.entity == "Member" ? ["", "boss", "boss.boss", "house.owner"] : scope.entity == "House" ? ["owner", "owner.boss"] : []
        guard !paths.isEmpty else { return .comparison(.init(scope.path("name"), .notEqual, .constant(.null))) }
        let left = scope.path(pick(paths))
        switch generator.below(5) {
        case 0: return .comparison(.init(left, pick([.equal, .notEqual]), .constant(.null)))
        case 1: return .comparison(.init(left, pick([.equal, .notEqual]), .constant(.objectID(pick(members)))))
        case 2: return .comparison(.init(left, .isIn, .constant(.list((0..<generator.below(6)).map { _ in .objectID(pick(members)) }))))
        case 3: return .comparison(.init(left, pick([.equal, .notEqual]), scope.path(pick(paths))))
        default: return .comparison(.init(left, .isIn, scope.path(scope.entity == "Member" ? "friends" : "members")))
        }
    }

    /// A to-many path, and the entity of its destinations.
    private mutating func collection(_ scope: Scope) -> (QueryExpression, String)? {
        var (path, entity) = ("", scope.entity)
        if generator.chance(25), let step = Self.toOne[entity]?.randomElement(using: &generator) { (path, entity) = (step.0 + ".", step.1) }
        guard let many = Self.toMany[entity]?.randomElement(using: &generator) else { return nil }
        (path, entity) = (path + many.0, many.1)
        if generator.chance(12), let more = Self.toMany[entity]?.randomElement(using: &generator) {
            (path, entity) = (path + "." + more.0, more.1)
        }
        return (scope.path(path), entity)
    }

    private mutating func quantified(_ scope: Scope, _ outer: [Scope], _ depth: Int) -> QueryPredicate {
        guard let (collection, entity) = collection(scope), let attributes = Self.attributes[entity] else { return .constant(true) }
        let (name, kind) = pick(attributes)
        let left = appending(name, to: collection)
        let comparison =
            switch generator.below(4) {
            case 0: QueryComparison(left, .isIn, .constant(.list((0..<generator.below(4)).map { _ in constant(kind) })))
            case 1: QueryComparison(left, pick([.equal, .notEqual]), .constant(.null))
            default:
                QueryComparison(
                    left, kind == .flag ? .equal : pick([.equal, .notEqual, .less, .greater]),
                    generator.chance(60) ? .constant(constant(kind)) : value(kind, scope, outer, 0))
            }
        var quantified = comparison
        quantified.modifier = pick([.any, .all])
        return generator.chance(20) ? .not(.comparison(quantified)) : .comparison(quantified)
    }

    private func appending(_ name: String, to collection: QueryExpression) -> QueryExpression {
        switch collection {
        case .keyPath(let path): .keyPath(path + "." + name)
        case .path(let base, let path): .path(base, path + "." + name)
        default: .path(collection, name)
        }
    }

    /// A comparison of the number of a subquery's elements.
    private mutating func counted(_ scope: Scope, _ outer: [Scope], _ depth: Int) -> QueryPredicate {
        guard outer.count < 2, let (collection, entity) = collection(scope) else { return .constant(false) }
        variables += 1
        let name = "v\(variables)"
        let element = Scope(entity: entity, variable: name)
        let condition = predicate(element, outer + [scope], max(0, depth - 1))
        let subquery = QueryExpression.subquery(collection, variable: name, condition)
        return .comparison(
            .init(.path(subquery, "@count"), pick([.equal, .greater, .less, .notEqual]), .constant(.int(Int64(generator.below(3))))))
    }

    // MARK: - Expressions

    private mutating func constant(_ kind: Kind) -> Value {
        if generator.chance(8) { return .null }
        switch kind {
        case .integer: return generator.chance(85) ? .int(Int64(generator.below(10)) - 3) : .double(Double(generator.below(12)) / 2 - 2)
        case .number: return .double(pick([0, 1.5, -2, 3, 2.25, .nan, -.infinity]))
        case .decimal: return .decimal(Decimal(generator.below(9)) / 4 - 1)
        case .text: return .string(pick(Guild.names))
        case .flag: return .bool(generator.chance(50))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(generator.below(5)) * 3600))
        case .uuid: return .uuid(UUID(uuid: (UInt8(generator.below(4)), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
        }
    }

    private mutating func attribute(_ kind: Kind, _ scope: Scope) -> QueryExpression {
        var (prefix, entity) = ("", scope.entity)
        for _ in 0..<2 {
            guard generator.chance(25), let step = Self.toOne[entity]?.randomElement(using: &generator) else { break }
            (prefix, entity) = (prefix + step.0 + ".", step.1)
        }
        guard let fitting = Self.attributes[entity]?.filter({ $0.1 == kind }), !fitting.isEmpty else { return .constant(constant(kind)) }
        return scope.path(prefix + pick(fitting).0)
    }

    private mutating func value(_ kind: Kind, _ scope: Scope, _ outer: [Scope], _ depth: Int) -> QueryExpression {
        if generator.chance(15), !outer.isEmpty { return attribute(kind, pick(outer)) }
        if depth > 0, generator.chance(12) {
            return .conditional(
                predicate(scope, outer, 0), value(kind, scope, outer, depth - 1), value(kind, scope, outer, depth - 1))
        }
        guard depth > 0, generator.chance(35) else { return attribute(kind, scope) }
        switch kind {
        case .integer:
            switch generator.below(7) {
            case 0, 1: return aggregate(scope, [.integer]) ?? attribute(kind, scope)
            case 2: return .function(.abs, [value(.integer, scope, outer, depth - 1)])
            case 3: return .function(.length, [value(.text, scope, outer, depth - 1)])
            case 4: return .function(.negate, [value(.integer, scope, outer, depth - 1)])
            case 5: return .function(pick([.bitwiseAnd, .bitwiseOr, .bitwiseXor]), operands(.integer, scope, outer, depth))
            default: return chain([.add, .subtract, .multiply, .divide, .modulus], operands(.integer, scope, outer, depth))
            }
        case .number:
            switch generator.below(5) {
            case 0, 1: return aggregate(scope, [.integer, .number]) ?? attribute(kind, scope)
            case 2: return .function(pick([.floor, .ceiling, .trunc, .abs]), [value(.number, scope, outer, depth - 1)])
            default: return chain([.add, .subtract, .multiply, .divide], operands(.number, scope, outer, depth))
            }
        case .text: return .function(pick([.uppercase, .lowercase, .canonical]), [value(.text, scope, outer, depth - 1)])
        case .decimal: return chain([.add, .subtract, .multiply], operands(.decimal, scope, outer, depth))
        case .date: return .function(.add, [value(.date, scope, outer, depth - 1), .constant(.double(3600))])
        case .flag, .uuid: return attribute(kind, scope)
        }
    }

    /// Two operands joined by an operator, at times as part of a chain on the left.
    private mutating func chain(_ operators: [QueryFunction], _ operands: [QueryExpression]) -> QueryExpression {
        .chain(operands[0], pick(operators), operands[1])
    }

    private mutating func operands(_ kind: Kind, _ scope: Scope, _ outer: [Scope], _ depth: Int) -> [QueryExpression] {
        [value(kind, scope, outer, depth - 1), generator.chance(50) ? .constant(constant(kind)) : value(kind, scope, outer, depth - 1)]
    }

    private mutating func aggregate(_ scope: Scope, _ kinds: [Kind]) -> QueryExpression? {
        guard let (collection, entity) = collection(scope) else { return nil }
        let numeric = Self.attributes[entity]?.filter { kinds.contains($0.1) } ?? []
        if numeric.isEmpty || generator.chance(40) { return appending("@count", to: collection) }
        let name = pick(numeric).0
        let function = pick(["@sum", "@avg", "@min", "@max"])
        return appending(generator.chance(50) ? "\(name).\(function)" : "\(function).\(name)", to: collection)
    }
}
