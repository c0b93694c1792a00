import StrataModel
import StrataTestRandom
import Testing

@testable import StrataGraph

@Suite("Sets of IDs")
struct ObjectIDSetTests {
    private let model: ManagedObjectModel
    private let scope: ObjectIDScope
    /// The second names the same rows as the first.
    private let scopes: [ObjectIDScope]

    init() throws {
        model = try ManagedObjectModel {
            Entity("Person") { Attribute("name", .string) }
            Entity("Employee", parent: "Person") {}
        }
        scope = ObjectIDScope(storeID: "A", entity: model.entities[0])
        scopes = [
            scope, ObjectIDScope(storeID: "A", entity: model.entities[1]), ObjectIDScope(storeID: "B", entity: model.entities[0]),
        ]
    }

    private func id(_ reference: Int64) -> ObjectID { ObjectID(scope: scope, reference: reference) }

    @Test(
        "They hold what a set of the standard library holds, whatever is done to them in whatever order", arguments: [4, 9, 17, 60], [1, 3])
    func oracle(_ range: Int64, _ scopeCount: Int) {
        var random = SeededGenerator.printed("sets of \(range) IDs of \(scopeCount) scopes")
        func id(_ reference: Int64) -> ObjectID {
            ObjectID(scope: scopes[Int.random(in: 0..<scopeCount, using: &random)], reference: reference)
        }
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

    @Test("A save renames the temporary IDs of one store, of several, and those that it did not give")
    func saved() throws {
        let identity = IdentityMap(ObjectIDScopes(model: model, storeID: nil))
        let (person, employee) = (model.entities[0].index, model.entities[1].index)
        func temporary(_ entity: EntityIndex, _ number: Int64) -> ObjectID { identity.temporaryID(entity, Int64.min + number) }
        var extent = TemporaryTable.Extent()
        for number in 1...40 { extent.add(Int64.min + Int64(number)) }
        var ids = SavedIDs(identity, extent, ObjectIDScopes(model: model, storeID: "A"))
        for number in 1...20 { ids.add(Int64.min + Int64(number), Int64(number) + 100, scopes[0]) }
        for number in 21...39 { ids.add(Int64.min + Int64(number), Int64(number) + 100, scopes[1]) }

        var alike = ObjectIDSet()
        for number in 1...20 { alike.append(temporary(person, Int64(number))) }
        alike.rename(ids)
        #expect(alike.ids == (1...20).map { id($0 + 100) })
        #expect(alike.ids.allSatisfy { $0.scope == scopes[0] })

        var mixed = ObjectIDSet()
        for other in [temporary(person, 1), temporary(employee, 30), id(7), temporary(employee, 40)] { mixed.append(other) }
        mixed.rename(ids)
        #expect(mixed.ids == [id(101), id(130), id(7), temporary(employee, 40)])
        #expect(mixed.ids[1].scope == scopes[1])

        // Those that another save gave.
        identity.redirect(temporary(person, 77), to: id(9))
        var known = ObjectIDSet()
        for number in [2, 77] as [Int64] { known.append(temporary(person, number)) }
        known.rename(ids)
        #expect(known.ids == [id(102), id(9)])

        ids.add(Int64.min + 40, 3, scopes[2])
        var elsewhere = ObjectIDSet()
        for number in [3, 40] as [Int64] { elsewhere.append(temporary(person, number)) }
        elsewhere.rename(ids)
        #expect(elsewhere.ids == [id(103), ObjectID(scope: scopes[2], reference: 3)])
    }
}
