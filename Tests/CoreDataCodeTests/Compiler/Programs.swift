/// A program of two modules with managed members of all kinds of types, which tries them all.
enum Programs {
    static let shop = #"""
        import CoreData
        open class Animal: NSManagedObject {
            public enum Sort: Int { case a, b }
            public struct Collar: Equatable { public struct Tag: Equatable { public init() {} } ; public init() {} }
            @NSManaged public var title: String?
            @NSManaged public var unusedHere: Date
            @NSManaged open var born: Date?
            @NSManaged public private(set) var secret: Int
            @NSManaged private var hidden: Int
            @NSManaged fileprivate var primitiveTitle: String?
            #if canImport(ObjectiveC)
            @objc
            #endif
            public var initial: String { "I" }
            #if canImport(ObjectiveC)
            @objc(legCount)
            #endif
            func legs() -> Int { 4 }
            public func touch() -> String {
                (secret, hidden, primitiveTitle) = (3, 4, "p")
                return "\(secret) \(hidden) \(primitiveTitle ?? "")"
            }
        }
        public protocol Keeping: AnyObject {}
        public enum Weekday: String { case mon, tue }
        """#

    static let kitten = #"""
        import CoreData
        import Foundation
        import Shop

        extension Animal {
            enum Extra: Int { case x, y }
            struct More { var n = 1 }
            @NSManaged var extra: Extra
            @NSManaged var more: More?
            @NSManaged var sort: Sort
            @NSManaged public var friend: Animal?
        }
        typealias Names = [String]
        @MainActor final class Screen: NSManagedObject {
            @NSManaged var name: String?
            @NSManaged nonisolated var plain: Int
            @NSManaged var pane: Pane?
            class Pane: NSManagedObject { @NSManaged var owner: Screen? }
        }
        public class Kitten: Animal, Keeping {
            @NSManaged public var count: Int
            @NSManaged public var weekday: Weekday
            @NSManaged public var optionalWeekday: Weekday?
            @NSManaged var names: Names?
            @NSManaged public var dict: [String: Int]?
            @NSManaged public var set: Set<Kitten>
            @NSManaged public var nsset: NSSet?
            @NSManaged public var ordered: NSOrderedSet!
            @NSManaged public var keeper: (any Keeping)?
            @NSManaged public var any: Any?
            @NSManaged public weak var mother: Kitten?
            @NSManaged public var tuple: (a: Int, String)
            @NSManaged public var work: ((Int) throws -> String)?
            @NSManaged public var fun: (Int, Int) -> Int
            @NSManaged public var type: Kitten.Type
            @NSManaged public var number: NSNumber?, decimal: Decimal
            @NSManaged var collar: Collar?, tag: Collar.Tag
            @NSManaged public var `class`: Int
            @NSManaged public var `two words`: Int
            @NSManaged public var größe: Float
        #if canImport(ObjectiveC)
            @NSManaged var onlyApple: Foo
        #elseif os(Linux)
            @NSManaged var onlyLinux: Int
        #else
            @NSManaged var other: String
        #endif
            #if canImport(ObjectiveC)
            @objc(renamed)
            #endif
            @NSManaged var swiftName: Int
            #if canImport(ObjectiveC)
            @objc(addPetsObject:)
            #endif
            @NSManaged public func addToPets(_ value: Kitten)
            @NSManaged public func removeFromPets(_ value: Kitten)
            @NSManaged public func addToPets(_ values: NSSet)
            @NSManaged func insertIntoPets(_ value: Kitten, at idx: Int)
            @NSManaged func removeFromPets(at idx: Int)
            @NSManaged func insertIntoPets(_ values: [Kitten], at indexes: NSIndexSet)
            @NSManaged func removeFromPets(at indexes: NSIndexSet)
            @NSManaged func replacePets(at idx: Int, with value: Kitten)
            @NSManaged func replacePets(at indexes: NSIndexSet, with values: [Kitten])
            #if canImport(ObjectiveC)
            @objc
            #endif
            private(set) lazy var `class of two`: Int = 2
            #if canImport(ObjectiveC)
            @objc
            #endif
            func validateCount(_ value: UnsafeMutablePointer<AnyObject?>) throws { value.pointee = NSNumber(value: 8) }
            public final class Sub: Kitten { @NSManaged public var sub: Kitten.Sub? }
        }
        """#

    static let main = #"""
        import CoreData
        import Shop
        func check(_ isRight: Bool, _ line: Int = #line) {
            guard !isRight else { return }
            print("line \(line)")
            exit(1)
        }
        let k = Kitten(), a = Animal()
        a.title = "t"
        check(a.title == "t")
        a.title = nil
        check(a.title == nil)
        a.born = Date(timeIntervalSince1970: 3)
        check(a.born!.timeIntervalSince1970 == 3)
        check(a.touch() == "3 4 p")
        check(a.secret == 3)
        check(a.storage["p.title"] as? String == "p")
        a.extra = .y
        check(a.extra == .y)
        a.more = .init(n: 5)
        check(a.more!.n == 5)
        a.sort = .b
        check(a.sort == .b)
        a.friend = k
        check(a.friend === k)
        k.count = 1
        k.count += 4
        check(k.count == 5)
        k.weekday = .tue
        check(k.weekday == .tue)
        k.optionalWeekday = nil
        check(k.optionalWeekday == nil)
        k.optionalWeekday = .mon
        check(k.optionalWeekday == .mon)
        k.names = ["a"]
        k.names?.append("b")
        check(k.names! == ["a", "b"])
        k.dict = ["a": 1]
        k.dict!["b"] = 2
        check(k.dict!.count == 2)
        k.set = [k]
        check(k.set.contains(k))
        k.nsset = NSSet(array: [1, 2])
        check(k.nsset!.count == 2)
        k.ordered = NSOrderedSet(array: [1, 2])
        check(k.ordered.count == 2)
        k.keeper = k
        check(k.keeper === k)
        k.any = 4
        check(k.any as? Int == 4)
        k.mother = k
        check(k.mother === k)
        k.tuple = (1, "x")
        check(k.tuple.a == 1 && k.tuple.1 == "x")
        k.work = { "\($0)" }
        check(try! k.work!(4) == "4")
        k.fun = { $0 + $1 }
        check(k.fun(1, 2) == 3)
        k.type = Kitten.self
        check(k.type == Kitten.self)
        k.number = 4
        check(k.number == 4)
        k.decimal = 3.5
        check(k.decimal == 3.5)
        k.collar = Animal.Collar()
        check(k.collar != nil)
        k.tag = .init()
        check(k.tag == .init())
        k.class = 4
        check(k.class == 4)
        k.`two words` = 4
        check(k.`two words` == 4)
        k.größe = 2
        check(k.größe == 2)
        k.onlyLinux = 4
        check(k.onlyLinux == 4)
        k.swiftName = 7
        check(k.storage["renamed"] as? Int == 7)
        k.addToPets(k)
        k.removeFromPets(k)
        k.addToPets(NSSet())
        k.insertIntoPets(k, at: 1)
        k.removeFromPets(at: 2)
        k.insertIntoPets([k], at: NSIndexSet(index: 1))
        k.removeFromPets(at: NSIndexSet(index: 1))
        k.replacePets(at: 3, with: k)
        k.replacePets(at: NSIndexSet(index: 1), with: [k])
        let calls = "add remove addMany insert@1 remove@2 insertMany removeMany@ replace@3 replaceMany".split(separator: " ")
        let log = calls.map { $0 + " pets;" }.joined()
        check(k.storage["log"] as? String == log)
        let s = Kitten.Sub()
        s.sub = s
        check(s.sub === s)
        s.count = 9
        check(s.count == 9)
        check(members("Shop", k)["initial"] as? String == "I")
        check(members("Shop", a)["legCount"] as? Int == 4)
        check(members("app", s)["class of two"] as? Int == 2)
        check(members("app", s)["validateCount"] as? Int == 8)
        check(members("app", a).isEmpty)
        let path = \Kitten.count
        k[keyPath: path] = 11
        check(k.count == 11)
        MainActor.assumeIsolated {
            let screen = Screen()
            screen.name = "n"
            check(screen.name == "n")
            screen.plain = 4
            check(screen.plain == 4)
            let pane = Screen.Pane()
            screen.pane = pane
            check(screen.pane === pane)
            pane.owner = screen
            check(pane.owner === screen)
        }
        print("all right")
        """#
}
