import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataQuery
import Testing

@Suite("Checking queries against a model")
struct ResolvingTests {
    private let office: Office

    init() throws { office = try Office() }

    private func refuse(
        _ reason: QueryError.Reason,
        _ predicate: QueryPredicate,
        at subject: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let error = #expect(throws: QueryError.self, sourceLocation: sourceLocation) { try office.resolve(predicate) }
        #expect(error?.reason == reason, "\(predicate)", sourceLocation: sourceLocation)
        #expect(error?.entity == "Person", sourceLocation: sourceLocation)
        if let subject { #expect(error?.subject == subject, sourceLocation: sourceLocation) }
    }

    @Test("An unknown key is refused wherever it stands in a path or a tree")
    func unknownKey() throws {
        try refuse(.unknownKey, key("shoe") == 1, at: "shoe")
        try refuse(.unknownKey, key("company.shoe") == 1, at: "company.shoe")
        try refuse(.unknownKey, key("age") == 1 && !(key("age") == 2 || key("shoe") == 3), at: "shoe")
        try refuse(.unknownKey, key("budget") == 1, at: "budget")
    }

    @Test("A path through an attribute or a to-many relationship, or with an empty name, is refused")
    func illegalPath() throws {
        try refuse(.illegalKeyPath, key("boss..name") == "x", at: "boss..name")
        try refuse(.illegalKeyPath, key("name.length") == 1, at: "name.length")
        try refuse(.illegalKeyPath, key("staff.name") == "x", at: "staff.name")
        try refuse(.illegalKeyPath, key("company.people") == .null, at: "company.people")
    }

    @Test("A transient property is refused: no store holds it")
    func transient() throws {
        try refuse(.transient, key("mood") == "x", at: "mood")
        try refuse(.transient, key("guest") == .null, at: "guest")
        try refuse(.transient, key("boss.mood") == "x", at: "boss.mood")
    }

    // It was refused, where a list with it was not.
    @Test("An object of another entity hierarchy is not equal to those of a path")
    func foreignObject() throws {
        let person = QueryExpression.constant(.objectID(try office.id(1)))
        for (op, isMet) in [(QueryComparison.Operator.equal, false), (.notEqual, true)] {
            for comparison in [QueryComparison(.keyPath("company"), op, person), QueryComparison(person, op, .keyPath("company"))] {
                guard case .constant(isMet) = try office.resolve(.comparison(comparison)) else {
                    Issue.record("\(comparison) is no constant")
                    continue
                }
            }
        }
        _ = try office.resolve(.comparison(.init(.keyPath("boss"), .equal, .keyPath("company"))))
        try refuse(.illegalOperator, .comparison(.init(.keyPath("company"), .less, person)))
    }

    @Test("A constant of a kind that the property cannot hold is refused")
    func typeMismatch() throws {
        try refuse(.typeMismatch, key("age") == "x")
        try refuse(.typeMismatch, key("name") == 1)
        try refuse(.typeMismatch, key("paid") == 2)
        try refuse(.typeMismatch, key("key") == "no UUID")
        try refuse(.typeMismatch, key("born") > 1.0)
        try refuse(.typeMismatch, key("company") == 1)
        try refuse(.typeMismatch, key("name") == .objectID(try office.id(1)))
        try refuse(.typeMismatch, key("age").isIn([1, "x"]))
        try refuse(.typeMismatch, .comparison(.init(.keyPath("age"), .isIn, .constant(1))))
        try refuse(.typeMismatch, .comparison(.init(.keyPath("age"), .between, .constant([1, 2, 3]))))
        try refuse(.typeMismatch, key("age") == [1])
        try refuse(.typeMismatch, .comparison(.init(.keyPath("name"), .contains, .constant(1))))
    }

    @Test("An operator that does not apply is refused")
    func illegalOperator() throws {
        try refuse(.illegalOperator, key("age").contains("1"))
        try refuse(.illegalOperator, key("company").like("*"))
        try refuse(.illegalOperator, key("company") < .null)
        try refuse(.illegalOperator, key("boss").between(.null, .null))
        try refuse(.illegalOperator, .comparison(.init(.evaluatedObject, .less, .keyPath("boss"))))
        try refuse(.illegalOperator, .comparison(.init(.keyPath("age"), .equal, .keyPath("name"))))
        try refuse(.illegalOperator, .comparison(.init(.keyPath("age"), .isIn, .keyPath("height"))))
        try refuse(.illegalOperator, .comparison(.init(.keyPath("age"), .contains, .keyPath("age"))))
        try refuse(.illegalOperator, .comparison(.init(.constant(1), .contains, .constant("a"))))
    }

    @Test("A pattern that is no regular expression is refused")
    func illegalPattern() throws { try refuse(.illegalPattern, key("name").matches("(")) }

    @Test("Constants are converted to the type of the property")
    func coercion() throws {
        let uuid = UUID()
        guard case .comparison(let byKey) = try office.resolve(key("key") == .string(uuid.uuidString)),
            case .comparison(let byHeight) = try office.resolve(key("height") > 2),
            case .comparison(let byFlag) = try office.resolve(key("paid").isIn([1, .null]))
        else {
            Issue.record("no comparisons")
            return
        }
        #expect(byKey.right.constant == .uuid(uuid))
        #expect(byHeight.right.constant == 2.0)
        #expect(byFlag.right.constant == [true, .null])
    }

    @Test("A constant on the left is exchanged with the path")
    func mirrored() throws {
        try office.add(1, ["age": 5])
        for (op, passes) in [
            (QueryComparison.Operator.less, true), (.lessOrEqual, true), (.greater, false), (.equal, false), (.notEqual, true),
        ] {
            let predicate = QueryPredicate.comparison(.init(.constant(3), op, .keyPath("age")))
            #expect(try office.matching(predicate) == (passes ? [1] : []), "\(op)")
        }
    }

    @Test("A comparison of two constants is decided at once")
    func constants() throws {
        guard case .constant(true) = try office.resolve(.comparison(.init(.constant(1), .less, .constant(1.5)))),
            case .constant(false) = try office.resolve(.comparison(.init(.constant(.null), .less, .constant(1))))
        else {
            Issue.record("not decided")
            return
        }
    }

    @Test("A path knows its steps, its slot and what it ends at")
    func paths() throws {
        let path = try PropertyPath("boss.company.name", of: try office.person, in: office.model)
        #expect(path.steps.map(\.relationship.name) == ["boss", "company"])
        #expect(path.leafEntity.name == "Company")
        #expect(path.attribute?.name == "name")
        #expect(path.leafKind == .string)
        #expect(path.objectEntity == nil)
        let object = try PropertyPath("SELF", of: try office.person, in: office.model)
        #expect(object.leafSlot == nil)
        #expect(object.leafKind == .reference)
        #expect(object.objectEntity?.name == "Person")
        let relationship = try PropertyPath("boss.company", of: try office.person, in: office.model)
        #expect(relationship.steps.count == 1)
        #expect(relationship.objectEntity?.name == "Company")
    }

    @Test("A sort key that ends at another object is refused")
    func illegalSort() throws {
        #expect(throws: QueryError.self) { try ResolvedSort(QuerySort("boss.company"), of: try office.person, in: office.model) }
        #expect(throws: QueryError.self) { try ResolvedSort(QuerySort("staff"), of: try office.person, in: office.model) }
        #expect(throws: QueryError.self) { try ResolvedSort(QuerySort("shoe"), of: try office.person, in: office.model) }
    }

    @Test("Conjuncts are collected through nested conjunctions, and a true one is left out")
    func conjuncts() throws {
        let predicate = QueryPredicate.and([key("age") == 1, .and([key("age") == 2, .constant(true)]), .or([key("age") == 3])])
        #expect(try office.resolve(predicate).conjuncts.count == 3)
    }
}
