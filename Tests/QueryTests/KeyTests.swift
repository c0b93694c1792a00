import StrataModel
import StrataQuery
import StrataTestModels
import Testing

@Suite("Where keys remember to find properties", .timeLimit(.minutes(60)))
struct KeyTests {
    private let model: ManagedObjectModel

    init() throws {
        model = try ManagedObjectModel {
            Entity("A") { Attribute("x", .string) }
            Entity("B") { Attributes(["a": .date, "x": .integer16]) }
            Entity("C")
        }
    }

    private func find(_ entity: EntityDescription) -> Int? { entity.attribute(named: "x")?.index }

    @Test("One key finds its property in two entities by turns")
    func twoEntities() throws {
        let slot = KeySlot()
        for _ in 0..<3 {
            let inA = try #require(slot.slot(in: model.entities[0], find: find))
            let inB = try #require(slot.slot(in: model.entities[1], find: find))
            #expect(inA == model.entities[0].propertySlots[0])
            #expect(inA.kind == .string)
            #expect(inB == model.entities[1].propertySlots[1])
            #expect(inB.kind == .integer)
        }
        #expect(slot.slot(in: model.entities[2], find: find) == nil)
    }

    @Test("The entity used last is found without looking the name up")
    func remembered() {
        let slot = KeySlot()
        var lookUps = 0
        for _ in 0..<5 {
            _ = slot.slot(in: model.entities[0]) { entity in
                lookUps += 1
                return find(entity)
            }
        }
        #expect(lookUps == 1)
    }

    @Test("Entities of the same name in two models are not confused")
    func twoModels() throws {
        let other = try ManagedObjectModel {
            Entity("A") { Attributes(["a": .string, "x": .double]) }
        }
        let slot = KeySlot()
        #expect(slot.slot(in: model.entities[0], find: find)?.property == 0)
        #expect(slot.slot(in: other.entities[0], find: find)?.property == 1)
    }

    @Test("Many threads that share a key each find the right slot")
    func threads() async {
        let slot = KeySlot()
        let wrong = await withTaskGroup(of: Int.self) { group in
            for number in 0..<8 {
                group.addTask { [model] in
                    (0..<5000).count { round in
                        let entity = model.entities[(number + round) % 2]
                        return slot.slot(in: entity) { $0.attribute(named: "x")?.index } != entity.propertySlots[entity.index]
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }
}
