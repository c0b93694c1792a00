import StrataCoreDataCode
import Testing

/// Selectors that are used for their names, as keys of sort descriptors and of coders: all were left for the hand.
@Suite("Porting selectors") struct PortSelectorTests {
    private func port(_ expression: String) -> PortedSource {
        let module = Samples.module("app", source(expression))
        return SourcePorter(module: module).port(module.files[0])
    }

    private func source(_ expression: String) -> String {
        """
        import CoreData
        class A: NSManagedObject {
            @NSManaged var b: Date
            @NSManaged var c: A
            #if canImport(ObjectiveC)
            @objc(named)
            #endif
            var d: Int { 1 }
            func e() {}
            func f(_ g: [String: Int], h: Dictionary<String, Int> = [:], _ i: Int) {}
            func j(with k: Int) {}
            func l(_ m: Int) throws {}
            func n(_ o: Int) {}
            func n(_ o: Int, p: Int) {}
            #if canImport(ObjectiveC)
            @objc(q:r:)
            #endif
            func s(t: Int, u: Int) {}
            let v = \(expression)
        }
        """
    }

    @Test(
        "A selector that is only a name is a text",
        arguments: [
            ("getter: b", "b"), ("getter: A.b", "b"), ("getter: self.c.b", "b"), ("getter: A.d", "named"), ("setter: A.b", "setB:"),
            ("getter: A.isFault", "isFault"), ("e", "e"), ("A.e", "e"), ("self.f", "f:h::"), ("f(_:h:_:)", "f:h::"), ("n(_:)", "n:"),
            ("A.n(_:p:)", "n:p:"), ("s", "q:r:"), ("NSString.compare(_:)", "compare:"),
        ])
    func name(selector: String, name: String) {
        let ported = port("NSStringFromSelector(#selector(\(selector)))")
        #expect(ported.text == source("\"\(name)\""))
        #expect(ported.remarks.isEmpty)
        #expect(port("(#selector(\(selector)).description, 1)").text == source("(\"\(name)\", 1)"))
    }

    @Test(
        "A selector whose name is not known is remarked on",
        arguments: ["getter: Other.b", "Other.e", "j", "j(with:)", "l", "n", "unknown(_:)", "getter: c.isUnknown"])
    func unknownName(selector: String) {
        let ported = port("NSStringFromSelector(#selector(\(selector)))")
        #expect(!ported.isChanged)
        #expect(ported.remarks.map(\.remedy) == ["write the name as a text"])
    }

    @Test("A selector that is called stays", arguments: ["b(#selector(e))", "b(#selector(getter: A.b))", "c.perform(#selector(A.e))"])
    func call(expression: String) {
        let ported = port(expression)
        #expect(!ported.isChanged)
        #expect(ported.remarks.map(\.subject) == ["#selector"])
    }
}
