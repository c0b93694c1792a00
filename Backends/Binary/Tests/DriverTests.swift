import Foundation
import StrataBinary
import StrataModel
import StrataStore
import Testing

@Suite struct DriverTests {
    private let driver = BinaryDriver(BinaryCodec())

    @Test("A store is made, written, closed and found again")
    func saving() throws {
        let model = try valuesModel.get()
        let scratch = try Scratch()
        let description = StoreDescription(.binary, path: scratch.store)
        let store = try driver.open(description, model: model)
        let transaction = try store.beginWrite()
        let reference = try transaction.reserveReferences(1, root: 0)
        var writer = RowWriter()
        writer.begin(model.entities[0], reference: reference, version: 1)
        let slot = try #require(model.entities[0].attribute(named: "text")?.slot)
        writer.set(text: "kept", at: slot)
        var changes = ChangeSet()
        changes.inserted = [writer.finish()]
        #expect(try transaction.apply(changes).isEmpty)
        try transaction.commit()
        try store.close()
        #expect(try driver.metadata(at: scratch.store).uuid == store.uuid)

        let again = try driver.open(description, model: model)
        #expect(again.uuid == store.uuid)
        let rows = try again.read { try $0.rows(root: 0, references: [reference]) }
        #expect(rows.map { $0.value(slot, .string) } == ["kept"])
        #expect(again.capabilities.referenceScope == .tree)
        try again.close()
    }
}
