import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataPlatform
import StrataQuery
import Synchronization
import Testing

/// Runs a body on a thread with a stack of some bytes.
private func onStack(of bytes: Int, _ body: @escaping @Sendable () throws -> Void) throws {
    final class Task: Sendable {
        let body: @Sendable () throws -> Void
        let error = Mutex<(any Error)?>(nil)
        init(_ body: @escaping @Sendable () throws -> Void) { self.body = body }
        func run() { do { try body() } catch { self.error.withLock { $0 = error } } }
    }
    let task = Task(body)
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, bytes)
    defer { pthread_attr_destroy(&attributes) }
    var thread = pthread_t()
    let code = pthread_create(
        &thread, &attributes,
        { argument in
            if let argument { Unmanaged<Task>.fromOpaque(argument).takeRetainedValue().run() }
            return nil
        }, Unmanaged.passRetained(task).toOpaque())
    #expect(code == 0)
    pthread_join(thread, nil)
    if let error = task.error.withLock({ $0 }) { throw error }
}

extension QueryExpression {
    /// The expression with another one in the place of its last operand's last operand, and so on.
    fileprivate func replacingFoot(with foot: QueryExpression) -> QueryExpression {
        guard case .function(let function, let operands) = self, let last = operands.last else { return foot }
        return .function(function, operands.dropLast() + [last.replacingFoot(with: foot)])
    }
}

@Suite("Trees that are higher than any query", .timeLimit(.minutes(60)))
struct HighTreeTests {
    enum Shape: CaseIterable, Sendable {
        case not, and, single, sum, path, conditional, element, fetch, subquery, values

        /// A tree of this shape with some levels, and something at its foot.
        func tree(_ levels: Int, _ foot: Value) -> QueryPredicate {
            var predicate = QueryPredicate.comparison(.init(.keyPath("age"), .equal, .constant(foot)))
            var expression = QueryExpression.constant(foot)
            var value = foot
            for _ in 0..<levels {
                switch self {
                case .not: predicate = .not(predicate)
                case .and: predicate = .and([predicate, .constant(true)])
                case .single: predicate = .or([predicate])
                case .sum: expression = .function(.add, [.keyPath("age"), expression])
                case .path: expression = .path(expression, "boss")
                case .conditional:
                    expression = .conditional(.comparison(.init(expression, .equal, .constant(1))), .keyPath("age"), .constant(2))
                case .element: expression = .element(.keyPath("staff"), .at(expression))
                case .fetch: predicate = .comparison(.init(.fetch(QueryFetch("Person", predicate, countOnly: true)), .equal, .constant(1)))
                case .subquery: expression = .path(.subquery(expression, variable: "x", .constant(true)), "staff")
                case .values: value = .list([value])
                }
            }
            switch self {
            case .not, .and, .single, .fetch: return predicate
            case .values: return .comparison(.init(.keyPath("age"), .isIn, .constant(value)))
            default: return .comparison(.init(.keyPath("age"), .equal, expression))
            }
        }
    }

    /// What sanitizers multiply the stack of a call by, at most.
    private static let growth = ProcessInfo.processInfo.environment["STRATA_SANITIZE"] == nil ? 1 : 8

    #if DEBUG
        private static let smallStack = growth << 20
    #else
        private static let smallStack = growth << 19
    #endif

    /// Trees, made and released where there is room for it.
    private func withTrees(
        _ shape: Shape, _ levels: Int, _ body: @escaping @Sendable (QueryPredicate, QueryPredicate, QueryPredicate) throws -> Void
    ) throws {
        try onStack(of: HighTreeTests.growth << 28) {
            let (tree, same, other) = (shape.tree(levels, 1), shape.tree(levels, 1), shape.tree(levels, 2))
            try onStack(of: HighTreeTests.smallStack) { try body(tree, same, other) }
        }
    }

