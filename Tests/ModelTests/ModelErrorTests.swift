import StrataModel
import StrataTestModels
import Testing

@Suite("Inconsistent models")
struct ModelErrorTests {
    /// Expects a model to be refused for a reason, at a location.
    private func expect(
        _ reason: ModelError.Reason,
        at entity: String,
        _ property: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation,
        @ModelBuilder _ parts: () -> [any ModelElement]
    ) {
        do {
            _ = try ManagedObjectModel(parts)
            Issue.record("the model was accepted", sourceLocation: sourceLocation)
        } catch {
            #expect(error.reason == reason, "\(error)", sourceLocation: sourceLocation)
            #expect(error.entity == entity, sourceLocation: sourceLocation)
            #expect(error.property == property, sourceLocation: sourceLocation)
            #expect(error.description.contains(entity), sourceLocation: sourceLocation)
        }
    }

    // MARK: - Names

    @Test("An entity without a name is refused")
    func emptyEntityName() { expect(.illegalName, at: "") { Entity("") } }

    @Test("A name with a dot, an @ or a NUL is refused", arguments: ["a.b", "a@b", "a\0b", ""])
    func illegalPropertyName(name: String) {
        expect(.illegalName, at: "Item", name) { Entity("Item") { Attribute(name, .string) } }
        expect(.illegalName, at: "Item", name) { Entity("Item") { Relationship(name, to: "Item") } }
    }

    // SQLite and PostgreSQL read a statement up to its first NUL: the store could not be made.
    @Test("A NUL in the name of an index, a configuration or a template, or in an earlier name, is refused")
    func nameWithNUL() {
        func entity(_ name: String = "Item", former: String? = nil, _ change: @escaping (inout Entity) -> Void = { _ in }) -> Entity {
            Entity(name) { Attribute("a", .string) }.with {
                $0.renamingIdentifier = former
                change(&$0)
            }
        }
        expect(.illegalName, at: "It\0em") { entity("It\0em") }
        expect(.illegalName, at: "Item") { entity(former: "Old\0") }
        expect(.illegalName, at: "Item", "by\0a") { entity { $0.indexes = [FetchIndex("by\0a", on: "a")] } }
        expect(.illegalName, at: "Item", "a") { entity { $0.attributes[0].renamingIdentifier = "\0" } }
        expect(.illegalName, at: "Item", "r") {
            entity { $0.relationships = [Relationship("r", to: "Item").with { $0.renamingIdentifier = "old\0" }] }
        }
        expect(.illegalName, at: "Item", "c.e") {
            entity { entity in
                let element = Attribute("e", .string).with { $0.renamingIdentifier = "e\0" }
                entity.attributes.append(Attribute("c", .composite).with { $0.elements = [element] })
            }
        }
        expect(.illegalName, at: "Some\0") {
            entity()
            EntityConfiguration("Some\0", "Item")
        }
        expect(.illegalName, at: "Item", "t\0") {
            entity()
            FetchTemplate("t\0", entity: "Item")
        }
        expect(.unknownProperty, at: "Item", "a\0") { entity { $0.uniquenessConstraints = [Unique("a\0")] } }
        expect(.unknownProperty, at: "Item", "a\0") { entity { $0.indexes = [FetchIndex("i", on: "a\0")] } }
    }

    @Test("Two entities of one name are refused")
    func duplicateEntity() {
        expect(.duplicateName, at: "Item") {
            Entity("Item")
            Entity("Item")
        }
    }

    @Test("An attribute and a relationship of one name are refused")
    func duplicateProperty() {
        expect(.duplicateName, at: "Item", "x") {
            Entity("Item", attributes: ["x": .string], relationships: ["x": .toOne("Item")])
        }
    }

    @Test("A property that a distant ancestor has too is refused at the descendant")
    func duplicateInherited() {
        expect(.duplicateName, at: "C", "x") {
            Entity("C", parent: "B") { Attribute("x", .date) }
            Entity("B", parent: "A")
            Entity("A") { Attribute("x", .string) }
        }
    }

    @Test("Two indexes of one name, and an index without one, are refused")
    func duplicateIndex() {
        expect(.duplicateName, at: "Item", "i") {
            Entity("Item") {
                Attribute("a", .string)
                FetchIndex("i", on: "a")
                FetchIndex("i", on: "a")
            }
        }
        expect(.duplicateName, at: "Item", "") {
            Entity("Item") {
                Attribute("a", .string)
                FetchIndex("", on: "a")
            }
        }
    }

