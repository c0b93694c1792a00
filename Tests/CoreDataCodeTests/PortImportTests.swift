import StrataCoreDataCode
import Testing

/// Imports that files lack where there is no Objective-C.
@Suite("Porting imports") struct PortImportTests {
    private func port(_ text: String, _ others: String...) -> PortedSource {
        let files = ([text] + others).enumerated().map { SourceFile(path: "\($0).swift", text: $1) }
        return SourcePorter(module: SourceModule(name: "app", files: files)).port(files[0])
    }

    private func condition(_ lines: String...) -> String {
        (["#if !canImport(ObjectiveC)"] + lines + ["#endif"]).map { $0 + "\n" }.joined()
    }

    /// Swift's Foundation and CoreData declare two types both: a file that imports the two did not compile where it named one as a type.
    @Test(
        "A type that two modules declare is imported from CoreData",
        arguments: [
            "let a: NSExpression? = nil", "let a: [NSExpression] = []", "extension NSExpression {}", "class A: NSExpression {}",
            "let a = b as? NSExpression", "let a = NSExpression.self", "let a = \"\\(b is NSExpression)\"",
            "let a = NSExpression.ExpressionType.block", "typealias A = NSExpression\n(b).c()",
        ])
    func ambiguousType(code: String) {
        let imports = "import Foundation\nimport CoreData\n"
        let after = imports + condition("import class CoreData.NSExpression") + code
        #expect(port(imports + code).text == after)
        #expect(port(after).text == after)
    }

