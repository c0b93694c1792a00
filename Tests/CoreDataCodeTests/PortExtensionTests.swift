import StrataCoreDataCode
import Testing

/// Managed objects are `NSObject` on Apple's systems alone, and libraries extend that class for them.
@Suite("Porting extensions of NSObject") struct PortExtensionTests {
    private let use = SourceFile(
        path: "Use.swift", text: "import CoreData\nextension NSManagedObject { static var entityName: String { nameOfClass } }\n")

    private func port(_ text: String) -> String {
        let file = SourceFile(path: "NSObject.swift", text: text)
        let ported = SourcePorter(module: SourceModule(name: "app", files: [file, use])).port(file)
        let again = SourceFile(path: file.path, text: ported.text)
        #expect(SourcePorter(module: SourceModule(name: "app", files: [again, use])).port(again).text == ported.text)
        return ported.text
    }

    @Test("An extension whose members managed objects use is one of NSManagedObject, too") func used() {
        let text = "import Foundation\npublic extension NSObject {\n    class var nameOfClass: String { \"\\(self)\" }\n}\n"
        #expect(
            port(text) == text + """

                #if !canImport(ObjectiveC)
                import CoreData
                public extension NSManagedObject {
                    class var nameOfClass: String { "\\(self)" }
                }
                #endif

                """)
    }

    @Test(
        "An extension stays that no managed object uses, that needs Objective-C, or that is for Apple's systems",
        arguments: [
            "extension NSObject {\n    var other: String { \"\" }\n}\n",
            "extension NSObject {\n    var nameOfClass: String { objc_getClass(\"\") }\n}\n",
            "extension NSObject: Named {\n    var nameOfClass: String { \"\" }\n}\n",
            "#if canImport(ObjectiveC)\nextension NSObject {\n    var nameOfClass: String { \"\" }\n}\n#endif\n",
            "extension NSObject {\n    var nameOfClass: String { \"\" }\n}\nextension NSManagedObject {\n}\n",
        ]) func unused(text: String)
    { #expect(port("import CoreData\n" + text) == "import CoreData\n" + text) }
}
