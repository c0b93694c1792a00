import FoundationEssentials
import Strata
import StrataInMemory
import StrataTestSupport
import Testing

/// A value that cannot be encoded above 5.
private struct Threshold: Codable, Hashable, Sendable {
    var level: Int

    init(_ level: Int) { self.level = level }

    init(from decoder: any Decoder) throws { level = try decoder.singleValueContainer().decode(Int.self) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if level > 5 { throw EncodingError.invalidValue(level, .init(codingPath: [], debugDescription: "above 5")) }
        try container.encode(level)
    }
}

/// A value that is encoded in no fixed order where it has texts.
private struct Labels: Codable, Hashable, Sendable {
    var texts: Set<String> = []
}

private struct Limits: CompositeValue, Equatable {
    var least = Threshold(0)
    var greatest: Threshold?
    static let elements: [CompositeElement<Self>] = [.init("least", \.least), .init("greatest", \.greatest)]
}

private struct Alarm: CompositeValue, Equatable {
    var name: String?
    var threshold: Threshold?
    var range: Limits?
    var labels: Labels?
    static let elements: [CompositeElement<Self>] = [
        .init("name", \.name), .init("threshold", \.threshold), .init("range", \.range), .init("labels", \.labels),
    ]
}

private final class Sensor: ManagedObject {
    static let number = Key<Int>("number")
    static let threshold = Key<Threshold>("threshold")
    static let alarm = Key<Alarm>("alarm")
    var threshold: Threshold? {
        get { self[Self.threshold] }
        set { self[Self.threshold] = newValue }
    }
    var alarm: Alarm? {
        get { self[Self.alarm] }
        set { self[Self.alarm] = newValue }
    }
}

@Suite("Values that cannot be encoded")
struct RefusedValueTests {
    private let context: ManagedObjectContext

    init() throws {
        let model = try ManagedObjectModel {
            Entity("Sensor", class: Sensor.self) {
                Attribute(Sensor.number, .integer64)
                Attribute(Sensor.threshold)
                Attribute(Sensor.alarm)
            }
        }
        context = ManagedObjectContext(try PersistentStoreCoordinator(inMemory: model))
    }

    private static let refused: [Alarm] = [
        Alarm(name: "b", threshold: Threshold(9)), Alarm(name: "b", range: Limits(least: Threshold(9))),
        Alarm(name: "b", range: Limits(greatest: Threshold(9))),
    ]
    private static let kept = Alarm(name: "a", threshold: Threshold(1), range: Limits(least: Threshold(2), greatest: Threshold(3)))

    private func sensor(_ number: Int) -> Sensor {
        let sensor = Sensor(context: context)
        sensor[Sensor.number] = number
        return sensor
    }

    private func unattached() throws -> Sensor { try Sensor(entity: context.entity(named: "Sensor"), insertInto: nil) }

    private func stored() throws -> [Sensor] {
        try context.sibling().fetch(Sensor.self, sort: [Sensor.number.ascending])
    }

    /// Expects the next save to throw the refusal of an assignment.
    private func expectRefusal(of key: String, _ object: Sensor) throws {
        #expect(context.lastFaultError is EncodingError)
        let error = try #require(#expect(throws: StoreError.self) { try context.save() })
        #expect(error.code == .wrongValue)
        #expect(error.key == key)
        let message = "… could not be assigned…: assign another value"
        #expect(masked(error.message, message) == message)
        #expect(error.message.hasPrefix("\(key) of \(object.objectID)"))
    }

    /// An element that could not be encoded was replaced by nil without an error, and the save stored that.
    @Test("A composite value with such an element is refused as a whole, and a save throws why", arguments: 0..<3)
    func elements(_ index: Int) throws {
        let sensor = sensor(1)
        sensor.alarm = Self.kept
        try context.save()
        sensor.alarm = Self.refused[index]
        #expect(sensor.alarm == Self.kept)
        try expectRefusal(of: "alarm", sensor)
        #expect(try stored()[0].alarm == Self.kept)
        // It was reported, and the value is read again.
        #expect(sensor.alarm?.name == "a")
        #expect(!context.hasChanges)
        try context.save()
        sensor.alarm = Self.refused[index]
        sensor.alarm = Alarm(name: "c", threshold: Threshold(5))
        try context.save()
        #expect(try stored()[0].alarm == Alarm(name: "c", threshold: Threshold(5)))
    }

    @Test("An element that such a value is assigned to in place is refused with its composite value")
    func inPlace() throws {
        let sensor = sensor(1)
        sensor.alarm = Self.kept
        sensor.alarm?.range?.greatest = Threshold(9)
        #expect(sensor.alarm == Self.kept)
        try expectRefusal(of: "alarm", sensor)
        sensor.alarm = nil
        try context.save()
        #expect(try stored()[0].alarm == nil)
    }