    @Test("A hundred thousand levels are compared, hashed, printed, substituted and refused on a small stack", arguments: Shape.allCases)
    func high(shape: Shape) throws {
        // Lists of lists are values, whose equality is recursive.
        let isTree = shape != .values
        try withTrees(shape, 100_000) { tree, same, other in
            if isTree {
                #expect((tree == same) == true)
                #expect((tree == other) == false)
                #expect(Set([tree, same]).count == 1)
            }
            let text = tree.predicateFormat
            #expect(text.contains("…"))
            #expect(text.utf8.count < 200_000)
            #expect(throws: QueryFormatError.self) { try QueryPredicate(format: text) }
            #expect(throws: EncodingError.self) { try JSONEncoder().encode([tree]) }
            if isTree {
                _ = tree.variables
                _ = tree.variableNames
                _ = tree.withSubstitutionVariables(["x": 1])
                _ = tree.rebased(onto: .variable("x"))
                _ = QueryExpression.elements(of: .keyPath("staff"), where: tree)
            }
            let office = try Office()
            let error = #expect(throws: QueryError.self) { try office.resolve(tree) }
            // Fetches are a context's, and a list in a list is nothing that the attribute holds.
            #expect(error?.reason == [.fetch: .illegalOperator, .values: .typeMismatch][shape] ?? .tooDeep)
        }
    }

    @Test("What a text may be, a tree may be: at the greatest depth it prints, parses and resolves", arguments: [Shape.not, .and])
    func greatest(shape: Shape) throws {
        let tree = shape.tree(QueryPredicate.greatestDepth - 2, 1)
        let text = tree.predicateFormat
        #expect(!text.contains("…"))
        let parsed = try QueryPredicate(format: text)
        #expect((parsed == tree) == true)
        _ = try Office().resolve(tree)
        let higher = shape.tree(QueryPredicate.greatestDepth + 1, 1)
        #expect(higher.predicateFormat.contains("…"))
    }

    /// A tree of as many levels as may be, of which each needs parentheses.
    private static func grouped(_ kind: String) -> QueryPredicate {
        let levels = QueryPredicate.greatestDepth
        var predicate = key("age") == 1
        var expression = QueryExpression.keyPath("age")
        switch kind {
        case "right": for _ in 0..<levels - 2 { expression = .function(.subtract, [.keyPath("age"), expression]) }
        case "left": for _ in 0..<levels - 2 { expression = .function(.subtract, [expression, .keyPath("age")]) }
        case "mixed":
            for _ in 0..<(levels - 2) / 2 {
                expression = .function(.add, [.keyPath("age"), .constant(1), .function(.subtract, [expression])])
            }
        case "negate": for _ in 0..<(levels - 2) / 2 { expression = .function(.negate, [.function(.add, [.keyPath("age"), expression])]) }
        case "date", "list", "empty":
            for _ in 0..<(kind == "date" ? levels - 2 : levels - 3) { expression = .function(.raise, [.keyPath("age"), expression]) }
            var foot = QueryExpression.constant(.list(kind == "list" ? [.int(1)] : []))
            if kind == "date" { foot = .constant(.date(Date(timeIntervalSinceReferenceDate: 1))) }
            expression = expression.replacingFoot(with: foot)
        case "not":
            for _ in 0..<(levels - 2) / 2 { predicate = .not(.or([predicate, .constant(true)])) }
            return predicate
        default:
            for level in 0..<levels - 2 {
                predicate = level % 2 == 0 ? .or([.constant(true), predicate]) : .and([.constant(true), predicate])
            }
            return predicate
        }
        return expression == 1
    }

    @Test(
        "What prints in parentheses at every level parses again, at the greatest depth",
        arguments: ["right", "left", "mixed", "negate", "date", "list", "empty", "not", "and"])
    func grouped(kind: String) throws {
        // Each level of the tree is two of its text; the text was refused from half the depth on.
        try onStack(of: HighTreeTests.smallStack) {
            let tree = HighTreeTests.grouped(kind)
            let text = tree.predicateFormat
            #expect(!text.contains("…"))
            let parsed = try QueryPredicate(format: text)
            #expect((parsed == tree) == true)
            _ = try Office().resolve(tree)
            let higher = QueryPredicate.not(.not(tree))
            #expect(higher.predicateFormat.contains("…"))
            #expect(throws: QueryError.self) { try Office().resolve(higher) }
        }
    }

