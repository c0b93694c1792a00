import StrataCoreDataCode
import Testing

@Suite("Porting sources") struct PortTests {
    private func port(_ text: String) -> PortedSource {
        let module = Samples.module("app", text)
        return SourcePorter(module: module).port(module.files[0])
    }

    static let cases: [(String, String)] = [
        (
            "@objc(Person)\npublic class Person: NSManagedObject {\n}\n",
            "#if canImport(ObjectiveC)\n@objc(Person)\n#endif\npublic class Person: NSManagedObject {\n}\n"
        ),
        (
            "class A {\n    @objc(addPetsObject:)\n    @NSManaged func addToPets(_ value: A)\n}",
            "class A {\n    #if canImport(ObjectiveC)\n    @objc(addPetsObject:)\n    #endif\n    @NSManaged func addToPets(_ value: A)\n}"
        ),
        (
            "class A {\n\t@objc @NSManaged public func x()\n}",
            "class A {\n\t#if canImport(ObjectiveC)\n\t@objc\n\t#endif\n\t@NSManaged public func x()\n}"
        ),
        ("public @objc func f() {}", "#if canImport(ObjectiveC)\n@objc\n#endif\npublic func f() {}"),
        ("@objc\n@objcMembers class A {}", "#if canImport(ObjectiveC)\n@objc\n@objcMembers\n#endif\nclass A {}"),
        ("@objc\r\nclass A {}\r\n", "#if canImport(ObjectiveC)\r\n@objc\r\n#endif\r\nclass A {}\r\n"),
        ("#if canImport(ObjectiveC)\n@objc\n#endif\nclass A {}", "#if canImport(ObjectiveC)\n@objc\n#endif\nclass A {}"),
        ("#if os(iOS)\n@objc class A {}\n#endif", "#if os(iOS)\n@objc class A {}\n#endif"),
        ("let a = \"@objc\" // @objc\n", "let a = \"@objc\" // @objc\n"),
    ]

    /// What stood with other code on one line was left for the hand: a class on one line, a member among others.
    static let inline: [(String, String)] = [
        (
            "class A { @objc func f() {} }",
            "class A {\n    #if canImport(ObjectiveC)\n    @objc\n    #endif\n    func f() {} }"
        ),
        (
            "  var a = 1; private @objc(b) dynamic var c = 2\n",
            "  var a = 1;\n      #if canImport(ObjectiveC)\n      @objc(b)\n      #endif\n      private dynamic var c = 2\n"
        ),
        (
            "@objc(Kind) public enum Kind: Int { case a }",
            "#if canImport(ObjectiveC)\n@objc(Kind)\n#endif\npublic enum Kind: Int { case a }"
        ),
        (
            "protocol P { var a: Int { @objc get @objc (setA:) set } }",
            "protocol P { var a: Int {\n    #if canImport(ObjectiveC)\n    @objc\n    #endif\n    get"
                + "\n    #if canImport(ObjectiveC)\n    @objc (setA:)\n    #endif\n    set } }"
        ),
        (
            "@available(macOS 12, *) @objc protocol P {}",
            "#if canImport(ObjectiveC)\n@objc\n#endif\n@available(macOS 12, *) protocol P: AnyObject {}"
        ),
        (
            "@objc public protocol P: A.Q, R {}",
            "#if canImport(ObjectiveC)\n@objc\n#endif\npublic protocol P: AnyObject, A.Q, R {}"
        ),
        (
            "@objc(P)\nprotocol P: NSObjectProtocol {}", "#if canImport(ObjectiveC)\n@objc(P)\n#endif\nprotocol P: NSObjectProtocol {}"
        ),
    ]

    static let imports: [(String, String)] = [
        ("import UIKit\n", "#if canImport(UIKit)\nimport UIKit\n#else\nimport Foundation\n#endif\n"),
        ("import CoreData\nimport os.log", "import CoreData\n#if canImport(os)\nimport os.log\n#endif"),
        (
            "import Foundation\n@preconcurrency public import class UIKit.UIColor // color",
            "import Foundation\n#if canImport(UIKit)\n@preconcurrency public import class UIKit.UIColor\n#endif // color"
        ),
        ("#if os(iOS)\nimport UIKit\n#endif", "#if os(iOS)\nimport UIKit\n#endif"),
    ]