    @Test("Both types are imported where the file has CoreData, with its access") func access() {
        let (start, end) = ("  public import CoreData", " // data\n  import XCTest\nvar a: NSExpression?, b: NSComparisonPredicate?\n")
        let lines = [
            "#if !canImport(ObjectiveC)", "public import class CoreData.NSComparisonPredicate", "public import class CoreData.NSExpression",
            "#endif",
        ]
        let after = start + lines.map { "\n  " + $0 }.joined() + end
        #expect(port(start + end).text == after)
        #expect(port(after).text == after)
        #expect(
            port("import CoreData\nimport Foundation\nvar a: NSExpression?", "public import CoreData").text
                == "import CoreData\n" + condition("internal import class CoreData.NSExpression")
                + "import Foundation\nvar a: NSExpression?")
    }

    /// A library of predicates alone has no import of CoreData, and Foundation's predicates no formats.
    @Test("A file of a module that depends on CoreData imports it for predicates") func dependency() {
        func port(_ text: String, _ usesCoreData: Bool) -> String {
            let module = SourceModule(name: "app", files: [SourceFile(path: "0.swift", text: text)])
            return SourcePorter(module: module, usesCoreData: usesCoreData).port(module.files[0]).text
        }
        let format = "import Foundation\nlet a = NSPredicate(format: b)"
        #expect(port(format, true) == "import Foundation\n" + condition("import CoreData") + "let a = NSPredicate(format: b)")
        #expect(port(format, false) == format)
        let date = "import Foundation\nlet a: Date"
        #expect(port(date, true) == date)
        #expect(
            port("import Foundation\nvar a: NSExpression?", true)
                == "import Foundation\n" + condition("import CoreData", "import class CoreData.NSExpression") + "var a: NSExpression?")
        #expect(port("import CoreData\nlet a = NSPredicate(format: b)", true) == "import CoreData\nlet a = NSPredicate(format: b)")
    }

    @Test("Types that are Foundation's with Objective-C only lose its name") func qualifiedNames() {
        let imports = "import CoreData\nimport Foundation\n"
        #expect(
            port(imports + "class T: Foundation.ValueTransformer {}\nlet u: Foundation.UndoManager, d: Foundation.Date").text
                == imports + "class T: ValueTransformer {}\nlet u: UndoManager, d: Foundation.Date")
        #expect(
            port(imports + "let e: Foundation.NSExpression").text
                == "import CoreData\n" + condition("import class CoreData.NSExpression") + "import Foundation\nlet e: NSExpression")
    }

    /// The module has no submodules, which Apple's framework has one of for each header.
    @Test("A submodule of CoreData becomes the module") func submodules() {
        let text = "import CoreData.NSManagedObject\npublic import CoreData.NSFetchRequest // requests\nlet a = 1"
        let after = "import CoreData\npublic import CoreData // requests\nlet a = 1"
        #expect(port(text).text == after)
        #expect(port(after).text == after)
        let symbols = "import class CoreData.NSManagedObject\n#if canImport(ObjectiveC)\nimport CoreData.NSManagedObject\n#endif"
        #expect(port(symbols).text == symbols)
        let both = "import Foundation\nimport CoreData.NSExpression\nvar a: NSExpression?"
        #expect(
            port(both).text
                == "import Foundation\nimport CoreData\n" + condition("import class CoreData.NSExpression") + "var a: NSExpression?")
    }

    @Test("An import with a condition of its own has the other one with it") func conditionalImport() {
        let (start, end) = ("import Foundation\n#if canImport(CoreData)\nimport CoreData\n", "#endif\nvar a: NSExpression?")
        #expect(port(start + end).text == start + condition("import class CoreData.NSExpression") + end)
    }

    @Test(
        "What is not ambiguous needs no import",
        arguments: [
            "import CoreData\nlet a: NSExpression? = nil", "import Foundation\nimport CoreData\nlet a = NSExpression(forKeyPath: b)",
            "import Foundation\nimport CoreData\nlet a = NSExpression.expressionForEvaluatedObject()",
            "import Foundation\nimport CoreData\nlet a: UndoManager? = nil, b: CoreData.NSExpression? = nil",
            "import Foundation\nimport CoreData\nclass NSExpression {}\nlet a: NSExpression? = nil",
            "import Foundation\nimport CoreData\n#if os(macOS)\nlet a: NSExpression? = nil\n#endif",
            "#if os(macOS)\nimport Foundation\n#endif\nimport CoreData\nlet a: NSExpression? = nil",
            "import Foundation\nlet a: NSExpression? = nil",
        ])
    func unambiguous(text: String) { #expect(port(text).text == text) }

    /// A transformer that imports UIKit or Foundation alone did not compile: Swift's Foundation has no such class, and CoreData was not
    /// imported.
    @Test("A file that has Core Data from another module imports it") func missingModule() {
        let transformer = "class A: ValueTransformer {}"
        #expect(
            port("import UIKit\n" + transformer, "import CoreData").text
                == "#if canImport(UIKit)\nimport UIKit\n#else\nimport CoreData\n#endif\n" + transformer)
        #expect(
            port("import Foundation\nimport Cocoa\nvar a: NSManagedObject?, b: NSExpression?").text == """
                import Foundation
                #if canImport(Cocoa)
                import Cocoa
                #else
                import CoreData
                import class CoreData.NSExpression
                #endif
                var a: NSManagedObject?, b: NSExpression?
                """)
        let after = "import Foundation\n" + condition("import CoreData") + transformer
        #expect(port("import Foundation\n" + transformer, "import CoreData").text == after)
        #expect(port(after, "import CoreData").text == after)
    }

    @Test("A file that sees Core Data, or has nothing to do with it, imports nothing more") func seenModule() {
        let text = "import Foundation\nvar a: UndoManager?"
        #expect(!port(text).isChanged)
        #expect(!port(text, "@_exported import CoreData").isChanged)
        #expect(!port("import Foundation\nvar a = b.UndoManager, c = 1", "import CoreData").isChanged)
    }

    @Test("Where there is no import to add others to, they are remarked on") func remark() {
        let text = "#if canImport(UIKit)\nimport UIKit\n#endif\nvar a: NSManagedObject?"
        #expect(
            port(text).remarks.map(\.description) == [
                "0.swift:1:1: import: add 'import CoreData' between '#if !canImport(ObjectiveC)' and '#endif'"
            ])
    }

    @Test("A file that names types of networking imports their module, unless the module declares them") func networking() {
        let text = "import Foundation\nlet request: URLRequest? = nil\n"
        let ported = port(text)
        #expect(ported.text == text + "\n#if !canImport(ObjectiveC)\nimport FoundationNetworking\n#endif\n")
        #expect(!port(ported.text).isChanged)
        #expect(!port(text + "struct URLRequest {}\n").isChanged)
        #expect(!port("import Foundation\nlet session = \"URLSession\"\n").isChanged)
    }
}
