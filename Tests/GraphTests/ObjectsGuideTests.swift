import FoundationEssentials
import Strata
import StrataInMemory
import StrataTestSupport
import Testing

final class Order: ManagedObject {
    enum Status: String { case draft, sent }

    static let number = Key<Int>("number")
    static let status = Key<Status>("status")
    static let tags = Key<[String]>("tags")
    static let modified = Key<Date>("modified")
    static let total = Key<Double>("total")
    static let lines = ToManyOrdered<Line>("lines")

    var number: Int? {
        get { self[Self.number] }
        set { self[Self.number] = newValue }
    }
    var status: Status? {
        get { self[Self.status] }
        set { self[Self.status] = newValue }
    }
    var tags: [String] {
        get { self[Self.tags] ?? [] }
        set { self[Self.tags] = newValue }
    }
    var modified: Date? {
        get { self[Self.modified] }
        set { self[Self.modified] = newValue }
    }
    var total: Double? {
        get { self[Self.total] }
        set { self[Self.total] = newValue }
    }
    var lines: [Line] {
        get { self[Self.lines] }
        set { self[Self.lines] = newValue }
    }

    override func awakeFromInsert() { number = 1 }
    override func awakeFromFetch() { updateTotal() }
    override func willSave() { if !isDeleted { try? setPrimitiveValue(Date(), forKey: "modified") } }
    func updateTotal() { total = lines.compactMap(\.price).reduce(0, +) }
}

final class Line: ManagedObject {
    static let name = Key<String>("name")
    static let price = Key<Double>("price")
    static let order = ToOne<Order>("order")

    var name: String? {
        get { self[Self.name] }
        set { self[Self.name] = newValue }
    }
    var price: Double? {
        get { self[Self.price] }
        set { self[Self.price] = newValue }
    }
    var order: Order? {
        get { self[Self.order] }
        set { self[Self.order] = newValue }
    }
}

extension Order {
    var code: Int {
        get {
            willAccessValue(forKey: "number")
            defer { didAccessValue(forKey: "number") }
            return (try? primitiveValue(forKey: "number") as? Int) ?? 0
        }
        set {
            willChangeValue(forKey: "number")
            try? setPrimitiveValue(newValue, forKey: "number")
            didChangeValue(forKey: "number")
        }
    }
}

@Suite("The guide to objects", .timeLimit(.minutes(60)))
struct ObjectsGuideTests {
    private let context: ManagedObjectContext
    private let other: ManagedObjectContext

    init() throws {
        let model = try ManagedObjectModel {
            Entity("Order", class: Order.self) {
                Attribute(Order.number, .integer64, validation: [.predicate("SELF > 0", warning: "orders are numbered from 1")])
                Attribute(Order.status, .string, default: .draft)
                Attribute(Order.tags)
                Attribute(Order.modified, .date)
                Attribute(Order.total, .double).transient
                Relationship(Order.lines, to: "Line", inverse: "order", deleteRule: .cascade)
            }
            Entity("Line", class: Line.self) {
                Attribute(Line.name, .string).required
                Attribute(Line.price, .double, validation: [.range(0.0...1000.0)])
                Relationship(Line.order, to: "Order", inverse: "lines")
            }
        }
        let container = try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)])
        context = container.newContext()
        other = container.newContext()
    }

    @Test("Its examples are the code below")
    func text() throws {
        #expect(try PageExamples.ofGuide("Objects") == (12, []))
    }

    @Test("An order lives, from its making to its snapshots")
    func life() async throws {
        let order = Order(context: context)
        let line = context.insert(Line.self)
        line.name = "tea"
        order.lines = [line]
        #expect(order.number == 1)
        #expect(order.status == .draft)
        let entity = try context.entity(named: "Order")
        let loose = try Order(entity: entity, insertInto: nil)
        loose.number = 7
        context.insert(loose)
        #expect(loose.number == 7)
        #expect(loose.isInserted)
        let lines = order.mutableOrderedSet(Order.lines)
        let milk = Line(context: context)
        milk.name = "milk"
        lines.insert(milk, at: 0)
        lines.move(from: 0, to: 1)
        #expect(order.lines == [line, milk])
        lines.sort { ($0.name ?? "") < ($1.name ?? "") }
        #expect(order.lines == [milk, line])
        try context.save()
        #expect(order.modified != nil)
        order.status = .sent
        order.tags = ["gift"]
        let saved = try context.save()
        for object in saved.updated where object.changedProperties.contains("status") {
            print(object.id)
        }
        #expect(saved.updated.map(\.id) == [order.objectID])
        let fetched = try other.first(Order.self, where: Order.number == 1)
        print(fetched?.description ?? "none")  // <Order … fault>
        #expect(fetched?.description == "<Order \(order.objectID) fault>")
        #expect(fetched?.tags == ["gift"])
        #expect(fetched?.total == 0)
        #expect(other.hasChanges == false)
        order.code = 5
        #expect(order.isUpdated)
        #expect(order.number == 5)
        do {
            try order.validateValue(0, forKey: "number")
        } catch let error as ValidationError {
            print(error.failures.map(\.message))  // ["orders are numbered from 1"]
        }
        try order.validateForInsert()
        let refusal = #expect(throws: ValidationError.self) { try order.validateValue(0, forKey: "number") }
        #expect(refusal?.failures.map(\.message) == ["orders are numbered from 1"])
        milk.price = 1000
        try context.save()
        try context.delete(Line.self, where: Line.price > 999)
        try context.save()
        #expect(order.lines == [line])
        let rows = try context.snapshots(of: Order.fetchRequest())
        let titles = await Task.detached { rows.map { "\($0.number ?? 0) \($0[Order.status] ?? .draft)" } }.value
        #expect(titles.sorted() == ["5 sent", "7 draft"])
    }
}