    @Test("A text nested without end is refused on a small stack")
    func texts() throws {
        try onStack(of: HighTreeTests.smallStack) {
            for opening in [
                "(", "NOT (", "-(", "{(", "abs:((", "TERNARY((", "SUBQUERY((", "SUBQUERY(a, $x, (", "FUNCTION((", "a[(", "ANY (", "$x := (",
                "a + (",
                "a == (", "a == 1 AND (", "a UNION (", "CAST((", "FETCH(\"E\", \"",
            ] {
                #expect(throws: QueryFormatError.self) { try QueryPredicate(format: String(repeating: opening, count: 1_000)) }
            }
            let grouped = String(repeating: "(", count: 200) + "a == 1" + String(repeating: ")", count: 200)
            let parsed = try QueryPredicate(format: grouped)
            #expect(parsed == (key("a") == 1))
        }
    }

    @Test("Fetches within fetches print a bounded text")
    func fetches() throws {
        // Each level doubled the backslashes.
        let text = Shape.fetch.tree(60, 1).predicateFormat
        #expect(text.utf8.count < 5_000_000)
        #expect(text.contains("…"))
        let few = Shape.fetch.tree(6, 1)
        #expect(try QueryPredicate(format: few.predicateFormat) == few)
    }

    @Test("A wrong number of arguments is reported without the arguments")
    func arguments() throws {
        // The whole expression was printed, however high it was.
        let error = #expect(throws: QueryError.self) {
            try Office().resolve(QueryExpression.function(.uppercase, [.keyPath("name"), .keyPath("name")]))
        }
        #expect(error?.subject == "uppercase:")
        #expect(error?.reason == .unknownFunction)
        #expect(throws: QueryError.self) { try Office().resolve(QueryExpression.function(.add, [.keyPath("age")])) }
        #expect(throws: QueryError.self) {
            try Office().resolve(QueryExpression.function(.modulus, [.keyPath("age"), .constant(1), .constant(2)]))
        }
    }

    @Test(
        "Chains of ten thousand operands are one level: parsed, printed and computed",
        arguments: ["+", "-", "*", "/", "**", "+-", "*/", "/%%*", "%%"])
    func chains(signs: String) throws {
        let signs =
            switch signs {
            case "+-": ["+", "-"]
            case "*/": ["*", "/"]
            case "/%%*": ["/", "%%", "*"]
            default: [signs]
            }
        let text = (1..<10_000).reduce(into: "age") { $0 += " \(signs[$1 % signs.count]) age" } + " == age"
        try onStack(of: HighTreeTests.smallStack) {
            let predicate = try QueryPredicate(format: text)
            #expect((predicate.predicateFormat == text) == true)
            let decoded = try JSONDecoder().decode([QueryPredicate].self, from: JSONEncoder().encode([predicate]))
            #expect((decoded == [predicate]) == true)
            #expect(decoded.hashValue == [predicate].hashValue)
        }
        let predicate = try QueryPredicate(format: text)
        let office = try Office()
        try office.add(1, ["age": 0])
        try office.add(2, ["age": 1])
        try office.add(3, [:])
        // Of 0 and 1, and of nil; 0 divided by 0 is nil.
        let expected: [String: [Int64]] = [
            "+": [1, 3], "-": [1, 3], "*": [1, 2, 3], "/": [2, 3], "**": [2, 3], "+ -": [1, 3], "* /": [2, 3], "/ %% *": [3], "%%": [3],
        ]
        #expect(try office.matching(predicate) == expected[signs.joined(separator: " ")])
    }
}