    /// Key paths in texts, with no class before them, of properties without `@NSManaged` and of frameworks were left.
    static let keyPaths: [(String, String)] = [
        ("B.b.c", "\"b.c\""), ("B\n    .b\n    .c", "\"b.c\""), ("b.d", "\"b.d\""), ("Self.b", "\"b\""), ("A.e", "\"f\""),
        ("B.objectID", "\"objectID\""), ("A.isFault", "\"fault\""), ("A.Inner.g", "\"g\""),
        ("NSManagedObjectContext.parent", "\"parent\""),
    ]

    @Test("A call of an optional requirement in another module is changed") func requirementOfDependency() {
        let dependency = Samples.module("shop", "@objc public protocol Listener { @objc optional func changed(_ count: Int) }")
        let module = Samples.module("app", "import shop\nfunc notify(_ listener: Listener) {\n    listener.changed?(1)\n}\n")
        let text = SourcePorter(module: module, dependencies: [dependency]).port(module.files[0]).text
        #expect(text.contains("#else\n    listener.changed(1)\n"))
    }

    @Test("A key path is equal to its text", arguments: keyPaths) func keyPath(path: String, text: String) {
        func source(_ text: String) -> String {
            """
            import CoreData
            class A: NSManagedObject { @NSManaged var b: Set<B>?; class Inner: NSObject { var g = 1 } }
            class B: A { @NSManaged var c: String; lazy var d: Int = 1; let k = \(text) }
            extension A {
                #if canImport(ObjectiveC)
                @objc(f)
                #endif
                var e: Int { 1 }
            }
            """
        }
        #expect(port(source("#keyPath(\(path))")).text == source(text))
        #expect(port(source("#keyPath(\(path))")).remarks.isEmpty)
    }

    /// It became `"Other.name"`: `Other` was taken for a property that the class inherits from a framework's.
    @Test("A key path of a class that is not known is none of the class around it") func unknownClass() {
        let ported = port("class A: NSManagedObject { let a = #keyPath(Other.name) }")
        #expect(!ported.isChanged)
        #expect(ported.remarks.map(\.subject) == ["#keyPath(Other.name)"])
    }

    @Test("A class is named without the type that it is nested in") func nestedClass() {
        let ported = port("class A { class B: NSObject { @objc let name = \"\" }\n    let b = #keyPath(B.name), c = #keyPath(A.B.name) }")
        #expect(ported.text.contains("let b = \"name\", c = \"name\""))
        #expect(ported.remarks.isEmpty)
    }

    @Test("A key path in a text becomes part of it") func interpolatedKeyPath() {
        let (start, end) = ("class A: NSManagedObject { @NSManaged var b: Int }\nlet k = ", "")
        let before = #""\(#keyPath(A.b)) == %@ \(1 + #keyPath(A.b).count) \(f("\(#keyPath(A.b))"))""#
        #expect(port(start + before + end).text == start + #""b == %@ \(1 + "b".count) \(f("b"))""#)
        #expect(port(start + ##"#"\#(#keyPath(A.b)) \(#keyPath(A.b))"#"##).text == start + ##"#"b \(#keyPath(A.b))"#"##)
    }

    static let calls: [(String, String)] = [
        (
            "let a = autoreleasepool { 1 }\n",
            """
            let a = autoreleasepool { 1 }

            #if !canImport(ObjectiveC)
            private func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
            #endif

            """
        ),
        ("let t = CFAbsoluteTimeGetCurrent()", "let t = Date.timeIntervalSinceReferenceDate"),
        ("let t: CFTimeInterval = 1, u = [CFAbsoluteTime]()", "let t: TimeInterval = 1, u = [TimeInterval]()"),
        (
            "import CoreData\nlet a = NSClassFromString(b)\n",
            """
            import CoreData
            let a = NSClassFromString(b)

            #if !canImport(ObjectiveC)
            private func NSClassFromString(_ aClassName: String) -> AnyClass? { _classFromString(aClassName) }
            #endif

            """
        ),
        ("let d = 2 * NSEC_PER_SEC + USEC_PER_SEC", "let d = 2 * 1_000_000_000 + 1_000_000"),
        ("s(#selector(NSString.localizedStandardCompare(_:)))", "s(Selector((\"localizedStandardCompare:\")))"),
    ]

