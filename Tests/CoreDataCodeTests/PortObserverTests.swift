import StrataCoreDataCode
import Testing

/// Observers with selectors and optional requirements of protocols were left for the hand.
@Suite("Porting observers and optional requirements") struct PortObserverTests {
    private func port(_ text: String) -> PortedSource {
        let module = Samples.module("app", text)
        return SourcePorter(module: module).port(module.files[0])
    }

    private func source(_ statement: String, throwing: Bool = false, parameter: String = "_ notification: Notification") -> String {
        """
        import CoreData
        class A {
            func start() {
        \(statement)
            }
            func saved(\(parameter)) \(throwing ? "throws " : ""){}
        }
        """
    }

    private let call = "        center.default.addObserver(self, selector: #selector(saved), name: .saved, object: a.b(c, d))"

    private func expected(_ closure: String, selector: String = "saved") -> String {
        """
                #if canImport(ObjectiveC)
                center.default.addObserver(self, selector: #selector(\(selector)), name: .saved, object: a.b(c, d))
                #else
                _ = center.default.addObserver(forName: .saved, object: a.b(c, d), queue: nil) { [weak self] \(closure) }
                #endif
        """
    }

    @Test("An observer with a selector gets a closure as its counterpart") func observer() {
        let ported = port(source(call))
        #expect(ported.text == source(expected("notification in self?.saved(notification)")))
        #expect(ported.remarks.isEmpty)
        #expect(!port(ported.text).isChanged)
    }

    @Test("The closure calls the function as it is declared") func declarations() {
        #expect(
            port(source(call, throwing: true)).text == source(expected("notification in try? self?.saved(notification)"), throwing: true))
        #expect(port(source(call, parameter: "")).text == source(expected("_ in self?.saved()"), parameter: ""))
        let object = "of notification: NSNotification"
        #expect(
            port(source(call, parameter: object)).text
                == source(expected("notification in self?.saved(of: notification as NSNotification)"), parameter: object))
    }

    @Test("The selector of a constant that only observers name is that of the observers") func constant() {
        let (constant, other) = ("        let changed = #selector(A<B>.saved(_:))", call.replacing("#selector(saved)", with: "changed"))
        let ported = port(source("\(constant)\n\(other)"))
        let observer = expected("notification in self?.saved(notification)").replacing("#selector(saved)", with: "changed")
        #expect(ported.text == source("        #if canImport(ObjectiveC)\n\(constant)\n        #endif\n\(observer)"))
        #expect(ported.remarks.isEmpty)
        #expect(!port(ported.text).isChanged)
        #expect(port(source("\(constant)\n\(other)\n        use(changed)")).remarks.count == 1)
    }

    @Test("A function of another file is called by the labels of the selector") func otherFile() {
        let statement = call.replacing("saved)", with: "A.removed(_:))")
        #expect(port(source(statement)).text == source(expected("notification in self?.removed(notification)", selector: "A.removed(_:)")))
    }

    @Test("An observer that is no statement of its own, or of another object, is remarked on") func remarks() {
        for statement in [
            "        if a { \(call) }", call.replacing("self,", with: "other,"), call.replacing("saved)", with: "unknown)"),
        ] {
            let ported = port(source(statement))
            #expect(!ported.isChanged)
            #expect(ported.remarks.map(\.subject) == ["#selector"])
        }
    }

    @Test("Removing an observer that became a closure is remarked on") func removal() {
        let ported = port(source(call + "\n        center.removeObserver(self)"))
        #expect(ported.remarks.map(\.subject) == ["removeObserver"])
        #expect(port(source("        center.removeObserver(self)")).remarks.isEmpty)
    }

    // MARK: - Optional requirements

    @Test("An optional requirement becomes a required one with a body") func requirement() {
        let ported = port(
            """
            @objc public protocol P {
                @objc optional func did(_ a: A, with b: Int)
                @objc
                optional func name(of a: A) -> String?
                func needed()
            }
            """)
        #expect(
            ported.text == """
                #if canImport(ObjectiveC)
                @objc
                #endif
                public protocol P: AnyObject {
                    #if canImport(ObjectiveC)
                    @objc optional func did(_ a: A, with b: Int)
                    #else
                    func did(_ a: A, with b: Int)
                    #endif
                    #if canImport(ObjectiveC)
                    @objc
                    optional func name(of a: A) -> String?
                    #else
                    func name(of a: A) -> String?
                    #endif
                    func needed()
                }

                #if !canImport(ObjectiveC)
                extension P {
                    public func did(_ a: A, with b: Int) {}
                    public func name(of a: A) -> String? { nil }
                }
                #endif

                """)
        #expect(ported.remarks.isEmpty)
        #expect(!port(ported.text).isChanged)
    }

    @Test("An optional requirement whose result has no default is remarked on") func result() {
        let ported = port("@objc protocol P {\n    @objc optional func count() -> Int\n}")
        #expect(ported.remarks.map(\.subject) == ["optional"])
    }

    private func calls(_ statement: String) -> String {
        """
        protocol P: AnyObject {
            #if canImport(ObjectiveC)
            @objc optional func did(_ a: A)
            #else
            func did(_ a: A)
            #endif
        }
        class A {
            func f() {
        \(statement)
            }
        }
        """
    }

    @Test("A call of an optional requirement is one of a required one in its counterpart") func calling() {
        let ported = port(calls("        (delegate as? P)?.did?(self)"))
        let expected = """
                    #if canImport(ObjectiveC)
                    (delegate as? P)?.did?(self)
                    #else
                    (delegate as? P)?.did(self)
                    #endif
            """
        #expect(ported.text == calls(expected))
        #expect(ported.remarks.isEmpty)
        #expect(!port(ported.text).isChanged)
    }

    @Test("A call of an optional requirement within an expression is remarked on") func inExpression() {
        let ported = port(calls("        if delegate?.did?(self) != nil {}"))
        #expect(!ported.isChanged)
        #expect(ported.remarks.map(\.subject) == ["did"])
    }
}
