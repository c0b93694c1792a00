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
        (
            "class A: NSManagedObject { @NSManaged var b: Set<B>? }\nclass B: A { @NSManaged var c: String }\nlet k = #keyPath(B.b.c)",
            "class A: NSManagedObject { @NSManaged var b: Set<B>? }\nclass B: A { @NSManaged var c: String }\nlet k = \"b.c\""
        ),
    ]

    @Test("What can be changed is changed, once", arguments: cases) func changes(before: String, after: String) {
        let ported = port(before)
        #expect(ported.text == after)
        #expect(ported.isChanged == (before != after))
        #expect(port(after).text == after)
    }

    @Test(
        "What has to be changed by hand is remarked on at its place",
        arguments: [
            ("import CloudKit", "1:1: import CloudKit: there is no CloudKit"),
            ("let a = #selector(f)", "1:9: #selector: call the function itself"),
            ("let a = [1] as NSArray", "1:13: as NSArray: make the object: NSArray(array: value)"),
            ("let a = #keyPath(Some.name)", "1:9: #keyPath(Some.name): write the names of the properties as a text, as in \"name\""),
            ("f(r as! NSFetchRequest<NSFetchRequestResult>)", "1:5: as NSFetchRequest<NSFetchRequestResult>: leave the cast out"),
            ("func f() { @objc func g() {} }", "1:12: @objc: put it on a line of its own"),
            ("@objc protocol P {\n  optional func f()\n}", "2:3: optional: a protocol's optional members need Objective-C"),
        ])
    func remarks(text: String, remark: String) {
        let remarks = port(text).remarks.map(\.description)
        #expect(remarks.map { $0.hasPrefix("app.swift:" + remark) } == [true], "\(remarks)")
    }

    @Test("Nothing is remarked on that only Apple's systems compile, nor casts in patterns")
    func silence() {
        #expect(port("#if canImport(UIKit)\nimport UIKit\nlet a = #selector(f)\n#endif").remarks.isEmpty)
        #expect(port("switch a { case let b as NSString: break; default: break }").remarks.isEmpty)
        #expect(port("let a = b as? NSString").remarks.isEmpty)
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