    /// A class of requests is another one's for each class of results, and the casts between them failed.
    static let requests = [
        ("let a = T.fetchRequest() as! NSFetchRequest<T>", "let a = unsafeBitCast(T.fetchRequest(), to: NSFetchRequest<T>.self)"),
        (
            "guard let a = type(of: self).fetchRequest() as? NSFetchRequest<T> else { return }",
            "guard let a = Optional(unsafeBitCast(type(of: self).fetchRequest(), to: NSFetchRequest<T>.self)) else { return }"
        ),
        (
            "f(Person.fetchRequest() as! NSFetchRequest<NSFetchRequestResult>)",
            "f(Person.fetchRequest() as NSFetchRequest<NSFetchRequestResult>)"
        ),
        (
            "if let a = m.fetchRequestTemplate(forName: n) as? NSFetchRequest<Venue> {}",
            "if let a = m.fetchRequestTemplate(forName: n) as AnyObject as? NSFetchRequest<Venue> {}"
        ),
        (
            "let r: NSFetchRequest<Person> = Person.fetchRequest()\nf(r as! NSFetchRequest<NSFetchRequestResult>)",
            "let r: NSFetchRequest<Person> = Person.fetchRequest()\nf(unsafeBitCast(r, to: NSFetchRequest<NSFetchRequestResult>.self))"
        ),
        (
            "let a = NSFetchRequest<NSFetchRequestResult>(entityName: n(b)) as! NSFetchRequest<Self>",
            "let a = unsafeBitCast(NSFetchRequest<NSFetchRequestResult>(entityName: n(b)), to: NSFetchRequest<Self>.self)"
        ),
        (
            "let r = NSFetchRequest<NSFetchRequestResult>()\nreturn r as! NSFetchRequest<T>",
            "let r = NSFetchRequest<NSFetchRequestResult>()\nreturn unsafeBitCast(r, to: NSFetchRequest<T>.self)"
        ),
        ("let a = b as! NSFetchRequest<T>", "let a = b as! NSFetchRequest<T>"),
    ]

    @Test("What can be changed is changed, once", arguments: cases + inline + imports + calls + requests) func changes(
        before: String, after: String
    ) {
        let ported = port(before)
        #expect(ported.text == after)
        #expect(ported.isChanged == (before != after))
        #expect(port(after).text == after)
    }

    @Test(
        "What has to be changed by hand is remarked on at its place",
        arguments: [
            ("import CloudKit", "1:1: import CloudKit: there is no CloudKit"),
            ("import A; import SwiftUI", "1:11: import SwiftUI: views stay in a target of their own"),
            ("import UIKit\nlet a = UIColor.red, b = UIColor.blue", "2:9: UIColor: views stay in a target of their own"),
            ("import os\nlet a = Logger()", "2:9: Logger: log with a package"),
            ("let a = #selector(f)", "1:9: #selector: call the function itself"),
            ("n.addObserver(self, selector: #selector(f), name: nil, object: nil)", "1:31: #selector: observe with a closure"),
            ("Timer.scheduledTimer(timeInterval: g(1), target: self, selector: #selector(f))", "1:66: #selector: give the timer a closure"),
            ("let a = #keyPath(Some.name)", "1:9: #keyPath(Some.name): write the names of the properties as a text, as in \"name\""),
            ("let a = #keyPath(Operation.isFinished)", "1:9: #keyPath(Operation.isFinished): write the names"),
            ("f(r as! NSFetchRequest<NSFetchRequestResult>)", "1:5: as NSFetchRequest<NSFetchRequestResult>: leave the cast out"),
            ("override func observeValue(forKeyPath k: String?) {}", "1:15: observeValue: there is no observing by key"),
            ("a = b.observe(\\.c) { _, _ in }", "1:7: observe: there is no observing by key"),
            ("b.addObserver(self, forKeyPath: c)", "1:3: addObserver: there is no observing by key"),
            ("let a = class_getName(A.self)", "1:9: class_getName: there is no run time of Objective-C"),
            ("for await _ in c.notifications(named: n) {}", "1:18: notifications: observe with a closure"),
            ("willChangeValue(for: \\.name)", "1:1: willChangeValue: write the property's key as a text: 'willChangeValue(forKey:)'"),
            ("a.objectWillChange.send()", "1:3: objectWillChange: there is no Combine"),
            ("let a = b.containerURL(forSecurityApplicationGroupIdentifier: c)", "1:11: containerURL: there are no containers of groups"),
            ("let a: NSHashTable<A>", "1:8: NSHashTable: keep an array"),
            ("if (a as AnyObject).isEqual(b) {}", "1:7: AnyObject: cast to the class"),
            ("let a = NSItemProvider()", "1:9: NSItemProvider: Swift's Foundation has none"),
            ("/* a */ @objc func g() {}", "1:9: @objc: put it on a line of its own"),
            ("@objc protocol P {\n  optional func f()\n}", "2:3: optional: a protocol's optional members need Objective-C"),
        ])
    func remarks(text: String, remark: String) {
        let remarks = port(text).remarks.map(\.description)
        #expect(remarks.map { $0.hasPrefix("app.swift:" + remark) } == [true], "\(remarks)")
    }

