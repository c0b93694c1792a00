import StrataCoreDataCode
import Testing

@Suite("Accessors") struct AccessorTests {
    @Test("A property has a getter and a setter with the compiler's symbols, and a place for its name") func property() throws {
        let code = try Samples.code("import CoreData\nclass Person: NSManagedObject {\n    @NSManaged var name: String?\n}")
        #expect(
            code.text == """
                // Generated for the module app. What is changed here is lost when it is generated again.

                #if !canImport(ObjectiveC)
                import CoreData

                private nonisolated let _managedKeys = ManagedKeys("name")

                @inline(__always) private nonisolated func _managedOptionalValue_String(_ index: Int, _ object: NSManagedObject) -> String? \
                { _managedOptionalValue(_managedKeys[index], of: object) }
                @inline(__always) private nonisolated func _setManagedOptionalValue_String(_ value: String?, _ index: Int, _ object: NSManagedObject) \
                { _setManagedOptionalValue(value, _managedKeys[index], of: object) }

                extension Person {
                    @_silgen_name("$s3app6PersonC4nameSSSgvg") final func \
                _Person_name_get() -> String? { _managedOptionalValue_String(0, self) }
                    @_silgen_name("$s3app6PersonC4nameSSSgvs") final func \
                _Person_name_set(_ value: __owned String?) { _setManagedOptionalValue_String(value, 0, self) }
                }
                #endif

                """)
        #expect(code.warnings.isEmpty)
    }

    @Test("A module without managed properties has no code") func nothing() throws {
        let lines = try Samples.code("import CoreData\nclass Person: NSManagedObject { var name: String? }").text.split(separator: "\n")
        #expect(lines.dropFirst() == ["#if !canImport(ObjectiveC)", "#endif"])
    }

    /// Without a warning only the linker reported the symbols that are missing.
    @Test("A class within a function has no accessors, which is a warning at its name") func localClass() throws {
        let code = try Samples.code(
            """
            class A {
                func f() {
                    class Local: NSManagedObject {
                        @NSManaged var c: Int
                    }
                    #if canImport(ObjectiveC)
                    class Other: NSManagedObject { @NSManaged var c: Int }
                    #endif
                }
            }
            """)
        #expect(code.warnings.map(\.location.line) == [3])
    }

    @Test("Only properties with @NSManaged have accessors, wherever they stand") func scanning() throws {
        let symbols = try Samples.symbols(
            #"""
            /* a /* nested */ comment: @NSManaged var a: Int */
            // @NSManaged var b: Int
            func f() { class Local { @NSManaged var c: Int } }
            class Person: NSManagedObject {
                var text = "} @NSManaged var d: Int \("\(1) }") "
                var long = """
                    @NSManaged var e: Int " }
                    """
                let raw = #"\( } "#, pattern = /[}"]/, other = 4 / 2
                var computed: Int { get { let x = { 1 }; return x() } set {} }
                @NSManaged @available(*, deprecated) var f: Int, g: String
                @available(macOS 12, *)
                @NSManaged
                public
                internal(set) var h: Int; static let i = 1
                enum Kind { case `class`, open(Int), weak }
                func `import`(class: Int = 1, _ extension: Int) -> [Int] { [] }
                class func make() -> Int { 0 }
                class Inner: NSManagedObject { @NSManaged weak var j: Person? }
            }
            extension Person.Inner where Self: AnyObject {}
            extension Person.Inner: Identifiable { @NSManaged dynamic final var k: Int }
            """#)
        #expect(
            symbols.filter { $0.hasSuffix("vg") } == [
                "$s3app6PersonC1fSivg", "$s3app6PersonC1gSSvg", "$s3app6PersonC1hSivg", "$s3app6PersonC5InnerC1jACSgvg",
                "$s3app6PersonC5InnerC1kSivg",
            ])
    }

    @Test("Accessors stand under the conditions of their properties, and there are none for Apple's systems") func conditions() throws {
        let code = try Samples.code(
            """
            #if canImport(ObjectiveC)
            import UIKit
            #else
            import CoreData
            #endif
            class Person: NSManagedObject {
                #if DEBUG // in tests
                @NSManaged var a: Int
                #elseif os(Windows) || EXTRA
                @NSManaged var b: Int
                #if INNER
                @NSManaged var c: Int
                #endif
                #else
                @NSManaged var d: Int
                #endif
                #if os(iOS) || os(macOS)
                @NSManaged var e: UIColor
                #endif
            }
            """)
        let lines = code.text.split(separator: "\n").map {
            $0.contains("_silgen_name") ? "    \($0.contains("_get(") ? "get" : "set")" : String($0)
        }
        #expect(
            lines.drop { !$0.hasPrefix("#if DEBUG") }.filter { !$0.hasSuffix("set") } == [
                "#if DEBUG", "extension Person {", "    get", "}", "#endif",
                "#if !(DEBUG) && (os(Windows) || EXTRA)", "extension Person {", "    get", "}", "#endif",
                "#if !(DEBUG) && (os(Windows) || EXTRA)", "#if INNER", "extension Person {", "    get", "}", "#endif", "#endif",
                "#if !(DEBUG) && !(os(Windows) || EXTRA)", "extension Person {", "    get", "}", "#endif", "#endif",
            ])
        #expect(!code.text.contains("UIKit"))
        #expect(code.warnings.isEmpty)
    }

    @Test("The name in @objc is the property's name in the model, and that of a function says what it does") func objectiveCNames() throws {
        let code = try Samples.code(
            """
            class Person: NSManagedObject {
                #if canImport(ObjectiveC)
                @objc(fullName)
                #endif
                @NSManaged var name: String?
                @NSManaged var URLs: NSSet?
                @objc(addURLsObject:) @NSManaged func insert(_ value: Person)
                @objc(replaceURLsAtIndexes:withURLs:) @NSManaged func swap(_ indexes: NSIndexSet, for values: [Person])
                @NSManaged func removeFromURLs(_ values: NSSet)
                @NSManaged func addPetsObject(_ value: Person)
            }
            """)
        #expect(code.text.contains("_managedKeys = ManagedKeys(\"fullName\\nURLs\\npets\")"))
        #expect(code.text.contains("(_ value: Person) { _addManagedMember_NSManagedObject(value, 1, self) }"))
        #expect(code.text.contains("{ _replaceManagedMembers(_managedKeys[1], at: value, with: value1, of: self) }"))
        #expect(code.text.contains("{ _removeManagedMembers_NSSet(value, 1, self) }"))
        #expect(code.text.contains("{ _addManagedMember_NSManagedObject(value, 2, self) }"))
        #expect(code.warnings.isEmpty)
    }

    /// Xcode's older names were none of a relationship's functions, or of one that there is not.
    @Test("A function without @objc has the name for Objective-C that Swift gives it") func olderNames() throws {
        let code = try Samples.code(
            """
            class Album: NSManagedObject {
                @NSManaged var tracks: NSOrderedSet?
                @NSManaged func insertObject(_ value: Album, inTracksAtIndex idx: Int)
                @NSManaged func removeObjectFromTracksAtIndex(_ idx: Int)
                @NSManaged func replaceObjectInTracksAtIndex(_ idx: Int, withObject value: Album)
            }
            """)
        #expect(code.text.contains("{ _insertManagedMember(_managedKeys[0], value, at: value1, of: self) }"))
        #expect(code.text.contains("{ _removeManagedMember(_managedKeys[0], at: value, of: self) }"))
        #expect(code.text.contains("{ _replaceManagedMember(_managedKeys[0], at: value, with: value1, of: self) }"))
        #expect(code.warnings.isEmpty)
    }

    @Test("A primitive value is that of the property that it is named after") func primitives() throws {
        let code = try Samples.code(
            "class Person: NSManagedObject { @NSManaged private var primitiveName: String?; @NSManaged var primitive: Int }")
        #expect(code.text.contains("{ _managedPrimitiveValue(_managedKeys[0], of: self) }"))
        #expect(code.text.contains("{ _setManagedPrimitiveValue(value, _managedKeys[0], of: self) }"))
        #expect(code.text.contains("{ _managedValue_Int(1, self) }"))
    }

    @Test("What other modules may use they may link to, and isolation and availability are the property's") func access() throws {
        let code = try Samples.code(
            """
            public import CoreData
            internal import Foundation
            public class Person: NSManagedObject { @NSManaged open var a: NSManagedObject?; @NSManaged nonisolated public var b: Int }
            public extension Person { @NSManaged var c: Int; @NSManaged internal var d: Int; @NSManaged package var e: Int }
            class Hidden: NSManagedObject { @NSManaged public var f: Int; @MainActor @NSManaged var g: Int }
            """)
        let lines = code.text.split(separator: "\n").filter { $0.contains("_get()") }
            .compactMap { line in line.split(separator: ")", maxSplits: 1).last.map { $0.prefix { $0 != "(" } } }
        #expect(
            lines == [
                " @usableFromInline final func _Person_a_get", " @usableFromInline nonisolated final func _Person_b_get",
                " @usableFromInline final func _Person_c_get", " final func _Person_d_get", " package final func _Person_e_get",
                " final func _Hidden_f_get", " @MainActor final func _Hidden_g_get",
            ])
        #expect(code.text.contains("\npublic import CoreData\ninternal import Foundation\n"))
    }

    @Test("A type is written with its module where the target has one of the same name") func qualifiedTypes() throws {
        let code = try Samples.code(
            "struct Date {}\nclass Person: NSManagedObject { @NSManaged var a: Date; @NSManaged var b: Foundation.Date? }")
        #expect(code.text.contains("_Person_a_get() -> Date {"))
        #expect(code.text.contains("_Person_b_get() -> Foundation.Date? {"))
    }

    static let refused: [(String, String)] = [
        (
            "class A: NSManagedObject { @NSManaged var a: Missing? }",
            "1:43: warning: no accessors can be generated for 'a': 'Missing' is declared neither"
        ),
        ("class A: NSManagedObject { @NSManaged static var a: Int }", "1:50: warning: 'a' is a member of the class itself"),
        (
            "private class A: NSManagedObject { @NSManaged var a: Int }",
            "1:51: warning: no accessors can be generated for 'a', since 'A' is private"
        ),
        (
            "private enum E {}\nclass A: NSManagedObject { @NSManaged private var a: E }",
            "2:51: warning: no accessors can be generated for 'a', since its type 'E' is private to its file: make it internal"
        ),
        (
            "class A<T>: NSManagedObject { @NSManaged var a: Int }",
            "1:46: warning: no accessors can be generated for 'a' in a class that is generic"
        ),
        (
            "extension Unknown { @NSManaged var a: Int }",
            "1:36: warning: no accessors can be generated for 'a': 'Unknown' is declared neither"
        ),
        (
            "class A: NSManagedObject { @NSManaged func load() -> Int }",
            "1:44: warning: 'load' is none of the functions that Core Data makes"
        ),
        (
            "class A: NSManagedObject { @NSManaged var a: some Error }",
            "1:43: warning: no accessors can be generated for 'a': no property of an object"
        ),
        (
            "typealias B = B\nclass A: NSManagedObject { @NSManaged var a: B }",
            "2:43: warning: no accessors can be generated for 'a': it stands for"
        ),
    ]

    @Test("What has no accessors is said at its place", arguments: refused) func warnings(text: String, message: String) throws {
        let code = try Samples.code(text)
        #expect(code.symbols.isEmpty)
        #expect(code.messages.map { $0.hasPrefix("app.swift:" + message) } == [true], "\(code.messages)")
    }
}
