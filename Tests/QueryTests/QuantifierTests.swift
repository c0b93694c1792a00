import StrataEvaluation
import StrataModel
import StrataQuery
import StrataTestRandom
import Testing

@Suite("ANY, ALL and NONE over lists")
struct QuantifierTests {
    private let office: Office

    /// Ann (1) is the boss of Bob and Cid, Bob of Dan and Eve; Cid has no height, Dan no age.
    init() throws {
        office = try Office()
        try office.add(1, ["name": "Ann", "age": 50, "height": 1.5])
        try office.add(2, ["name": "Bob", "age": 40, "boss": 1, "height": 2])
        try office.add(3, ["name": "Cid", "age": 60, "boss": 1, "height": .double(.nan)])
        try office.add(4, ["name": "Dan", "boss": 2])
        try office.add(5, ["name": "Eve", "age": 20, "boss": 2])
    }

    /// Lists of numbers and of texts.
    private static let lists = [
        "{40, 60, nil}", "{}", "{age, boss.age}", "{40.0, age + 1}", "(staff.age UNION staff.staff.age)", "(staff.age INTERSECT {40, 20})",
        "(staff.age MINUS {40})", "(boss.staff.age MINUS staff.age)", "staff.@unionOfObjects.age", "staff.@distinctUnionOfObjects.age",
        "SUBQUERY(staff, $x, $x.age != nil).age", "TERNARY(age > 45, staff.@unionOfObjects.age, {40, 41})", "mode:(staff.age)",
        "(staff.height UNION {1.5})", "(staff.age UNION nil)", "{name, 'Bob'}", "(staff.name UNION {'bob'})", "staff.name",
        "SUBQUERY(staff, $x, $x.name != 'Bob').name", "(boss.staff.name INTERSECT {'Bob', 'Cid'})",
    ]

    private static let rights = [
        "40", "40.0", "nil", "age", "boss.age", "age - 10", "{40, nil}", "{age, 60}", "{20, 40}", "'Bob'", "'B*'", "'b'", "'.*[bn]'",
        "name",
        "boss.name", "(staff.age UNION {60})", "(staff.name UNION {'Ann'})",
    ]

    /// The elements of a list of one person, as the union with nothing.
    private func elements(_ list: String, _ reference: Int64) throws -> [Value] {
        guard case .list(let values) = try office.value(QueryExpression(format: "(\(list)) UNION {}"), reference) else { return [] }
        return values
    }

    @Test("Every operator over every list is what it is over the elements one by one", arguments: lists)
    func laws(list: String) throws {
        var (met, compared) = (0, 0)
        for op in QueryComparison.Operator.allCases {
            for right in QuantifierTests.rights {
                let text = "\(list) \(op.rawValue) \(right)"
                guard let any = try? office.resolve(QueryPredicate(format: "ANY \(text)")) else { continue }
                let all = try office.matching(QueryPredicate(format: "ALL \(text)"))
                let none = try office.matching(QueryPredicate(format: "NONE \(text)"))
                let some = try office.matching(QueryPredicate(format: "SOME \(text)"))
                var expected: (any: [Int64], all: [Int64], none: [Int64]) = ([], [], [])
                for person in Int64(1)...5 {
                    let value = try office.value(QueryExpression(format: right), person)
                    let truths = try elements(list, person).map { try ValueTest.holds($0, op, value, options: []) }
                    if truths.contains(true) { expected.any.append(person) } else { expected.none.append(person) }
                    if !truths.contains(false) { expected.all.append(person) }
                }
                let found = try office.matching(any)
                #expect(found == expected.any, "ANY \(text)")
                #expect(some == expected.any, "ANY \(text)")
                #expect(all == expected.all, "ALL \(text)")
                #expect(none == expected.none, "NONE \(text)")
                compared += 1
                met += found.count
            }
        }
        #expect(compared > 30)
        #expect(met > 0 || list == "{}" || list == "(staff.age UNION nil)")
    }

    @Test("The right side of IN may be a path to several objects")
    func membership() throws {
        func people(_ format: String) throws -> [Int64] { try office.matching(QueryPredicate(format: format)) }
        #expect(try people("ANY (staff.age UNION {20}) IN staff.staff.age") == [1])
        #expect(try people("ALL (staff.age MINUS {60, nil}) IN boss.staff.age") == [3, 4, 5])
        #expect(try people("ANY {SELF} IN boss.staff") == [2, 3, 4, 5])
        #expect(try people("ANY (staff UNION boss.staff) == SELF") == [2, 3, 4, 5])
        #expect(try people("NONE (boss.staff MINUS staff) == SELF") == [1])
    }

    @Test("That a property is among constants is one comparison, which an index can answer")
    func constants() throws {
        guard case .comparison(let any) = try office.resolve(QueryPredicate(format: "ANY {40, 60} == age")),
            case .not(.comparison(let all)) = try office.resolve(QueryPredicate(format: "ALL {40, 60} != age"))
        else {
            Issue.record("not one comparison")
            return
        }
        #expect(any.operator == .isIn)
        #expect(any.right.constant == [40, 60])
        #expect(all.operator == .isIn)
        #expect(try office.matching(QueryPredicate(format: "ALL {40, 60} != age")) == [1, 4, 5])
    }

    @Test("Options prepare the elements")
    func options() throws {
        #expect(try office.matching(QueryPredicate(format: "ANY (staff.name MINUS {'Cid'}) ==[c] 'BOB'")) == [1])
        #expect(try office.matching(QueryPredicate(format: "ALL (staff.name UNION {'dora'}) BEGINSWITH[c] 'D'")) == [3, 4, 5])
    }

    @Test(
        "What is no list, and what does not compare, is refused",
        arguments: [
            ("ANY age + 1 == 3", QueryError.Reason.illegalOperator), ("ANY (staff.age UNION {1}) BETWEEN {1}", .typeMismatch),
            ("ALL (staff.name UNION {'a'}) MATCHES '('", .illegalPattern), ("ANY (staff.age UNION {1}) == staff.age", .illegalKeyPath),
            ("ANY {'a', 'b'} == age", .typeMismatch),
        ])
    func refused(format: String, reason: QueryError.Reason) throws {
        let error = #expect(throws: QueryError.self) { try office.resolve(QueryPredicate(format: format)) }
        #expect(error?.reason == reason)
    }
}
