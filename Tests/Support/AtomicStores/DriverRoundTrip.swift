import StrataEngine
import StrataModel
package import StrataStore
package import Testing

extension AtomicFormat {
    /// Expects that a store is made, written, closed and found again.
    package func checkDriver(
        referenceScope: StoreCapabilities.ReferenceScope,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let driver = AtomicStoreDriver(codec)
        let model = try AtomicModels.values.get()
        let scratch = try ScratchFile()
        let description = StoreDescription(driver, path: scratch.path)
        let store = try driver.open(description, model: model)
        let transaction = try store.beginWrite()
        let reference = try transaction.reserveReferences(1, root: 0)
        var writer = RowWriter()
        writer.begin(model.entities[0], reference: reference, version: 1)
        let slot = try #require(model.entities[0].attribute(named: "text")?.slot, sourceLocation: sourceLocation)
        writer.set(text: "kept", at: slot)
        var changes = ChangeSet()
        changes.inserted = [writer.finish()]
        #expect(try transaction.apply(changes).isEmpty, sourceLocation: sourceLocation)
        try transaction.commit()
        try store.close()
        #expect(try driver.metadata(at: scratch.path).storeID == store.id, sourceLocation: sourceLocation)

        let again = try driver.open(description, model: model)
        #expect(again.id == store.id, sourceLocation: sourceLocation)
        let rows = try again.read { try $0.rows(root: 0, references: [reference]) }
        #expect(rows.map { $0.value(slot, .string) } == ["kept"], sourceLocation: sourceLocation)
        #expect(again.capabilities.referenceScope == referenceScope, sourceLocation: sourceLocation)
        try again.close()
    }
}
