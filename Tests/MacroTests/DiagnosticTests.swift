#if Macros
    import Testing

    @Suite("What @Model says of wrong use")
    struct DiagnosticTests {
        /// The one message about a member of a class, and the member after the fix.
        private func member(_ member: String) throws -> (message: String?, fixed: String?) {
            let diagnosed = try Diagnosed("@Model final class Person: ManagedObject {\n    \(member)\n}")
            #expect(diagnosed.messages.count == 1, "\(diagnosed.messages)")
            let fixed = diagnosed.fixed.map { $0.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().dropLast() }
            return (diagnosed.messages.first, fixed?.joined(separator: "\n").drop { $0 == " " }.description)
        }

        @Test("A class without a superclass is offered ManagedObject")
        func superclass() throws {
            let bare = try Diagnosed("@Model final class Person {}")
            #expect(bare.messages == ["Person: a class of a model inherits ManagedObject, or another class of the model"])
            #expect(bare.fixed == "@Model final class Person: ManagedObject {}")
            let identifiable = try Diagnosed("@Model final class Person: Identifiable {}")
            #expect(identifiable.fixed == "@Model final class Person: ManagedObject, Identifiable {}")
        }

        @Test("A structure is offered to become a class, and anything else is refused")
        func kinds() throws {
            let structure = try Diagnosed("@Model struct Person { var name: String }")
            #expect(structure.messages == ["struct: @Model is for classes that inherit ManagedObject"])
            #expect(structure.fixed == "@Model class Person: ManagedObject { var name: String }")
            #expect(try Diagnosed("@Model enum Person {}").messages == ["enum: @Model is for classes that inherit ManagedObject"])
            #expect(try Diagnosed("@Model actor Person {}").messages.count == 1)
            #expect(
                try Diagnosed("@Model class Box<T>: ManagedObject {}").messages == [
                    "<T>: a class of a model cannot be generic: an entity is one class"
                ])
        }

        @Test("A constant is offered to become a variable")
        func constant() throws {
            let found = try member("let name: String")
            #expect(found.message == "let: a property that a store keeps is a 'var': it is set when an object is fetched")
            #expect(found.fixed == "var name: String")
        }

        @Test("A lazy property is offered @Transient, and a weak one to be neither")
        func modifiers() throws {
            #expect(try member("lazy var name: String = make()").fixed == "@Transient lazy var name: String = make()")
            #expect(try member("weak var owner: Person?").fixed == "var owner: Person?")
        }

        @Test("A property whose type the text does not show is offered an annotation")
        func untyped() throws {
            let found = try member("var name = make()")
            #expect(found.message == "name: the property needs a type annotation: @Model sees no types")
            #expect(found.fixed == "var name: <#Type#> = make()")
            for text in ["\"\"", "1", "-2.5", "true", "Date()"] {
                #expect(try Diagnosed("@Model class A: ManagedObject { var x = \(text) }").messages.isEmpty)
            }
        }

        @Test("Types that no store keeps are refused")
        func types() throws {
            for type in ["() -> Void", "(Int, Int)", "Any", "any Hashable", "(any Hashable)?", "Int??"] {
                #expect(try member("var value: \(type)").message?.contains("cannot be kept in a store") == true)
            }
        }

        @Test("A property with observers is refused, a computed or static one is left alone")
        func accessors() throws {
            #expect(try member("var name: String = \"\" { didSet {} }").message?.contains("has no observers") == true)
            for text in ["var name: String { \"\" }", "var name: String { get { \"\" } set {} }", "static let name = 1", "func f() {}"] {
                #expect(try Diagnosed("@Model class A: ManagedObject { \(text) }").messages.isEmpty)
            }
            #expect(try member("@Attribute(.unique) var name: String { \"\" }").fixed == "var name: String { \"\" }")
        }

        @Test("A name of a member of ManagedObject is refused")
        func names() throws {
            #expect(try member("var entity: String").message?.hasPrefix("entity: ManagedObject has a member 'entity'") == true)
            #expect(try member("var `description`: String").message?.contains("'description'") == true)
        }

        // Both came out as errors within what the macro writes.
        @Test("A name that no key path can be made of, and an actor of the class, are refused where they stand")
        func illegalNames() throws {
            for name in ["`Self`", "`Type`", "`my name`", "`a-b`"] {
                #expect(try member("var \(name): String").message?.contains("cannot be the name of a property of a model") == true)
            }
            for name in ["`class`", "größe", "名", "x1", "_y"] {
                #expect(try Diagnosed("@Model class A: ManagedObject { var \(name): String }").messages.isEmpty)
            }
            let isolated = try Diagnosed("@Model @MainActor final class Person: ManagedObject {}")
            #expect(
                isolated.messages == [
                    "@MainActor: a class of a model is of no actor: its objects are used on the queue of their context"
                ])
            #expect(isolated.fixed == "@Model final class Person: ManagedObject {}")
        }

        @Test("Markers that do not go together, or not with the type, are refused where they stand")
        func markers() throws {
            let relationship = try member("@Relationship(deleteRule: .cascade) var tags: [String] = []")
            #expect(relationship.message?.hasPrefix("@Relationship(deleteRule: .cascade): '[String]' is no class of a model") == true)
            #expect(relationship.fixed == "var tags: [String] = []")
            #expect(try member("@Attribute @Relationship var owner: Owner?").message?.hasSuffix("not both") == true)
            #expect(
                try member("@Relationship(.unique) var pets: [Pet] = []").message?.hasPrefix(".unique: a relationship cannot be unique")
                    == true)
            #expect(try member("@Relationship(.ordered) var pet: Pet?").message == ".ordered: only a relationship to many has an order")
            #expect(
                try member("@Relationship(.ordered) var pets: Set<Pet> = []").message == "Set<Pet>: an ordered relationship is an array")
            #expect(try member("@Relationship(maximumModelCount: 3) var pet: Pet?").message == "3: only a relationship to many has counts")
            #expect(try member("@Relationship(inverse: \\.owner) var pets: [Pet] = []").message?.contains("\\Pet.owner") == true)
        }

        @Test("A transient property begins with a value, and is not kept")
        func transient() throws {
            #expect(
                try member("@Transient var isShown: Bool").message?.hasPrefix("isShown: a property that is @Transient has a default")
                    == true)
            #expect(try member("@Transient @Attribute(.unique) var isShown = false").fixed == "@Transient var isShown = false")
            #expect(try Diagnosed("@Model class A: ManagedObject { @Transient lazy var x = f(); @Transient var y: Int? }").messages.isEmpty)
        }

        @Test("Clauses name the class's own properties")
        func clauses() throws {
            #expect(try Diagnosed("@Model class A: ManagedObject { #Unique<A>([\\.x], [\\.x, \\.y]) }").messages.isEmpty)
            #expect(try member("#Unique<Person>([\\.owner.name])").message?.hasPrefix("\\.owner.name: #Unique takes lists") == true)
            #expect(try member("#Index<Person>(names)").message?.hasPrefix("names: #Index takes lists") == true)
        }

        @Test("Several properties in one declaration are refused")
        func several() throws {
            #expect(try member("var a: Int, b: Int").message?.hasSuffix("declare each property of a model on its own") == true)
            #expect(try member("var (a, b): (Int, Int)").message?.hasSuffix("a property of a model has one name") == true)
        }
    }
#endif