    /// The context that the object was inserted into never knew of the refusal: the save stored nil.
    @Test("A value that an object without a context refused is thrown by the save that would insert it")
    func unattachedObjects() throws {
        let sensor = try unattached()
        sensor[Sensor.number] = 1
        sensor.threshold = Threshold(3)
        sensor.threshold = Threshold(9)
        #expect(sensor.threshold == Threshold(3))
        #expect(sensor.lastFaultError is EncodingError)
        context.insert(sensor)
        try expectRefusal(of: "threshold", sensor)
        sensor.threshold = Threshold(4)
        try context.save()
        #expect(try stored().map(\.threshold) == [Threshold(4)])
        let other = try unattached()
        other[Sensor.number] = 2
        other.alarm = Self.refused[0]
        #expect(other.alarm == nil)
        context.insert(other)
        try expectRefusal(of: "alarm", other)
        #expect(other.alarm == nil)
        try context.save()
        #expect(try stored().map(\.alarm) == [nil, nil])
    }

    @Test("An object without a context that is given another value is inserted with it", arguments: [false, true])
    func settledRefusals(_ isByElement: Bool) throws {
        let sensor = try unattached()
        sensor.threshold = Threshold(9)
        sensor.threshold = nil
        sensor.alarm = Self.refused[0]
        if isByElement {
            for (path, value) in [("name", "c"), ("threshold", Threshold(1)), ("range", nil), ("labels", nil)] as [(String, Any?)] {
                try sensor.setValue(value, forKey: "alarm." + path)
            }
        } else {
            sensor.alarm = Alarm(name: "c", threshold: Threshold(1))
        }
        context.insert(sensor)
        #expect(context.lastFaultError == nil)
        try context.save()
        #expect(try stored().map(\.alarm) == [Alarm(name: "c", threshold: Threshold(1))])
    }

    /// The value of a newer version of the program was replaced by nil.
    @Test("An element that cannot be decoded stays where another one is changed in place, until it is assigned")
    func undecodable() throws {
        let sensor = sensor(1)
        sensor.alarm = Self.kept
        let newer = Value.data(Data(#"{"newer":1}"#.utf8))
        try sensor.setValue(newer, forKey: "alarm.threshold")
        try sensor.setValue(newer, forKey: "alarm.range.least")
        try context.save()
        func bytes(_ path: String) throws -> Value? { try stored()[0].snapshot().value(forKey: path) }
        for name in ["b", "c"] {
            sensor.alarm?.name = name
            sensor.alarm?.range?.greatest = Threshold(4)
            try context.save()
            #expect(try stored()[0].alarm?.name == name)
            #expect(try stored()[0].alarm?.range?.greatest == Threshold(4))
            #expect(try bytes("alarm.threshold") == newer)
            #expect(try bytes("alarm.range.least") == newer)
        }
        sensor.alarm?.threshold = Threshold(2)
        sensor.alarm?.range = nil
        try context.save()
        #expect(try bytes("alarm.threshold") == .data(Data("2".utf8)))
        #expect(try bytes("alarm.range.least") == .null)
    }

    @Test("Batch requests throw where an element cannot be encoded")
    func batches() throws {
        sensor(1).alarm = Self.kept
        try context.save()
        var count = 0
        let insert = BatchInsertRequest(entityName: "Sensor") { row in
            row[Sensor.alarm] = Self.refused[0]
            count += 1
            return count > 1
        }
        let message = "the value cannot be encoded: "
        #expect(try #require(#expect(throws: StoreError.self) { try context.execute(insert) }).message.hasPrefix(message))
        var update = BatchUpdateRequest(entityName: "Sensor", set: [String: Value]())
        update.set(Sensor.alarm, to: Self.refused[1])
        #expect(try #require(#expect(throws: StoreError.self) { try context.execute(update) }).message.hasPrefix(message))
        #expect(try stored().map(\.alarm) == [Self.kept])
    }

    /// The value was compared by its bytes, which differ from those in the store by the order of the set, or as nil.
    @Test("A condition on a whole composite value throws where an element has no fixed encoding, or none")
    func conditions() throws {
        let sensor = sensor(1)
        let labelled = Alarm(name: "a", labels: Labels(texts: ["x", "y"]))
        sensor.alarm = labelled
        try context.save()
        func message(_ condition: QueryPredicate) -> String {
            do { return "\(try context.count(for: ObjectFetchRequest<Sensor>(condition)))" } catch {
                return (error as? QueryError)?.message ?? ""
            }
        }
        let unordered = "a value of the type Labels contains what is encoded in no fixed order, and cannot be asked for"
        for condition in [
            Sensor.alarm == labelled, Sensor.alarm != labelled, Sensor.alarm.labels == Labels(texts: ["x", "y"]),
            (\Sensor.alarm == labelled).predicate,
        ] {
            #expect(message(condition) == unordered)
        }
        for value in Self.refused {
            #expect(message(Sensor.alarm == value).hasPrefix("a value of the type Threshold cannot be encoded: "))
        }
        #expect(message(Sensor.threshold == Threshold(9)).hasPrefix("a value of the type Threshold cannot be encoded: "))
        #expect(message(Sensor.alarm == Alarm(name: "a")) == "0")
    }
}
