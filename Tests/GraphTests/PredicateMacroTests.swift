import FoundationEssentials
import Strata
import Testing

@Suite("#Predicate becomes a query")
struct PredicateMacroTests {
    private let age = key("age")
    private let name = key("name")
    private let nick = key("nick")

    private func expect(
        _ predicate: Predicate<Employee>, is named: QueryPredicate, at location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try QueryPredicate(predicate) == named, sourceLocation: location)
    }

    private func expectOfCompany(
        _ predicate: Predicate<Company>, is named: QueryPredicate, at location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try QueryPredicate(predicate) == named, sourceLocation: location)
    }

    private func test(_ left: QueryExpression, _ op: QueryComparison.Operator, _ right: QueryExpression) -> QueryPredicate {
        .comparison(.init(left, op, right))
    }

    @Test("Comparisons, with constants on either side")
    func comparisons() throws {
        try expect(#Predicate { $0.age == 3 }, is: age == 3)
        try expect(#Predicate { $0.age != 3 }, is: age != 3)
        try expect(#Predicate { $0.age < 3 }, is: age < 3)
        try expect(#Predicate { $0.age <= 3 }, is: age <= 3)
        try expect(#Predicate { $0.age > 3 }, is: age > 3)
        try expect(#Predicate { 3 > $0.age }, is: age < 3)
        try expect(#Predicate { $0.nick == nil }, is: nick == nil)
        try expect(#Predicate { nil != $0.nick }, is: nick != nil)
        try expect(#Predicate { $0.nick == $0.company?.name }, is: test(nick, .equal, key("company.name")))
    }

    @Test("AND, OR, NOT, and properties that are truth values")
    func logic() throws {
        try expect(#Predicate { $0.isActive }, is: key("isActive") == true)
        try expect(#Predicate { !$0.isActive }, is: key("isActive") != true)
        try expect(#Predicate { $0.isActive && $0.age > 3 || $0.age < 1 }, is: (key("isActive") == true && age > 3) || age < 1)
        try expect(#Predicate { !($0.age > 3) }, is: !(age > 3))
        try expect(#Predicate { ($0.age > 3) == true }, is: age > 3)
        try expect(#Predicate { ($0.age > 3) == false }, is: !(age > 3))
        try expect(#Predicate { _ in true }, is: .constant(true))
    }

    @Test("Arithmetic; what depends on no object is computed at once")
    func arithmetic() throws {
        let seven = 7
        try expect(#Predicate { $0.age + 1 > 3 }, is: QueryExpression.function(.add, [age, .constant(1)]) > 3)
        try expect(#Predicate { $0.age - 1 > 3 }, is: QueryExpression.function(.subtract, [age, .constant(1)]) > 3)
        try expect(#Predicate { $0.age * 2 > 3 }, is: QueryExpression.function(.multiply, [age, .constant(2)]) > 3)
        try expect(#Predicate { $0.age / 2 > 3 }, is: QueryExpression.function(.divide, [age, .constant(2)]) > 3)
        try expect(#Predicate { $0.age % 2 == 1 }, is: QueryExpression.function(.modulus, [age, .constant(2)]) == 1)
        try expect(#Predicate { -$0.age < 3 }, is: QueryExpression.function(.negate, [age]) < 3)
        try expect(#Predicate { $0.weight! / 2.5 > 3 }, is: QueryExpression.function(.divide, [key("weight"), .constant(2.5)]) > 3.0)
        try expect(#Predicate { $0.age > seven * 6 }, is: age > 42)
    }

    @Test("Ranges")
    func ranges() throws {
        let (low, high) = (1, 5)
        let open = low..<high
        let closed = low...high
        let (from, through, upTo) = (low..., ...high, ..<high)
        try expect(#Predicate { (1...5).contains($0.age) }, is: age.between(1, 5))
        try expect(#Predicate { (low..<high).contains($0.age) }, is: age >= 1 && age < 5)
        try expect(#Predicate { open.contains($0.age) }, is: age >= 1 && age < 5)
        try expect(#Predicate { closed.contains($0.age) }, is: age.between(1, 5))
        try expect(#Predicate { from.contains($0.age) }, is: age >= 1)
        try expect(#Predicate { through.contains($0.age) }, is: age <= 5)
        try expect(#Predicate { upTo.contains($0.age) }, is: age < 5)
        try expect(#Predicate { (low...$0.age).contains(high) }, is: test(.constant(5), .greaterOrEqual, .constant(1)) && age >= 5)
    }

    @Test("Sequences of constants")
    func constants() throws {
        let ages = [1, 2]
        let names: Set<String> = ["a"]
        let ranks: [Rank?] = [.chief, nil]
        let words = ["x", "y"]
        try expect(#Predicate { ages.contains($0.age) }, is: age.isIn([1, 2]))
        try expect(#Predicate { names.contains($0.name) }, is: name.isIn(["a"]))
        try expect(#Predicate { ranks.contains($0.rank) }, is: key("rank").isIn(["chief", .null]))
        try expect(#Predicate { employee in words.contains { $0 == employee.name } }, is: name == "x" || name == "y")
        try expect(#Predicate { employee in words.allSatisfy { $0 != employee.name } }, is: name != "x" && name != "y")
        try expect(#Predicate { $0.age > ages.max()! && $0.age < ages.min()! }, is: age > 2 && age < 1)
        try expect(#Predicate { $0.age == ages.count && $0.age == ages[1] }, is: age == 2 && age == 2)
        try expect(#Predicate { words[$0.age] == "x" }, is: QueryExpression.function(.objectAt, [.constant(["x", "y"]), age]) == "x")
    }

    @Test("Text")
    func text() throws {
        try expect(#Predicate { $0.name.contains("nn") }, is: name.contains("nn"))
        try expect(#Predicate { $0.name.starts(with: "A") }, is: name.beginsWith("A"))
        try expect(#Predicate { $0.name.isEmpty }, is: name == "")
        try expect(#Predicate { $0.name.count > 3 }, is: QueryExpression.function(.characterCount, [name]) > 3)
        try expect(#Predicate { $0.name.contains(#/a.c/#) }, is: name.matches(#"[\s\S]*(?:a.c)[\s\S]*"#))
        try expect(#Predicate { "Annabel".contains($0.name) }, is: test(.constant("Annabel"), .contains, name))
    }

    @Test("Optionals: chaining, ??, !, and tests for nil, without a loss to what a store can look up")
    func optionals() throws {
        try expect(#Predicate { $0.company?.name == "ACME" }, is: key("company.name") == "ACME")
        try expect(#Predicate { $0.boss?.company?.name == "ACME" }, is: key("boss.company.name") == "ACME")
        try expect(#Predicate { $0.company!.name == "ACME" }, is: key("company.name") == "ACME")
        try expect(#Predicate { $0.company == nil }, is: key("company") == nil)
        try expect(#Predicate { ($0.nick ?? "") == "x" }, is: nick == "x")
        try expect(#Predicate { ($0.nick ?? "x") == "x" }, is: nick == "x" || nick == nil)
        try expect(#Predicate { ($0.nick ?? "") != "x" }, is: nick != "x")
        try expect(#Predicate { ($0.nick ?? "x") != "x" }, is: nick != "x" && nick != nil)
        try expect(#Predicate { ($0.small ?? 0) < 3 }, is: key("small") < 3 || key("small") == nil)
        try expect(#Predicate { ($0.small ?? 9) < 3 }, is: key("small") < 3)
        try expect(#Predicate { ($0.nick ?? $0.name) == "x" }, is: QueryExpression.conditional(nick == nil, name, nick) == "x")
        try expect(#Predicate { $0.nick?.contains("x") ?? false }, is: nick.contains("x"))
        try expect(#Predicate { $0.nick?.contains("x") ?? true }, is: nick.contains("x") || nick == nil)
        try expect(#Predicate { $0.nick?.contains("x") == true }, is: nick.contains("x"))
        try expect(#Predicate { $0.nick?.contains("x") == false }, is: nick != nil && !nick.contains("x"))
        try expect(#Predicate { $0.nick?.contains("x") == nil }, is: nick == nil)
        try expect(#Predicate { $0.nick!.isEmpty }, is: nick == "")
        try expect(
            #Predicate { ($0.company?.employees.count ?? 0) > 3 },
            is: QueryExpression.conditional(key("company") != nil, key("company.employees.@count"), .constant(.null)) > 3)
        try expect(
            #Predicate { $0.nick.flatMap { $0 == "a" ? 1 : 2 } == 2 },
            is: QueryExpression.conditional(
                nick != nil, .conditional(nick == "a", .constant(1), .constant(2)), .constant(.null)) == 2)
    }

    @Test("The ternary operator")
    func conditional() throws {
        try expect(
            #Predicate { ($0.isActive ? $0.age : 0) > 3 }, is: QueryExpression.conditional(key("isActive") == true, age, .constant(0)) > 3)
        try expect(
            #Predicate { $0.isActive ? $0.age > 3 : $0.age > 5 },
            is: (key("isActive") == true && age > 3) || (key("isActive") != true && age > 5))
    }

    @Test("Destinations of a relationship")
    func collections() throws {
        let employees = key("employees")
        let x = QueryExpression.variable("x")
        let old = QueryExpression.subquery(employees, variable: "x", QueryExpression.path(x, "age") > 30)
        let young = QueryExpression.subquery(employees, variable: "x", !(QueryExpression.path(x, "age") > 30))
        try expectOfCompany(#Predicate { $0.employees.contains { $0.age > 30 } }, is: QueryExpression.path(old, "@count") > 0)
        try expectOfCompany(#Predicate { $0.employees.allSatisfy { $0.age > 30 } }, is: QueryExpression.path(young, "@count") == 0)
        try expectOfCompany(#Predicate { $0.employees.filter { $0.age > 30 }.count > 2 }, is: QueryExpression.path(old, "@count") > 2)
        try expectOfCompany(#Predicate { $0.employees.filter { $0.age > 30 }.isEmpty }, is: QueryExpression.path(old, "@count") == 0)
        try expectOfCompany(
            #Predicate { $0.employees.count > 2 && !$0.projects.isEmpty },
            is: key("employees.@count") > 2 && key("projects.@count") != 0)
        try expectOfCompany(
            #Predicate { $0.projects.first?.title == "A" },
            is: QueryExpression.path(.element(key("projects"), .first), "title") == "A")
        try expectOfCompany(
            #Predicate { $0.projects.last!.title == "A" },
            is: QueryExpression.path(.element(key("projects"), .last), "title") == "A")
        try expectOfCompany(
            #Predicate { $0.projects[1].budget > 2 },
            is: QueryExpression.path(.element(key("projects"), .at(.constant(1))), "budget") > 2)
        try expect(#Predicate { $0.boss!.reports.contains($0) }, is: test(key("boss.reports"), .contains, .evaluatedObject))
        // An inner condition reaches the outer objects.
        let x1 = QueryExpression.variable("x1")
        let inner = QueryExpression.subquery(.path(x, "projects"), variable: "x1", test(.path(x1, "title"), .equal, name))
        let outer = QueryExpression.subquery(employees, variable: "x", QueryExpression.path(inner, "@count") > 0)
        let reaching: QueryPredicate = QueryExpression.path(outer, "@count") > 0
        try expectOfCompany(
            #Predicate { company in company.employees.contains { $0.projects.contains { $0.title! == company.name } } }, is: reaching)
    }

    @Test("Captured values of all types")
    func captures() throws {
        let (date, data, uuid, url) = (Date(timeIntervalSinceReferenceDate: 5), Data([1]), UUID(), URL(string: "https://example.org"))
        let (decimal, byte): (Decimal, UInt8) = (1.5, 7)
        let float: Float? = 1.5
        let rank = Rank.chief
        let shift = Shift.night
        let high = Grade.high
        try expect(#Predicate { $0.born == date }, is: key("born") == .date(date))
        try expect(#Predicate { $0.photo == data }, is: key("photo") == .data(data))
        try expect(#Predicate { $0.key == uuid }, is: key("key") == .uuid(uuid))
        try expect(#Predicate { $0.page == url }, is: key("page") == url.map { .url($0) })
        try expect(#Predicate { $0.salary == decimal }, is: key("salary") == .decimal(1.5))
        try expect(#Predicate { $0.height == float }, is: key("height") == 1.5)
        try expect(
            #Predicate { $0.rank == rank && $0.shift != shift && $0.grade == high },
            is: key("rank") == "chief" && key("shift") != "night" && key("grade") == 90)
        try expect(#Predicate { $0.shift.rawValue == "day" && $0.rank?.rawValue == "x" }, is: key("shift") == "day" && key("rank") == "x")
        #expect(Int(byte) == 7)
    }

    @Test("Objects by their IDs")
    func objects() throws {
        let context = try Firm.context()
        let acme = Company(context: context)
        let (id, ids) = (acme.objectID, [acme.objectID])
        try expect(#Predicate { $0.company?.objectID == id }, is: key("company") == .objectID(id))
        try expectOfCompany(
            #Predicate { $0.objectID == id && ids.contains($0.objectID) },
            is: QueryExpression.evaluatedObject == .objectID(id) && QueryExpression.evaluatedObject.isIn([.objectID(id)]))
        try expect(#Predicate { $0.company == $0.boss?.company }, is: test(key("company"), .equal, key("boss.company")))
    }

    @Test("Types: what is certain is decided, what the model determines with it, the rest is an error")
    func types() throws {
        let model = try Firm.model()
        typealias E = PredicateExpressions
        // The compiler warns of casts that are certain, so these are made by hand.
        try expect(Predicate { E.TypeCheck<_, ManagedObject>($0) }, is: .constant(true))
        try expect(
            Predicate { E.TypeCheck<_, ManagedObject>(E.build_KeyPath(root: $0, keyPath: \.boss)) }, is: key("boss") != nil)
        try expect(
            Predicate {
                E.build_NotEqual(
                    lhs: E.ConditionalCast<_, ManagedObject>(E.build_KeyPath(root: $0, keyPath: \.boss)), rhs: E.build_NilLiteral())
            },
            is: key("boss") != nil)
        #expect(try QueryPredicate(#Predicate<Employee> { $0 is Manager }, in: model) == key("entity.name").isIn(["Manager"]))
        #expect(try QueryPredicate(#Predicate<Employee> { $0.boss is Manager }, in: model) == key("boss.entity.name").isIn(["Manager"]))
    }

    // MARK: - Errors

    struct Refused: Sendable, CustomTestStringConvertible {
        let subject: String
        let reason: QueryError.Reason
        let translate: @Sendable () throws -> QueryPredicate
        var testDescription: String { subject }

        init(
            _ subject: String, _ reason: QueryError.Reason = .untranslatable,
            _ translate: @escaping @Sendable () throws -> QueryPredicate
        ) {
            self.subject = subject
            self.reason = reason
            self.translate = translate
        }
    }

    @Test(
        "What no query can say is an error that names the part",
        arguments: [
            Refused("TypeCheck") { try QueryPredicate(#Predicate<Employee> { $0 is Manager }) },
            Refused("ConditionalCast") { try QueryPredicate(#Predicate<Employee> { ($0 as? Manager)?.level == 3 }) },
            Refused("ForceCast") { try QueryPredicate(#Predicate<Employee> { ($0 as! Manager).level == 3 }) },
            Refused("DictionaryKeySubscript") {
                let table = ["a": 1]
                return try QueryPredicate(#Predicate<Employee> { table[$0.name] == 1 })
            },
            Refused("DictionaryKeyDefaultValueSubscript") {
                let table = ["a": 1]
                return try QueryPredicate(#Predicate<Employee> { table[$0.name, default: 0] == 1 })
            },
            Refused("SequenceMaximum") { try QueryPredicate(#Predicate<Employee> { $0.name.max() == nil }) },
            Refused("SequenceMinimum") { try QueryPredicate(#Predicate<Employee> { $0.name.min() == nil }) },
            Refused("SequenceContainsWhere") { try QueryPredicate(#Predicate<Employee> { $0.name.contains { $0 == $0 } }) },
            Refused("SequenceAllSatisfy") { try QueryPredicate(#Predicate<Employee> { $0.name.allSatisfy { $0 == $0 } }) },
            Refused("Filter") { try QueryPredicate(#Predicate<Employee> { $0.name.filter { $0 == $0 }.isEmpty }) },
            Refused("SequenceStartsWith") {
                let bytes: [UInt8] = [1]
                return try QueryPredicate(#Predicate<Employee> { $0.photo!.starts(with: bytes) })
            },
            Refused("CollectionRangeSubscript") {
                try QueryPredicate(#Predicate<Company> { $0.projects[0..<$0.projects.count].isEmpty })
            },
            Refused("KeyPath") { try QueryPredicate(#Predicate<Employee> { $0.photo!.count > 3 }) },
            Refused("KeyPath") { try QueryPredicate(#Predicate<Employee> { $0.name.utf8.count > 3 }) },
            Refused("KeyPath") { try QueryPredicate(#Predicate<Employee> { $0.page!.absoluteString == "x" }) },
            Refused("Employee", .computedProperty) { try QueryPredicate(#Predicate<Employee> { $0.isAdult }) },
            Refused("Employee", .computedProperty) { try QueryPredicate(#Predicate<Employee> { $0.boss?.fullName == "x" }) },
            Refused("Company", .computedProperty) { try QueryPredicate(#Predicate<Company> { $0.adults.count > 1 }) },
        ])
    func errors(_ refused: Refused) throws {
        let error = #expect(throws: QueryError.self) { _ = try refused.translate() }
        #expect(error?.reason == refused.reason)
        #expect(error?.subject == refused.subject || error?.entity == refused.subject, "\(error?.description ?? "")")
    }
}
