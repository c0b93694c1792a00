import StrataEvaluation
import StrataModel
import StrataQuery
import StrataTestModels
import Testing

/// Each message of a query that does not fit its model.
@Suite("Messages of queries that do not fit a model")
struct ResolvingMessageTests {
    private let office: Office

    init() throws { office = try Office() }

    private func message(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch { return (error as? QueryError)?.message ?? "\(error)" }
    }

    private func message(_ predicate: QueryPredicate) -> String? { message { _ = try office.resolve(predicate) } }

    @Test(
        "A path that has no value here is refused with the reason",
        arguments: [
            ("shoe == 1", "Person has no property shoe"), ("name.length == 1", "name is an attribute and cannot be followed"),
            ("mood == 'x'", "mood is transient: no store holds it"), ("guest == nil", "guest is transient: no store holds it"),
            ("staff.name == 'x'", "it has several values: use ANY, ALL, NONE, an aggregate such as @count, or SUBQUERY"),
            ("name == staff.name", "it has several values: use IN"),
            ("staff[0].staff.name == 'x'", "it does not have a single value"),
            ("staff.@sum == 1", "@sum needs an attribute of the objects"), ("staff.@odd == 1", "there is no collection operator @odd"),
            ("name.@count == 1", "name is one value: @count is for several"),
            ("{1, 2}.age == 1", "age is no property of a value that is computed or constant"),
            ("$x == 1", "nothing gives the variable a value"),
            ("SUBQUERY(name, $x, $x.age == 1).@count == 1", "SUBQUERY goes through the objects of a relationship"),
            ("FUNCTION(age, 'unregistered:') == 1", "no function of that name was registered"),
            ("FETCH('Person', NULL, YES) == 1", "only a context can run it"),
        ])
    func paths(format: String, message: String) throws { #expect(self.message(try QueryPredicate(format: format)) == message) }

    @Test(
        "A comparison that has no meaning is refused with the reason",
        arguments: [
            ("age == name", "the two properties cannot be compared so"), ("boss < company", "the two properties cannot be compared so"),
            ("1 CONTAINS 'a'", "the two constants cannot be compared so"),
            ("company < NULL", "only the fetched object itself has an order, by its ID"),
            ("age CONTAINS '1'", "CONTAINS is for text"), ("name CONTAINS 1", "CONTAINS takes text"),
            ("ANY age == 1", "ANY is about several objects or a list, and the left side is one value"),
            ("age + 1 BETWEEN {1, 2, 3}", "BETWEEN takes a list of two values"),
            ("age IN 1", "IN takes a list, BETWEEN a list of two values, and other operators take none"),
            ("age == 'x'", "\"x\" is not what age holds"),
        ])
    func comparisons(format: String, message: String) throws { #expect(self.message(try QueryPredicate(format: format)) == message) }

    @Test("A tree that format text cannot have is refused with the reason")
    func trees() throws {
        #expect(message(key("boss..name") == "x") == "a name of the key path is empty")
        #expect(message(.comparison(.init(.constant(1), .equal, .anyKey))) == "it stands alone on the left of a comparison")
        #expect(
            message(.comparison(.init(.path(.keyPath("name"), "@anyKey"), .equal, .constant(1)))) == "it is not an object with attributes")
        let call = QueryExpression.function(.uppercase, [.keyPath("name"), .keyPath("nick")])
        #expect(message(.comparison(.init(call, .equal, .constant("X")))) == "it takes 1 argument, not 2")
        let own = QueryExpression.custom(.keyPath("name"), "uppercase:", [])
        #expect(
            message(.comparison(.init(own, .equal, .constant("X"))))
                == "a program's function cannot have a name of the language's own uppercase:")
        let given = QueryExpression.path(.constant(.objectID(try office.id(1))), "name")
        #expect(message(.comparison(.init(given, .equal, .constant("X")))) == "only a context can follow a path from a given object")
        #expect(message(key(Array(repeating: "boss", count: 101).joined(separator: ".")) == .null) == "a path has at most 100 names")
        var deep = key("age") == 1
        for _ in 0..<128 { deep = !deep }
        #expect(message(deep) == "it is nested more than 128 levels deep")
    }

    @Test("A sort key that has no order is refused with the reason")
    func sorts() {
        #expect(message { _ = try office.sorted(QuerySort("boss.company")) } == "objects cannot be put in order")
        #expect(message { _ = try office.sorted(QuerySort("staff.name")) } == "staff.name has no single value here")
    }

    @Test("A path that ends within a composite attribute is refused with its elements")
    func composites() throws {
        let model = try ManagedObjectModel {
            Entity("House") {
                Attribute("site", .composite).with { $0.elements = [Attribute("street", .string), Attribute("town", .string)] }
            }
        }
        let house = try #require(model.entity(named: "House"))
        func message(_ format: String) throws -> String? {
            let predicate = try QueryPredicate(format: format)
            return self.message { _ = try predicate.resolved(for: house, in: model) }
        }
        #expect(
            try message("site == 'x'") == "site is a composite attribute: name one of its elements, site.street, site.town")
        #expect(try message("site.country == 'x'") == "site of House has no element country")
    }

    @Test("A derivation that does not fit the attribute's type is refused with both")
    func derivations() throws {
        func message(_ expression: String) throws -> String? {
            let model = try ManagedObjectModel {
                Entity("Person") {
                    Attribute("name", .string)
                    Attribute("derived", .integer16).with { $0.derivationExpression = expression }
                    Relationships(["boss": .toOne("Person.staff"), "staff": .toMany("Person.boss")])
                }
            }
            let person = try #require(model.entity(named: "Person"))
            let attribute = try #require(person.attribute(named: "derived"))
            return self.message { _ = try DerivedExpression(attribute, of: person, in: model) }
        }
        #expect(try message("boss") == "what it is derived of is an object, and the attribute is integer16")
        #expect(try message("{name, boss}") == "what it is derived of is several values, and the attribute is integer16")
        #expect(try message("uppercase:(name)") == "what it is derived of is string, and the attribute is integer16")
    }
}
