import StrataModel
import Testing

@Suite("Composite attributes of models")
struct CompositeTests {
    private func model(@AttributeBuilder _ elements: () -> [Attribute]) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Theme") {
                Attribute("name", .string)
                Attribute("colors", elements: elements)
            }
        }
    }

    private func expectRefused(
        _ reason: ModelError.Reason, _ property: String, _ attribute: Attribute, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let error = try #require(throws: ModelError.self, sourceLocation: sourceLocation) {
            try ManagedObjectModel { Entity("Theme") { attribute } }
        }
        #expect(error.reason == reason, "\(error)", sourceLocation: sourceLocation)
        #expect(error.entity == "Theme", sourceLocation: sourceLocation)
        #expect(error.property == property, sourceLocation: sourceLocation)
    }

    @Test("The elements are attributes named by their paths, and the composite attribute is a view of them")
    func descriptions() throws {
        let entity = try #require(
            try model {
                Attribute("primary", .string, default: "red").required
                Attribute("size") {
                    Attribute("width", .integer16).required
                    Attribute("height", .integer16)
                }.required
            }.entity(named: "Theme"))
        #expect(entity.attributes.map(\.name) == ["colors.primary", "colors.size.height", "colors.size.width", "name"])
        #expect(entity.compositeAttributes.map(\.name) == ["colors"])
        let colors = try #require(entity.compositeAttribute(named: "colors"))
        #expect(colors.elements.map(\.name) == ["primary", "size"])
        #expect(colors.attributes.map(\.name) == ["colors.primary", "colors.size.width", "colors.size.height"])
        #expect(entity.compositeAttribute(named: "colors.size")?.element(named: "width")?.path == "colors.size.width")
        #expect(entity.attribute(named: "colors.size.width")?.compositeName == "colors")
        #expect(entity.attribute(named: "name")?.compositeName == nil)
        #expect(entity.attribute(named: "colors.primary")?.defaultValue == "red")
        #expect(entity.property(named: "colors") == nil)
    }

    @Test("An element is required of every object only where the composite attribute is")
    func optionality() throws {
        let optional = try model { Attribute("primary", .string).required }
        #expect(optional.entity(named: "Theme")?.attribute(named: "colors.primary")?.isOptional == true)
        let required = try ManagedObjectModel {
            Entity("Theme") { Attribute("colors") { Attribute("primary", .string).required }.required }
        }
        #expect(required.entity(named: "Theme")?.attribute(named: "colors.primary")?.isOptional == false)
    }

    @Test("Sub-entities have the composite attributes of their ancestors, and none of the same name")
    func inheritance() throws {
        func model(_ child: Attribute) throws -> ManagedObjectModel {
            try ManagedObjectModel {
                Entity("Parent") { Attribute("colors") { Attribute("primary", .string) } }
                Entity("Child", parent: "Parent") { child }
            }
        }
        let child = try #require(try model(Attribute("size") { Attribute("width", .integer16) }).entity(named: "Child"))
        #expect(child.compositeAttributes.map(\.name) == ["colors", "size"])
        #expect(child.attribute(named: "colors.primary")?.slot == 0)
        for attribute in [Attribute("colors", .string), Attribute("colors") { Attribute("x", .string) }] {
            let error = try #require(throws: ModelError.self) { try model(attribute) }
            #expect(error.reason == .duplicateName)
            #expect(error.property == "colors")
        }
    }

    @Test("What cannot be an element is refused, with its path")
    func refusedElements() throws {
        try expectRefused(.illegalElement, "a.x", Attribute("a") { Attribute("x", .undefined) })
        try expectRefused(.illegalElement, "a.x", Attribute("a") { Attribute("x", .binary).externalStorage })
        try expectRefused(.illegalElement, "a.x", Attribute("a") { Attribute("x", .string).derived("name") })
        try expectRefused(.illegalElement, "a.b.x", Attribute("a") { Attribute("b") { Attribute("x", .undefined) } })
        try expectRefused(.illegalElement, "a.b", Attribute("a") { Attribute("b", .composite) })
        try expectRefused(
            .duplicateName, "a.x",
            Attribute("a") {
                Attribute("x", .string); Attribute("x", .date)
            })
        try expectRefused(.illegalName, "a.x.y", Attribute("a") { Attribute("x.y", .string) })
        try expectRefused(.wrongType, "a.x", Attribute("a") { Attribute("x", .integer16, default: "many") })
        try expectRefused(.illegalRule, "a.x", Attribute("a") { Attribute("x", .date, validation: [.length(1...2)]) })
    }

    @Test("A composite attribute has elements, and nothing else that makes a value")
    func refusedComposites() throws {
        let one: @Sendable () -> [Attribute] = { [Attribute("x", .string)] }
        try expectRefused(.illegalElement, "a", Attribute("a", .composite))
        try expectRefused(.illegalElement, "a", Attribute("a", elements: one).externalStorage)
        try expectRefused(.illegalElement, "a", Attribute("a", elements: one).derived("name"))
        try expectRefused(.illegalElement, "a", Attribute("a", elements: one).with { $0.defaultValue = "x" })
        try expectRefused(.illegalElement, "a", Attribute("a", elements: one).with { $0.validation = [.length(1...2)] })
        try expectRefused(.illegalElement, "a", Attribute("a", .string).with { $0.elements = one() })
        var deep = Attribute("x", .string)
        for _ in 0..<20 {
            let inner = deep
            deep = Attribute("a") { inner }
        }
        let nested = deep
        #expect(throws: ModelError.self) { try ManagedObjectModel { Entity("Theme") { nested } } }
    }

    @Test("Constraints and indexes are over elements, not over all of them at once")
    func constraints() throws {
        for part in [Unique("colors") as any EntityElement, FetchIndex("i", on: "colors")] {
            let error = try #require(throws: ModelError.self) {
                try ManagedObjectModel {
                    Entity("Theme") {
                        Attribute("colors") { Attribute("primary", .string) }
                        part
                    }
                }
            }
            #expect(error.reason == .unknownProperty)
            #expect(error.message.contains("the elements of a composite attribute"))
        }
    }

    @Test("What matters to stored data of an element changes the version hash")
    func hashes() throws {
        func hash(_ change: (inout Attribute) -> Void) throws -> [UInt8]? {
            let attribute = Attribute("colors") {
                Attribute("primary", .string)
                Attribute("depth", .integer16)
            }.with(change)
            return try ManagedObjectModel { Entity("Theme") { attribute } }.entity(named: "Theme")?.versionHash
        }
        let base = try hash { _ in }
        #expect(try hash { $0.elements.reverse() } == base)
        #expect(try hash { $0.elements[1].defaultValue = 3 } == base)
        #expect(try hash { $0.elements.removeLast() } != base)
        #expect(try hash { $0.elements[0].name = "main" } != base)
        #expect(try hash { $0.elements[1].type = .integer32 } != base)
        #expect(try hash { $0.elements[1].isOptional = false } != base)
        // Core Data's hash has neither its name nor whether it is optional.
        #expect(try hash { $0.name = "palette" } == base)
        #expect(try hash { $0.isOptional = false } == base)
    }

    @Test("A coded model has its composite attributes")
    func coding() throws {
        let model = try model {
            Attribute("primary", .string, default: "red", validation: [.length(1...9)])
            Attribute("size") { Attribute("width", .integer16).required }
        }
        let decoded = try ManagedObjectModel(encoded: try model.encoded())
        #expect(decoded.entityVersionHashesByName == model.entityVersionHashesByName)
        #expect(decoded.entity(named: "Theme")?.attribute(named: "colors.primary")?.defaultValue == "red")
        #expect(decoded.entity(named: "Theme")?.compositeAttribute(named: "colors.size")?.attributes.map(\.name) == ["colors.size.width"])
    }

    @Test("A migration's plan names elements by their paths")
    func plan() throws {
        let old = try model { Attribute("primary", .string) }
        let new = try ManagedObjectModel {
            Entity("Theme") {
                Attribute("colors") {
                    Attribute("main", .string).renamed(from: "primary")
                    Attribute("label", .string).renamed(from: "name")
                }
            }
        }
        let plan = try MappingModel.inferred(from: old, to: new).plan
        #expect(
            plan.steps.map(\.message).sorted() == [
                "rename Theme.colors.primary to Theme.colors.main", "rename Theme.name to Theme.colors.label",
            ])
    }
}
