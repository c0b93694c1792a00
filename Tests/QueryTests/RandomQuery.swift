import FoundationEssentials
import StrataModel
import StrataQuery
import StrataTestRandom
import StrataText

/// Random trees of everything that the format language can say, in the shape in which the parser makes them.
///
/// Names are of no model; a test that wants trees about one gives its own.
struct RandomQuery {
    var random: SeededGenerator
    /// Names of attributes and relationships.
    var names = [
        "age", "name", "a", "size", "first", "in", "NOT", "self", "objectID", "姓名", "größe", "odd name", "a-b", "1st", "", "q\"uote",
        "back\\slash",
        "nul\0", "line\nbreak", "🙂", "%K", "union", "cast", "#x", "e\u{301}",
    ]
    var entities = ["Person", "Firma", "it's \"odd\""]
    /// An entity whose IDs are constants; none without one.
    var scopes: [ObjectIDScope] = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    mutating func predicate(depth: Int) -> QueryPredicate {
        switch depth <= 0 ? 0 : below(10) {
        case 1: return .and(parts(depth))
        case 2: return .or(parts(depth))
        case 3: return .not(predicate(depth: depth - 1))
        case 4: return .constant(chance(50))
        default: return .comparison(comparison(depth: depth))
        }
    }

    private mutating func parts(_ depth: Int) -> [QueryPredicate] {
        let count = 2 + below(3)
        return (0..<count).map { _ in predicate(depth: depth - 1) }
    }

    mutating func comparison(depth: Int) -> QueryComparison {
        QueryComparison(
            expression(depth: depth - 1), random.pick(QueryComparison.Operator.allCases), expression(depth: depth - 1),
            chance(60) ? [] : QueryComparison.Options(rawValue: below(32)), modifier: chance(70) ? .direct : random.pick([.any, .all]))
    }

    mutating func expression(depth: Int) -> QueryExpression {
        switch depth <= 0 ? below(4) : below(17) {
        case 0: return .constant(value(depth: 1))
        case 1, 2: return .keyPath(path())
        case 3: return random.pick([.evaluatedObject, .anyKey, .variable(variable())])
        case 4: return .path(expression(depth: depth - 1), path())
        case 5:
            // A list of constants is a constant.
            return .list([.variable(variable())] + expressions(depth))
        case 6, 7, 8: return function(depth)
        case 9: return .custom(expression(depth: depth - 1), random.pick(["initials", "a:b:", "o\"dd"]), expressions(depth))
        case 10:
            return .conditional(predicate(depth: depth - 1), expression(depth: depth - 1), expression(depth: depth - 1))
        case 11: return .subquery(expression(depth: depth - 1), variable: variable(), predicate(depth: depth - 1))
        case 12:
            return .combined(
                random.pick(QueryExpression.SetOperation.allCases), expression(depth: depth - 1), expression(depth: depth - 1))
        case 13:
            let position: QueryExpression.Position =
                chance(50) ? random.pick([.first, .last, .size]) : .at(expression(depth: depth - 1))
            return .element(expression(depth: depth - 1), position)
        case 14: return .assignment(variable(), expression(depth: depth - 1))
        case 15:
            let condition = chance(30) ? nil : predicate(depth: depth - 1)
            return .fetch(QueryFetch(random.pick(entities), condition, countOnly: chance(50)))
        default: return .constant(value(depth: 2))
        }
    }

    private mutating func expressions(_ depth: Int) -> [QueryExpression] {
        let count = below(3)
        return (0..<count).map { _ in expression(depth: depth - 1) }
    }

    private mutating func function(_ depth: Int) -> QueryExpression {
        var function = random.pick(QueryFunction.allCases)
        if chance(40) { function = random.pick([.add, .subtract, .multiply, .divide, .raise, .negate]) }
        if chance(20) {
            let operators = chance(50) ? [QueryFunction.add, .subtract] : [.multiply, .divide, .modulus]
            return (0..<1 + below(4)).reduce(expression(depth: depth - 1)) { left, _ in
                .chain(left, random.pick(operators), expression(depth: depth - 1))
            }
        }
        // A cast of a constant may be another constant.
        if function == .cast {
            return .function(.cast, [.keyPath(path()), .constant(.string(random.pick(["NSDate", "Odd"])))])
        }
        // The parser knows the system's time zones.
        if function.rawValue.hasSuffix(":in:") {
            return .function(function, [expression(depth: depth - 1), .constant(.string(random.pick(["Europe/Rome", "UTC"])))])
        }
        let count = function.argumentCount ?? below(4)
        return .function(function, (0..<count).map { _ in expression(depth: depth - 1) })
    }

    mutating func variable() -> String { random.pick(["x", "y", "NAME", "FETCH_SOURCE", "größe", "in", "odd one"]) }

    mutating func path() -> String {
        var path = name()
        while chance(30) { path += "." + name() }
        return path
    }

    private mutating func name() -> String {
        chance(15)
            ? random.pick(["@count", "@sum", "@avg", "@min", "@max", "@unionOfObjects", "@distinctUnionOfArrays", "@"]) : random.pick(names)
    }

    mutating func text() -> String {
        let pieces = [
            "a", "é", "e\u{301}", "'", "\"", "\\", "\n", "\r\n", "\t", "\0", "\u{7F}", "%@", "%", "DROP TABLE x; --", "张三", "🙂", " ",
            "#", "\u{2028}",
        ]
        return (0..<below(5)).reduce("") { text, _ in text + random.pick(pieces) }
    }

    mutating func value(depth: Int) -> Value {
        switch below(depth > 0 ? 13 : 12) {
        case 0: return .null
        case 1: return .bool(chance(50))
        case 2: return .int(random.pick([0, 1, -1, 42, .max, .min, -7]))
        case 3:
            return .double(random.pick([0, -0.0, 1, -1.5, 1e300, Double.leastNonzeroMagnitude, 0.1, .nan, .infinity, -.infinity, 1e16]))
        case 4: return .double(Double(bitPattern: random.next()))
        case 5: return .decimal(random.pick([0, 1, -3, .nan, .greatestFiniteMagnitude, Decimal(17) / 1_000_000]))
        case 6: return .date(Date(timeIntervalSinceReferenceDate: random.pick([0, -1.5, 1e9 / 3, .infinity, -.infinity, .nan])))
        case 7: return .data(Data((0..<below(5)).map { _ in UInt8.random(in: 0...255, using: &random) }))
        case 8: return .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(below(256)))))
        case 9: return URL(string: random.pick(["https://a.b/c?d=e%20f#g", "file:///x", "rel/a'tive"])).map { .url($0) } ?? .null
        case 10 where !scopes.isEmpty:
            let scope = random.pick(scopes)
            let reference = scope.isTemporary ? Int64.min + Int64(below(100)) : Int64(1 + below(1000))
            return .objectID(ObjectID(scope: scope, reference: reference))
        case 12: return .list((0..<below(4)).map { _ in value(depth: depth - 1) })
        default: return .string(text())
        }
    }
}
