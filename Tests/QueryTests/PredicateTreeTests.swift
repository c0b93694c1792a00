import StrataModel
import StrataQuery
import StrataText
import Testing

@Suite("Predicate trees")
struct PredicateTreeTests {
    private let age = Key<Int>("age")
    private let name = Key<String>("name")

    @Test("Operators build comparisons of the key with the value")
    func operators() {
        #expect((age > 3) == .comparison(.init(.keyPath("age"), .greater, .constant(3))))
        #expect((age == nil) == .comparison(.init(.keyPath("age"), .equal, .constant(.null))))
        #expect(age.isIn([1, 2]) == .comparison(.init(.keyPath("age"), .isIn, .constant([1, 2]))))
        #expect(age.between(1...2) == .comparison(.init(.keyPath("age"), .between, .constant([1, 2]))))
        #expect(name.contains("x", .caseInsensitive) == .comparison(.init(.keyPath("name"), .contains, .constant("x"), .caseInsensitive)))
        #expect((age > 3) == (key("age") > 3))
        #expect((age > 3) != (age >= 3))
    }

    @Test("Chains of AND are one conjunction, chains of OR one disjunction, and a NOT stays apart")
    func flattening() {
        let (a, b, c) = (age == 1, age == 2, age == 3)
        #expect((a && b && c) == .and([a, b, c]))
        #expect((a && (b && c)) == .and([a, b, c]))
        #expect((a || b || c) == .or([a, b, c]))
        #expect((a && (b || c)) == .and([a, .or([b, c])]))
        #expect(!(a && b) == .not(.and([a, b])))
    }

    @Test("Equal trees have equal hashes")
    func hashing() { #expect(Set([age == 1 && age == 2, .and([age == 1, age == 2]), age == 2 && age == 1]).count == 2) }

    @Test("A tree prints as a format string would spell it")
    func printing() {
        #expect((age >= 18).description == "age >= 18")
        #expect((name == nil).description == "name == nil")
        #expect(name.beginsWith("A", [.caseInsensitive, .diacriticInsensitive]).description == "name BEGINSWITH[cd] \"A\"")
        #expect(name.like("A*", .diacriticInsensitive).description == "name LIKE[d] \"A*\"")
        #expect(age.isIn([1, 2]).description == "age IN {1, 2}")
        #expect(age.between(1...2).description == "age BETWEEN {1, 2}")
        #expect(QueryPredicate.comparison(.init(.evaluatedObject, .equal, .keyPath("boss"))).description == "SELF == boss")
    }

    @Test("Parentheses keep AND, OR and NOT apart")
    func grouping() {
        let (a, b, c) = (age == 1, age == 2, age == 3)
        #expect((a && (b || c)).description == "age == 1 AND (age == 2 OR age == 3)")
        #expect(((a && b) || c).description == "age == 1 AND age == 2 OR age == 3")
        #expect((!(a && b)).description == "NOT (age == 1 AND age == 2)")
        #expect((!a && b).description == "NOT age == 1 AND age == 2")
        #expect(QueryPredicate.and([]).description == "TRUEPREDICATE")
        #expect(QueryPredicate.or([]).description == "FALSEPREDICATE")
        #expect(QueryPredicate.constant(true).description == "TRUEPREDICATE")
    }

    @Test("Keys join to paths and sort keys")
    func keys() {
        let boss = Key<Int>("boss")
        #expect(boss.appending(name).path == "boss.name")
        #expect(name.ascending == QuerySort("name"))
        #expect(name.descending == QuerySort("name", ascending: false))
    }
}
