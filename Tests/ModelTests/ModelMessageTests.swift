import StrataModel
import StrataTestModels
import Testing

/// Each message of a model that contradicts itself.
@Suite("Messages of inconsistent models")
struct ModelMessageTests {
    private func expect(
        _ message: String, sourceLocation: SourceLocation = #_sourceLocation, @ModelBuilder _ parts: () -> [any ModelElement]
    ) {
        do {
            _ = try ManagedObjectModel(parts)
            Issue.record("the model was accepted", sourceLocation: sourceLocation)
        } catch { #expect(error.message == message, sourceLocation: sourceLocation) }
    }

    private func expect(_ message: String, sourceLocation: SourceLocation = #_sourceLocation, of attribute: Attribute) {
        expect(message, sourceLocation: sourceLocation) { Entity("A") { attribute } }
    }

    private func expect(_ message: String, sourceLocation: SourceLocation = #_sourceLocation, ofElement element: Attribute) {
        expect(message, sourceLocation: sourceLocation, of: Attribute("c", .composite).with { $0.elements = [element] })
    }

    @Test("Of a name")
    func names() {
        expect("a name is not empty and has no dot, no @ and no NUL") { Entity("a.b") }
        expect("SELF is the object itself in key paths and predicates", of: Attribute("SELF", .string))
        expect("a name has no NUL") { Entity("A") { FetchIndex("by\0a", on: "a") } }
        expect("two entities have this name") {
            Entity("A")
            Entity("A")
        }
        expect("the entity or an ancestor has another property of this name") {
            Entity("A") { Attributes(["x": .string, "x": .string]) }
        }
        expect("two configurations have this name") {
            EntityConfiguration("Some")
            EntityConfiguration("Some")
        }
        expect("two indexes have this name") {
            Entity("A") {
                Attribute("a", .string)
                FetchIndex("i", on: "a")
                FetchIndex("i", on: "a")
            }
        }
        expect("two fetch templates have this name") {
            Entity("A")
            FetchTemplate("t", entity: "A")
            FetchTemplate("t", entity: "A")
        }
    }

    @Test("Of an entity that is missing")
    func references() {
        expect("the parent Thing is not in the model") { Entity("A", parent: "Thing") }
        expect("the entity is its own ancestor") { Entity("A", parent: "A") }
        expect("the destination Thing is not in the model") { Entity("A") { Relationship("r", to: "Thing") } }
        expect("the configuration Some names an unknown entity") { EntityConfiguration("Some", "Thing") }
        expect("the fetch template t names an unknown entity") { FetchTemplate("t", entity: "Thing") }
    }

    @Test("Of a relationship")
    func relationships() {
        expect("A has no relationship back") { Entity("A") { Relationship("r", to: "A", inverse: "back") } }
        expect("its inverse A.back does not lead back to it") {
            Entity("A") { Relationships(["r": .toOne("A.back"), "back": .toOne("A")]) }
        }
        expect("3 to 2 destinations are no counts of a to-many relationship") {
            Entity("A") { Relationship("r", to: "A", .toMany, minCount: 3, maxCount: 2) }
        }
    }

    @Test("Of an attribute")
    func attributes() {
        expect("a persistent attribute has a type", of: Attribute("a", .undefined))
        expect("the default 1 is no string", of: Attribute("a", .string, default: 1))
        expect(
            "a derived attribute is kept in the store and cannot be transient",
            of: Attribute("a", .string).transient.with { $0.derivationExpression = "b" })
        expect(
            "nothing says what the attribute is derived of", of: Attribute("a", .string).with { $0.derivationExpression = "" })
    }

    @Test("Of a rule")
    func rules() {
        func expect(_ message: String, _ type: AttributeType, _ rule: ValidationRule, sourceLocation: SourceLocation = #_sourceLocation) {
            self.expect(message, sourceLocation: sourceLocation, of: Attribute("a", type, validation: [rule]))
        }
        expect("only numbers and dates have a range", .string, .range(0...1))
        expect("only text and bytes have a length", .integer16, .length(0...1))
        expect("only text matches a pattern", .date, .pattern("x"))
        expect("the bound \"a\" is no integer16", .integer16, .range(min: "a", max: nil))
        expect("nothing is from 2 to 1", .integer16, .range(min: 2, max: 1))
        expect("nothing is above or below nan", .double, .range(min: .double(.nan), max: nil))
        expect("nothing is that long", .string, .length(min: 2, max: 1))
        expect("nothing says what values are to meet", .string, .predicate(""))
        expect("( is no regular expression: at 0: unmatched (", .string, .pattern("("))
    }

    @Test("Of a constraint or an index")
    func constraints() {
        expect("a uniqueness constraint is over persistent attributes of the entity") { Entity("A") { Unique("x") } }
        expect("a uniqueness constraint names one attribute or several, each once") { Entity("A") { Unique() } }
        expect("the index i is over persistent attributes and to-one relationships of the entity") {
            Entity("A") { FetchIndex("i", on: "x") }
        }
        expect("an index has at least one property") { Entity("A") { FetchIndex("i") } }
        let composite = Attribute("c", .composite).with { $0.elements = [Attribute("e", .string)] }
        expect("a uniqueness constraint names the elements of a composite attribute") {
            Entity("A") {
                composite
                Unique("c")
            }
        }
        expect("an index names the elements of a composite attribute") {
            Entity("A") {
                composite
                FetchIndex("i", on: "c")
            }
        }
        expect("a location index is over one to five numbers") {
            Entity("A") {
                Attribute("a", .string)
                FetchIndex("i", on: "a").location
            }
        }
    }

    @Test("Of a composite attribute")
    func composites() {
        expect(
            "only a composite attribute has elements, and this one is string",
            of: Attribute("a", .string).with { $0.elements = [.init("e", .string)] })
        expect("a composite attribute has at least one element", of: Attribute("c", .composite))
        expect("an element of a composite attribute has a type", ofElement: Attribute("e", .undefined))
        expect(
            "an element of a composite attribute has no file beside the store",
            ofElement: Attribute("e", .binary).with { $0.allowsExternalStorage = true })
        expect(
            "an element of a composite attribute is not derived", ofElement: Attribute("e", .string).with { $0.derivationExpression = "x" })
        expect(
            "two elements of the attribute have this name",
            of: Attribute("c", .composite).with { $0.elements = [.init("e", .string), .init("e", .string)] })
        func expectComposite(_ message: String, sourceLocation: SourceLocation = #_sourceLocation, _ change: (inout Attribute) -> Void) {
            expect(
                message, sourceLocation: sourceLocation,
                of: Attribute("c", .composite).with { $0.elements = [.init("e", .string)] }.with(change))
        }
        expectComposite("the elements of a composite attribute have defaults, and it has none") { $0.defaultValue = 1 }
        expectComposite("rules are for the elements of a composite attribute") { $0.validation = [.length(0...1)] }
        expectComposite("a composite attribute is kept by its elements, and not in a file") { $0.allowsExternalStorage = true }
        expectComposite("a composite attribute is not derived") { $0.derivationExpression = "x" }
        expectComposite("a composite attribute is kept by its elements, and not transformed") { $0.transformer = .named("T") }
        var nested = Attribute("e", .string)
        for _ in 0..<20 { nested = Attribute("c", .composite).with { $0.elements = [nested] } }
        expect("composite attributes are nested 16 levels deep at most", of: nested)
    }
}
