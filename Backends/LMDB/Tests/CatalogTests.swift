import StrataEngine
import StrataModel
import StrataStore
import Testing

@testable import StrataLMDB

@Suite("LMDB: the catalog of a store that is opened again", .timeLimit(.minutes(60)))
struct CatalogTests: SampleSuite {
    let sample: SampleStores

    init() throws { sample = try SampleStores() }

    private func open(_ model: ManagedObjectModel) throws -> LMDBStore {
        try #require(try LMDBDriver().open(Sample.description(scratch.file()), model: model) as? LMDBStore)
    }

    /// Returns whether opening with a model takes the file's catalog for the model's, without decoding it.
    private func isUnchanged(for model: ManagedObjectModel, in store: LMDBStore) throws -> Bool? {
        let expected = SchemaPlan(model: model, configuration: "main").catalog(after: nil)
        return try store.environment.read(.open) {
            let head = try SchemaOpener.head(in: $0.handle, store.environment, expecting: expected)
            #expect(try head?.catalog == SchemaOpener.head(in: $0.handle, store.environment)?.catalog)
            return head?.isUnchanged
        }
    }

    @Test("It is not decoded where it is the model's, in whichever generation")
    func generations() throws {
        let plain = try Sample.model(indexed: false)
        var store = try open(plain)
        #expect(try isUnchanged(for: plain, in: store) == true)
        #expect(try isUnchanged(for: model, in: store) == false)
        let id = store.id
        try store.close()
        store = try open(model)
        #expect(store.schema.generation == 2)
        #expect(store.id == id)
        #expect(try isUnchanged(for: model, in: store) == true)
        #expect(try isUnchanged(for: plain, in: store) == false)
        try store.close()
    }

    @Test("It is decoded where the model numbers the entities otherwise, as one with an entity of another store may")
    func otherNumbers() throws {
        try open(model).close()
        let larger = try Sample.model(extra: true)
        let store = try open(larger)
        #expect(!store.schema.numbers.areModelIndexes)
        #expect(try isUnchanged(for: model, in: store) == true)
        #expect(try isUnchanged(for: larger, in: store) == false)
        try store.close()
    }
}
