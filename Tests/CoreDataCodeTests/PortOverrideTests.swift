import StrataCoreDataCode
import Testing

/// An extension overrides members with Objective-C only.
@Suite("Porting overrides in extensions") struct PortOverrideTests {
    private func port(_ text: String) -> PortedSource {
        let module = Samples.module("app", text)
        return SourcePorter(module: module).port(module.files[0])
    }

    @Test("An overriding member of an extension is moved into the class of the same file") func moving() {
        let ported = port(
            """
            import CoreData
            public class Person: NSManagedObject {
                @NSManaged var name: String
            }

            public extension Person {
                /// Sets the name.
                override func awakeFromInsert() {
                    super.awakeFromInsert()
                    name = { "x" }()
                }

                func other() {}
                override var description: String { name }
                @available(*, deprecated)
                open override func validateForInsert() throws
                {
                    try super.validateForInsert()
                }
            }
            """)
        #expect(
            ported.text == """
                import CoreData
                public class Person: NSManagedObject {
                    @NSManaged var name: String

                    /// Sets the name.
                    public override func awakeFromInsert() {
                        super.awakeFromInsert()
                        name = { "x" }()
                    }

                    public override var description: String { name }

                    @available(*, deprecated)
                    open override func validateForInsert() throws
                    {
                        try super.validateForInsert()
                    }
                }

                public extension Person {

                    func other() {}
                }
                """)
        #expect(ported.remarks.isEmpty)
        #expect(!port(ported.text).isChanged)
    }

    @Test("An override in an extension of another file's class, or under a condition, is listed")
    func listing() {
        let ported = port(
            """
            import CoreData
            class Pet: NSManagedObject {}
            extension Person {
                override func awakeFromInsert() {}
            }
            extension Pet {
                #if DEBUG
                override func willSave() {}
                #endif
                #if canImport(ObjectiveC)
                override func didSave() {}
                #endif
            }
            """)
        #expect(!ported.isChanged)
        #expect(ported.remarks.map(\.location.line) == [4, 8])
        #expect(ported.remarks.allSatisfy { $0.subject == "override" })
    }

    @Test("A class's own overrides, and other members of extensions, are left alone") func others() {
        let text = """
            import CoreData
            class Person: NSManagedObject { override func willSave() {} }
            extension Person {
                func f() { let override = 1; _ = override }
                var x: Int { 1 }
                var y: Int
                { 2 }
            }
            extension Person where Self: AnyObject {}
            """
        #expect(!port(text).isChanged)
        #expect(port(text).remarks.isEmpty)
    }
}
