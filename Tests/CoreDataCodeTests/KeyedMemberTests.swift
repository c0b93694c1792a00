import StrataCoreDataCode
import Testing

/// What has `@objc` is found by its name on Apple's systems, and nothing told so here.
@Suite("Members that are found by name") struct KeyedMemberTests {
    /// The entries of the table for a class of managed objects, `Person`, and what else a file has; those under conditions with them.
    private func entries(_ members: String, _ more: String = "") throws -> [String] {
        let exposing = "@objcMembers class Exposing: NSManagedObject {}"
        let text = "import CoreData\n\(exposing)\nclass Person: NSManagedObject {\n\(members)\n}\n\(more)"
        let lines = try Samples.code(text).text.split(separator: "\n").map { $0.drop { $0 == " " } }
        guard let start = lines.firstIndex(where: { $0.hasPrefix("public nonisolated enum _ManagedMembers") }) else { return [] }
        return lines[start...].dropLast(2).compactMap { line in
            if line.hasPrefix("#") { return String(line) }
            guard let range = line.firstRange(of: "ManagedMember("), line.contains("list.append(") else { return nil }
            return String(line[range.upperBound...].dropLast())
        }
    }

    /// A key path was read from a sample, which an enumeration and a type of a transformable attribute do not have.
    @Test("Properties of the model without samples have names for their key paths") func modelled() throws {
        let found = try entries(
            """
            @NSManaged var kind: Kind
            @NSManaged public var tags: [String]?
            @NSManaged var name: String
            @NSManaged private var hidden: [String]
            @NSManaged var `default`: [String: Int]
            """, "@objc enum Kind: Int { case a }")
        #expect(
            found == [
                #"modelled: "kind", \Person.kind)"#, #"modelled: "tags", \Person.tags)"#, #"modelled: "default", \Person.`default`)"#,
            ])
    }

    @Test("Properties, getters and validations with @objc are in the table, under their names for Objective-C") func kinds() throws {
        let found = try entries(
            """
            #if canImport(ObjectiveC)
            @objc
            #endif
            var initial: String { "" }
            @objc(isTall) public private(set) var tall = false
            @objc lazy var `default`: [Int] = []
            @objc func nick() -> String { "" }
            @objc(getAge) final func years() -> Int { 0 }
            @objc func validateAge(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {}
            @objc(validateName:error:) func check(_ value: UnsafeMutablePointer<AnyObject?>) throws {}
            """)
        #expect(
            found == [
                #"Person.self, "initial", \.initial)"#, #"Person.self, "isTall", \.tall)"#, #"Person.self, "default", \.`default`)"#,
                #"Person.self, "nick") { $0.nick() as String }"#, #"Person.self, "getAge") { $0.years() as Int }"#,
                #"Person.self, validating: "Age") { try unsafe $0.validateAge($1) }"#,
                #"Person.self, validating: "Name") { try unsafe $0.check($1) }"#,
            ])
    }

    @Test("What overrides a member that Objective-C knows is in the table, too") func overrides() throws {
        let found = try entries(
            """
            @NSManaged var name: String?
            @objc var initial: String { "" }
            """,
            """
            class Worker: Person {
                override var name: String? { get { super.name } set { super.name = newValue } }
                override var initial: String { "W" }
                override var description: String { "" }
            }
            """)
        #expect(found.contains { $0.contains("Worker.self") && $0.contains("\"name\"") })
        #expect(found.contains { $0.contains("Worker.self") && $0.contains("\"initial\"") })
        #expect(!found.contains { $0.contains("description") })
    }

    @Test("What Objective-C does not know, and what other files cannot use, is not in the table") func others() throws {
        let found = try entries(
            """
            var plain: Int { 0 }
            @objc private var hidden: Int { 0 }
            @objc fileprivate func hiddenToo() -> Int { 0 }
            @objc static var ofClass: Int { 0 }
            @objc class func make() -> Int { 0 }
            @objc func act() {}
            @objc func act(_ a: Int) -> Int { 0 }
            @objc func load() throws -> Int { 0 }
            @objc func wait() async -> Int { 0 }
            @objc func validateAge(_ value: Any) throws {}
            @objc func validateAge(value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {}
            @objc func checkAge(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {}
            @objc @available(*, deprecated, message: "old") var old: Int { 0 }
            @objc @MainActor var screen: Int { 0 }
            @objc @NSManaged var modelled: Int
            @objc @Stored var isolated: Int { 0 }
            @objc override var inherited: Int { 0 }
            @objc nonisolated(unsafe) var unsafe = 0
            @objc var pointer: UnsafeRawPointer? { nil }
            @objc var attributed: Int { @available(*, deprecated) get { 0 } }
            @objc func some() -> some Equatable { 0 }
            @objc var sub: Int { 0 }
            #if canImport(ObjectiveC)
            @objc var apple: Int { 0 }
            #endif
            """,
            """
            private class Secret: NSManagedObject { @objc var a: Int { 0 } }
            class Box<T>: NSManagedObject { @objc var a: Int { 0 } }
            extension Box { @objc var b: Int { 0 } }
            extension Person where Self: Sendable { @objc var c: Int { 0 } }
            @MainActor class Screen: NSManagedObject { @objc var a: Int { 0 } }
            extension Screen { @objc var b: Int { 0 } }
            class Sub: Screen { @objc var c: Int { 0 } }
            protocol Isolating { @MainActor var sub: Int { get } }
            @MainActor protocol Drawn {}
            protocol Painted: Drawn {}
            class Picture: NSManagedObject, Painted { @objc var h: Int { 0 } }
            @available(*, deprecated) class Old: NSManagedObject { @objc var i: Int { 0 } }
            private extension Person { @objc var d: Int { 0 } }
            class View { @objc var e: Int { 0 } }
            struct Plain { var f = 0 }
            @objcMembers class Plains { var g = 0 }
            """)
        #expect(found == [])
    }

    @Test("A class and an extension expose all their members, and so does a class that others inherit") func exposing() throws {
        let found = try entries(
            "",
            """
            class Child: Exposing {
                var a = 0
                @nonobjc var b = 0
                var c: Int { get throws { 0 } }
                @NSManaged var d: Int
                var h: Plain { Plain() }
                var i: [Int].Index { get throws { 0 } }
                class Inner: NSManagedObject { var e = 0 }
            }
            struct Plain: ~Copyable {}
            extension Child { func f() -> Int { 0 } }
            @nonobjc extension Child { func j() -> Int { 0 } }
            @objc extension Person { var g: Int { 0 } }
            """)
        #expect(found == [#"Child.self, "a", \.a)"#, #"Child.self, "f") { $0.f() as Int }"#, #"Person.self, "g", \.g)"#])
    }

    @Test("Members stand under their conditions, and only a nonisolated one of an actor's class") func conditions() throws {
        let found = try entries(
            """
            #if DEBUG
            @objc var a: Int { 0 }
            #else
            @objc var b: Int { 0 }
            #endif
            """,
            "@MainActor class Screen: NSManagedObject { @objc nonisolated var c: Int { 0 } }")
        #expect(
            found == [
                "#if DEBUG", #"Person.self, "a", \.a)"#, "#endif", "#if !(DEBUG)", #"Person.self, "b", \.b)"#, "#endif",
                #"Screen.self, "c", \.c)"#,
            ])
    }

    /// Swift's default isolation is no part of the sources, but where it is an actor's, classes of managed objects have to lift it.
    @Test("Where types lift their isolation, only those members are in the table that are surely not isolated") func lifted() throws {
        let found = try entries(
            "@objc var a: Int { 0 }",
            """
            nonisolated class Free: NSManagedObject { @objc var b: Int { 0 } }
            extension Free { @objc var c: Int { 0 } }
            nonisolated extension Free { @objc var d: Int { 0 } }
            """)
        #expect(found == [#"Free.self, "b", \.b)"#, #"Free.self, "d", \.d)"#])
    }

    @Test("An alias means what it does in its file, and types of the module do not hide CoreData's") func names() throws {
        let files = ["A", "B"].map { name in
            SourceFile(
                path: "\(name).swift",
                text: """
                    import class CoreData.NSManagedObject
                    private typealias T = \(name)
                    class \(name): NSManagedObject {}
                    extension T { @objc var x\(name): Int { 0 } }
                    class ManagedMember {}
                    """)
        }
        let text = try CoreDataCode(of: SourceModule(name: "app", files: files)).text
        #expect(text.contains("list.append(CoreData.ManagedMember(A.self, \"xA\", \\.xA))"))
        #expect(text.contains("list.append(CoreData.ManagedMember(B.self, \"xB\", \\.xB))"))
        #expect(text.contains("\nimport CoreData\n"))
    }

    @Test("The table is in one file, imports what others see, and a module without members has none") func table() throws {
        let files = [
            "class A: NSManagedObject { @objc var a: Int { 0 }; @NSManaged var n: Int }",
            "class B: NSManagedObject { @objc var b: Int { 0 } }",
        ].enumerated().map { SourceFile(path: "\($0).swift", text: "internal import CoreData\n\($1)") }
        let code = try CoreDataCode(of: SourceModule(name: "app", files: files), parts: 3)
        #expect(code.files.filter { $0.contains("_ManagedMembers") } == [code.files[0]])
        #expect(code.files[0].contains("public nonisolated enum _ManagedMembers: ManagedMemberTable {"))
        #expect(code.files[0].contains("\npublic import CoreData\n"))
        #expect(code.files[0].contains("        list.append(ManagedMember(B.self, \"b\", \\.b))\n"))
        #expect(try !Samples.code("import CoreData\nclass A: NSManagedObject { @NSManaged var a: Int }").text.contains("_ManagedMembers"))
    }

    /// Expressions of mapping models call them: FUNCTION($entityPolicy, "scale:by:", $source.size, 2).
    @Test("Methods of migration policies and managers are in the table by their selectors") func policies() throws {
        let text = try Samples.code(
            """
            import CoreData
            class Policy: NSEntityMigrationPolicy {
                @objc func upper(_ text: String?) -> String? { text }
                @objc(scale:by:) func scaled(_ number: NSNumber, factor: Int) throws -> NSNumber { number }
                @objc func text(number: NSNumber, unit: String) -> String { "" }
                @objc func title(forBook book: String) -> String { book }
                @objc func now() -> Date { Date() }
                @objc func act(_ text: String) {}
                func plain(_ text: String) -> String { text }
            }
            class Special: Policy { @objc func special(_ text: String) -> String { text } }
            class Manager: NSMigrationManager { @objc func find(_ text: String) throws -> String { text } }
            class Person: NSManagedObject { @objc func find(_ text: String) -> String { text } }
            """
        ).text
        let entries: [String] = text.split(separator: "\n").compactMap { (line: Substring) in
            guard let range = line.firstRange(of: "list.append(ManagedFunction(") else { return nil }
            return String(line[range.upperBound...].dropLast())
        }
        #expect(
            entries == [
                #"Manager.self, "find:error:") { try $0.find(_managedArgument($1, 0)) }"#,
                #"Policy.self, "upper:") { try $0.upper(_managedArgument($1, 0)) }"#,
                #"Policy.self, "scale:by:") { try $0.scaled(_managedArgument($1, 0), factor: _managedArgument($1, 1)) }"#,
                #"Policy.self, "textWithNumber:unit:") { try $0.text(number: _managedArgument($1, 0), unit: _managedArgument($1, 1)) }"#,
                #"Policy.self, "titleForBook:") { try $0.title(forBook: _managedArgument($1, 0)) }"#,
                #"Policy.self, "now") { object, _ in object.now() }"#,
                #"Special.self, "special:") { try $0.special(_managedArgument($1, 0)) }"#,
            ])
        #expect(text.contains("static func _functions(of owner: AnyClass) -> [ManagedFunction] {"))
        #expect(text.contains("static func _members(of owner: NSManagedObject.Type) -> [ManagedMember] {"))
    }
}
