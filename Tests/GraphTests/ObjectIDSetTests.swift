import StrataModel
import StrataTestRandom
import Testing

@testable import StrataGraph

@Suite("Sets of IDs")
struct ObjectIDSetTests {
    private let scope: ObjectIDScope

    init() throws {
        let model = try ManagedObjectModel { Entity("Person") { Attribute("name", .string) } }
        scope = ObjectIDScope(storeID: "A", entity: model.entities[0])
    }

    private func id(_ reference: Int64) -> ObjectID { ObjectID(scope: scope, reference: reference) }

    @Test("They hold what a set of the standard library holds, whatever is done to them in whatever order", arguments: [4, 9, 60])
    func oracle(_ range: Int64) {
        var random = SeededGenerator.printed("sets of \(range) IDs")
        for _ in 0..<200 {
            var (set, expected) = (ObjectIDSet(), Set<ObjectID>())
            for _ in 0..<60 {
                let one = id(Int64.random(in: 1...range, using: &random))
                switch Int.random(in: 0..<9, using: &random) {
                case 0...1: #expect(set.insert(one) == expected.insert(one).inserted)
                case 2...3:
                    set.append(one)
                    expected.insert(one)
                case 4: #expect(set.remove(one) == (expected.remove(one) != nil))
                case 5: #expect(set.contains(one) == expected.contains(one))
                case 6: #expect(set.count == expected.count)
                case 7:
                    let others = (1...range).filter { _ in Bool.random(using: &random) }.map(id)
                    if Bool.random(using: &random) {
                        set.subtract(others)
                        expected.subtract(others)
                    } else if expected.count > range / 2 {
                        set.formIntersection(others)
                        expected.formIntersection(others)
                    }
                default:
                    let ids = set.ids
                    #expect(ids.count == expected.count)
                    #expect(Set(ids) == expected)
                }
                #expect(set.isEmpty == expected.isEmpty)
            }
        }
    }

    @Test("They keep the order in which IDs came, and go on to do so under other IDs", arguments: [3, 30])
    func order(_ count: Int64) {
        var set = ObjectIDSet()
        for reference in 1...count {
            set.append(id(-reference))
            set.append(id(-1))
        }
        #expect(set.ids == (1...count).map { id(-$0) })
        set.rename { id(-$0.reference) }
        #expect(set.ids == (1...count).map(id))
        let hasOld = set.contains(id(-2))
        let hasNew = set.contains(id(2))
        #expect(!hasOld)
        #expect(hasNew)
    }
}
