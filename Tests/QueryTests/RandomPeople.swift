import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataText

/// Random values, and predicates over them, that often meet.
enum RandomPeople {
    static let texts = ["", "a", "A", "ab", "\u{E9}", "e\u{301}", "E", "ß", "ss", "SS", "b\0", "a*b", "z"]
    static let numbers: [Double] = [-1, 0, 0.5, 1, 2, .nan, .infinity, 1e300]

    static func value<G: RandomNumberGenerator>(of type: AttributeType, _ random: inout G) -> Value {
        switch type {
        case .integer16, .integer32, .integer64: return .int(Int64.random(in: -2...3, using: &random))
        case .double, .float: return .double(numbers.randomElement(using: &random) ?? 0)
        case .decimal: return .decimal(Decimal(Int.random(in: -2...3, using: &random)) / 2)
        case .boolean: return .bool(Bool.random(using: &random))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(Int.random(in: 0...3, using: &random))))
        case .string: return .string(texts.randomElement(using: &random) ?? "")
        case .uuid:
            let last = UInt8.random(in: 0...3, using: &random)
            return .uuid(UUID(uuid: (last << 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last)))
        case .uri: return URL(string: "https://a/\(Int.random(in: 0...3, using: &random))").map { .url($0) } ?? .null
        default: return .null
        }
    }

    /// Values of a person, some of them missing.
    static func values<G: RandomNumberGenerator>(_ random: inout G) -> [String: Value] {
        let types: [String: AttributeType] = [
            "age": .integer16, "born": .date, "height": .double, "key": .uuid, "name": .string, "nick": .string, "page": .uri,
            "paid": .boolean,
            "salary": .decimal, "weight": .float,
        ]
        var values: [String: Value] = [:]
        for (name, type) in types.sorted(by: { $0.key < $1.key }) where Int.random(in: 0..<4, using: &random) > 0 {
            values[name] = value(of: type, &random)
        }
        if Bool.random(using: &random) { values["boss"] = .int(Int64.random(in: 1...12, using: &random)) }
        return values
    }

    /// A comparison of an attribute with a constant, or now and then with another attribute.
    static func comparison<G: RandomNumberGenerator>(_ entity: EntityDescription, _ random: inout G) -> QueryComparison {
        let attributes = entity.attributes.filter { !$0.isTransient }
        guard let attribute = attributes.randomElement(using: &random) else { fatalError("the entity has attributes") }
        let isText = attribute.type == .string || attribute.type == .uri
        let operators = QueryComparison.Operator.allCases.filter { $0 != .matches && (!$0.isTextual || isText) }
        let op = operators.randomElement(using: &random) ?? .equal
        let options = isText ? QueryComparison.Options(rawValue: Int.random(in: 0...3, using: &random)) : []
        let path = QueryExpression.keyPath((Int.random(in: 0..<3, using: &random) == 0 ? "boss." : "") + attribute.name)
        func constant() -> Value {
            if Int.random(in: 0..<6, using: &random) == 0 && !op.isTextual { return .null }
            if attribute.type.isNumeric && Bool.random(using: &random) { return .int(Int64.random(in: -2...3, using: &random)) }
            return op.isTextual ? .string(texts.randomElement(using: &random) ?? "") : value(of: attribute.type, &random)
        }
        switch op {
        case .isIn:
            let count = Int.random(in: 0...3, using: &random)
            return QueryComparison(path, op, .constant(.list((0..<count).map { _ in constant() })), options)
        case .between: return QueryComparison(path, op, .constant(.list([constant(), constant()])), options)
        default:
            if Int.random(in: 0..<5, using: &random) == 0 {
                return QueryComparison(path, op, .keyPath(attribute.name == "name" ? "nick" : attribute.name), options)
            }
            return QueryComparison(path, op, .constant(constant()), options)
        }
    }

    static func predicate<G: RandomNumberGenerator>(_ entity: EntityDescription, depth: Int, _ random: inout G) -> QueryPredicate {
        switch depth == 0 ? 0 : Int.random(in: 0..<4, using: &random) {
        case 1: return .not(predicate(entity, depth: depth - 1, &random))
        case 2: return .and((0..<Int.random(in: 0...3, using: &random)).map { _ in predicate(entity, depth: depth - 1, &random) })
        case 3: return .or((0..<Int.random(in: 0...3, using: &random)).map { _ in predicate(entity, depth: depth - 1, &random) })
        default: return .comparison(comparison(entity, &random))
        }
    }
}