    @Test("Two configurations of one name are refused")
    func duplicateConfiguration() {
        expect(.duplicateName, at: "Some") {
            Entity("Item")
            EntityConfiguration("Some", "Item")
            EntityConfiguration("Some")
        }
    }

    // MARK: - Inheritance

    @Test("A parent that is not in the model is refused")
    func unknownParent() { expect(.unknownParent, at: "Item") { Entity("Item", parent: "Thing") } }

    @Test("A cycle of parents is refused beside a sound hierarchy")
    func inheritanceCycle() {
        expect(.inheritanceCycle, at: "B") {
            Entity("A")
            Entity("B", parent: "C")
            Entity("C", parent: "B")
        }
        expect(.inheritanceCycle, at: "Own") { Entity("Own", parent: "Own") }
    }

    // MARK: - Relationships

    @Test("A destination that is not in the model is refused")
    func unknownDestination() {
        expect(.unknownDestination, at: "Item", "r") { Entity("Item") { Relationship("r", to: "Thing") } }
    }

    @Test("An inverse that is not there, or is an attribute, is refused", arguments: ["back", "name"])
    func unknownInverse(name: String) {
        expect(.unknownInverse, at: "A", "r") {
            Entity("A") { Relationship("r", to: "B", inverse: name) }
            Entity("B") { Attribute("name", .string) }
        }
    }

    @Test("An inverse that names another inverse, or none, is refused", arguments: [nil, "other"])
    func inverseNamesAnother(inverse: String?) {
        expect(.inverseMismatch, at: "A", "r") {
            Entity("A") { Relationships(["r": .toOne("B.back"), "other": .toOne("B")]) }
            Entity("B") { Relationship("back", to: "A", inverse: inverse) }
        }
    }

    @Test("An inverse in an unrelated entity is refused")
    func inverseLeadsElsewhere() {
        expect(.inverseMismatch, at: "A", "r") {
            Entity("A") { Relationship("r", to: "B", inverse: "back") }
            Entity("B") { Relationship("back", to: "C", inverse: "r") }
            Entity("C") { Relationship("r", to: "B", inverse: "back") }
        }
    }

    @Test("A transient relationship cannot be the inverse of a persistent one")
    func inverseIsTransient() {
        expect(.inverseMismatch, at: "A", "r") {
            Entity("A") { Relationship("r", to: "B", inverse: "back") }
            Entity("B") { Relationship("back", to: "A", inverse: "r").with { $0.isTransient = true } }
        }
    }

    @Test(
        "Counts that contradict each other or the cardinality are refused",
        arguments: [
            (Relationship.Cardinality.toMany, 3, 2), (.toMany, -1, 0), (.toMany, 0, -2), (.toMany, 0, 1), (.ordered, 0, 1), (.toOne, 0, 2),
            (.toOne, 0, 0), (.toOne, 2, 1),
        ]
    )
    func illegalCount(cardinality: Relationship.Cardinality, least: Int, most: Int) {
        expect(.illegalCount, at: "A", "r") {
            Entity("A") { Relationship("r", to: "A", cardinality, minCount: least, maxCount: most) }
        }
    }

    // MARK: - Attributes

    @Test("A persistent attribute without a type is refused, a transient one is not")
    func undefinedType() throws {
        expect(.undefinedType, at: "Item", "a") { Entity("Item") { Attribute("a", .undefined) } }
        _ = try ManagedObjectModel { Entity("Item") { Attribute("a", .undefined).transient } }
    }

    @Test(
        "A default of another type, or out of range, is refused",
        arguments: [
            (AttributeType.string, Value.int(1)), (.integer16, .int(40_000)), (.integer64, .double(0.5)), (.boolean, .int(2)),
            (.uuid, .string("x")), (.date, .double(0)), (.binary, .string("x")),
        ]
    )
    func wrongDefault(type: AttributeType, value: Value) {
        expect(.wrongType, at: "Item", "a") { Entity("Item") { Attribute("a", type, default: value) } }
    }

    @Test("A rule that does not apply to the attribute's type is refused")
    func inapplicableRule() {
        let cases: [(AttributeType, ValidationRule)] = [
            (.string, .range(0...1)), (.boolean, .range(0...1)), (.integer16, .length(0...1)), (.date, .pattern("x")),
            (.binary, .pattern("x")),
        ]
        for (type, rule) in cases {
            expect(.illegalRule, at: "Item", "a") { Entity("Item") { Attribute("a", type, validation: [rule]) } }
        }
    }