    @Test("Nothing is remarked on that only Apple's systems compile") func silence() {
        #expect(port("#if canImport(UIKit)\nimport UIKit\nlet a = #selector(f)\n#endif").remarks.isEmpty)
        #expect(port("#if canImport(os)\nimport os\n#endif").remarks.isEmpty)
        #expect(port("class A {\n    var containerURL = b()\n}").remarks.isEmpty)
    }

    /// Swift's Foundation converts these on other systems, too; each was listed.
    @Test(
        "Casts that compile everywhere are none to remark on",
        arguments: [
            "a as NSString", "a as NSDate", "1 as NSNumber", "[1] as NSArray", "[a: 1] as NSDictionary", "a as? NSString", "a as NSError",
            "r as NSFetchRequest<NSFetchRequestResult>", "u as CVarArg", "u as NSURL", "u as NSUUID",
        ])
    func casts(text: String) { #expect(port("let x = \(text)").remarks.isEmpty) }

    @Test("Names of the target are none of Apple's") func ownNames() {
        let remarks = port("import SwiftUI\nstruct State {}\nlet a = State(), b = c.View, d = f(View: 1)").remarks
        #expect(remarks.map(\.subject) == ["import SwiftUI"])
    }

    /// Types of other files of the target were taken for Apple's.
    @Test("Names of other files are the target's, too") func namesOfOtherFiles() {
        let own = SourceFile(path: "own.swift", text: "struct NetService {}\nstruct CFTimeInterval {}\nclass UndoManager {}")
        let user = SourceFile(path: "user.swift", text: "import Foundation\nvar a: NetService?, b: CFTimeInterval?, c: UndoManager?")
        let ported = SourcePorter(module: SourceModule(name: "app", files: [user, own])).port(user)
        #expect(!ported.isChanged)
        #expect(ported.remarks.isEmpty)
    }

    /// An extension of the framework's class hid the framework's own properties.
    @Test("A property of a framework's class that the target extends is found") func extendedClass() {
        let ported = port(
            """
            import CoreData
            class A: NSManagedObject {}
            extension NSManagedObject { var b: Int { 1 } }
            let c = #keyPath(A.objectID)
            """)
        #expect(ported.text.hasSuffix("let c = \"objectID\""))
    }

    @Test("A class is itself, and not what archives take for it") func classForCoder() {
        #expect(port("let a = \"\\(T.self.classForCoder())\" + b.classForCoder().c").text == "let a = \"\\(T.self.self)\" + b.self.c")
        #expect(!port("let a = b.classForCoder").isChanged)
    }

    @Test("A difference has three lines around each change") func difference() {
        let old = (1...20).map { "\($0)\n" }.joined()
        let new = old.replacing("\n2\n", with: "\nzwei\n").replacing("\n19\n", with: "\n19\n19a\n")
        #expect(
            UnifiedDiff.text(from: old, to: new, path: "a.swift") == """
                --- a/a.swift
                +++ b/a.swift
                @@ -1,5 +1,5 @@
                 1
                -2
                +zwei
                 3
                 4
                 5
                @@ -17,4 +17,5 @@
                 17
                 18
                 19
                +19a
                 20

                """)
        #expect(UnifiedDiff.text(from: old, to: old, path: "a.swift").isEmpty)
    }
}
