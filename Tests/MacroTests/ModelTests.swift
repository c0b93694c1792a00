#if Macros
    import Foundation
    import Strata
    import StrataTestSupport
    import Testing

    @Suite("Models of Swift classes")
    struct ClassModelTests {
        private let model: ManagedObjectModel

        init() throws { model = try ManagedObjectModel(for: Owner.self) }

        private func attribute(_ entity: String, _ name: String) throws -> AttributeDescription {
            try #require(model.entity(named: entity)?.attribute(named: name))
        }

        private func relationship(_ entity: String, _ name: String) throws -> RelationshipDescription {
            try #require(model.entity(named: entity)?.relationship(named: name))
        }

        @Test("The model has the superclasses and all destinations of relationships")
        func reach() {
            #expect(Set(model.entities.map(\.name)) == ["Party", "Owner", "Animal", "Visit"])
            #expect(model.entity(ofClass: Owner.self)?.name == "Owner")
            #expect(model.entities(inConfiguration: "people")?.map { model.entities[$0].name } == ["Owner"])
        }

        @Test("A property's type says the attribute's, and that it must have a value")
        func attributes() throws {
            let age = try attribute("Owner", "age")
            #expect(age.type == .integer16)
            #expect(age.isOptional)
            #expect(age.declaration.renamingIdentifier == "years")
            #expect(age.declaration.validation == [.range(0...150)])
            let city = try attribute("Owner", "city")
            #expect(city.type == .string)
            #expect(!city.isOptional)
            #expect(city.defaultValue == "Rome")
            #expect(try attribute("Owner", "since").type == .date)
            #expect(try attribute("Owner", "since").defaultValue.isNull)
            #expect(try attribute("Owner", "address").type == .transformable)
            #expect(try attribute("Owner", "tags").type == .transformable)
            #expect(try attribute("Animal", "species").type == .string)
            #expect(try attribute("Animal", "species").defaultValue == "dog")
            #expect(try attribute("Animal", "second").isOptional)
            #expect(try attribute("Animal", "size").type == .integer64)
            #expect(try attribute("Animal", "picture").declaration.allowsExternalStorage)
            #expect(try attribute("Animal", "name").declaration.preservesValueInHistoryOnDeletion)
        }

        // The class was not looked at, and a property of the same name became the inverse.
        @Test("An inverse of another class than the destination is refused")
        func strayInverse() {
            let error = #expect(throws: ModelError.self) { try ManagedObjectModel(for: Strayed.self) }
            #expect(error?.reason == .unknownInverse)
            #expect(error?.entity == "Strayed")
            #expect(error?.property == "goal")
            #expect(error?.message.contains("\\Stray.place is no property of Goal") == true)
        }

        @Test("Transient and computed properties are no part of the model")
        func others() throws {
            let entity = try #require(model.entity(named: "Owner"))
            #expect(entity.property(named: "isShown") == nil)
            #expect(entity.property(named: "shout") == nil)
        }

        @Test("An inverse is what a relationship names, what names it, or the only one that there can be")
        func inverses() throws {
            let animals = try relationship("Owner", "animals")
            #expect(animals.isToMany)
            #expect(!animals.isOrdered)
            #expect(animals.deleteRule == .cascade)
            #expect(model.inverse(of: animals)?.name == "owner")
            #expect(model.inverse(of: try relationship("Animal", "owner"))?.name == "animals")
            let visits = try relationship("Owner", "visits")
            #expect(visits.isOrdered)
            #expect(model.inverse(of: visits)?.name == "patron")
            let patron = try relationship("Visit", "patron")
            #expect(!patron.isOptional)
            #expect(model.inverse(of: patron)?.name == "visits")
            #expect(try relationship("Animal", "friends").isToMany)
        }

        @Test("Clauses are constraints and indexes")
        func clauses() throws {
            let entity = try #require(Owner.entityDeclaration?.entity)
            #expect(entity.uniquenessConstraints == [Unique("email")])
            #expect(entity.indexes == [FetchIndex("city", on: "city"), FetchIndex("city_age", on: "city", "age")])
        }

        @Test("A type that an attribute does not hold is refused with the names of both")
        func unfit() throws {
            let error = try #require(throws: ModelError.self) { try ManagedObjectModel(for: Unfit.self) }
            #expect(error.reason == .wrongType)
            #expect(error.entity == "Unfit")
            #expect(error.property == "flag")
            #expect(error.message.contains("Bool"))
            #expect(error.message.contains("integer16"))
        }

        @Test("A relationship to a class that says no entity is refused")
        func undeclared() throws {
            let error = try #require(throws: ModelError.self) { try ManagedObjectModel(for: Lost.self) }
            #expect(error.message.contains("Undeclared"))
        }
    }

    @Model private final class Unfit: ManagedObject {
        @Attribute(.type(.integer16)) var flag: Bool = false
    }

    private final class Undeclared: ManagedObject {}

    @Model private final class Lost: ManagedObject {
        var other: Undeclared?
    }
#endif