    @Test("A rule that nothing can satisfy is refused")
    func unsatisfiableRule() {
        let cases: [(AttributeType, ValidationRule)] = [
            (.integer16, .range(min: 2, max: 1)), (.integer16, .range(min: 2.5, max: 2)), (.double, .range(min: .double(.nan), max: 1)),
            (.double, .range(min: nil, max: .double(.nan))), (.string, .length(min: 2, max: 1)), (.string, .length(min: -1, max: nil)),
            (.string, .length(min: nil, max: -1)), (.string, .pattern("(")),
        ]
        for (type, rule) in cases {
            expect(.illegalRule, at: "Item", "a") { Entity("Item") { Attribute("a", type, validation: [rule]) } }
        }
    }

    @Test("A bound of another type is refused, a bound beyond the type's range is not")
    func wrongBound() throws {
        let cases: [(AttributeType, ValidationRule)] = [
            (.date, .range(0...1)), (.integer16, .range(min: "a", max: nil)), (.double, .range(min: nil, max: .null)),
        ]
        for (type, rule) in cases {
            expect(.wrongType, at: "Item", "a") { Entity("Item") { Attribute("a", type, validation: [rule]) } }
        }
        _ = try ManagedObjectModel { Entity("Item") { Attribute("a", .integer16, validation: [.range(min: 0, max: 100_000)]) } }
    }

    // MARK: - Constraints, indexes, configurations

    @Test("A constraint over what is no persistent attribute of the entity is refused", arguments: ["x", "t", "r", "below"])
    func constraintOverUnknown(name: String) {
        expect(.unknownProperty, at: "A", name) {
            Entity("A") {
                Attribute("t", .string).transient
                Relationship("r", to: "A")
                Unique(name)
            }
            Entity("B", parent: "A") { Attribute("below", .string) }
        }
    }

    @Test("A constraint over nothing, or over one attribute twice, is refused")
    func malformedConstraint() {
        expect(.illegalRule, at: "A") { Entity("A") { Unique() } }
        expect(.illegalRule, at: "A") {
            Entity("A") {
                Attribute("a", .string)
                Unique("a", "a")
            }
        }
    }

    @Test("An index over what no row holds is refused", arguments: ["x", "t", "many"])
    func indexOverUnknown(name: String) {
        expect(.unknownProperty, at: "A", name) {
            Entity("A") {
                Attribute("t", .string).transient
                Relationship("many", to: "A", inverse: "many", .toMany)
                FetchIndex("i", on: .init(name))
            }
        }
    }

    @Test("An index over nothing is refused")
    func emptyIndex() { expect(.illegalRule, at: "A", "i") { Entity("A") { FetchIndex("i") } } }

    @Test("A configuration of an unknown entity is refused")
    func unknownInConfiguration() {
        expect(.unknownProperty, at: "B") {
            Entity("A")
            EntityConfiguration("Some", "A", "B")
        }
    }

    // MARK: - Fetched properties and templates

    @Test("A fetched property has a name of its own, and a destination in the model")
    func fetchedProperties() {
        expect(.duplicateName, at: "A", "x") {
            Entity("A") {
                Attribute("x", .string)
                FetchedProperty("x", to: "A")
            }
        }
        expect(.duplicateName, at: "B", "f") {
            Entity("A") { FetchedProperty("f", to: "A") }
            Entity("B", parent: "A") { FetchedProperty("f", to: "A") }
        }
        expect(.unknownDestination, at: "A", "f") { Entity("A") { FetchedProperty("f", to: "B") } }
        expect(.illegalName, at: "A", "f.g") { Entity("A") { FetchedProperty("f.g", to: "A") } }
    }

    @Test("A fetch template has a name of its own, and an entity in the model")
    func fetchTemplates() {
        expect(.unknownProperty, at: "B") { FetchTemplate("t", entity: "B") }
        expect(.duplicateName, at: "A", "t") {
            Entity("A")
            FetchTemplate("t", entity: "A")
            FetchTemplate("t", entity: "A", predicate: "x == 1")
        }
        expect(.duplicateName, at: "A", "") {
            Entity("A")
            FetchTemplate("", entity: "A")
        }
    }
}
