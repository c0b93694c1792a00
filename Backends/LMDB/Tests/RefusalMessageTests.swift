import Foundation
import StrataEngine
import StrataFiles
import StrataModel
import StrataStore
import StrataTestSupport
import Testing

@testable import StrataLMDB

/// Each message of what a sound store refuses.
@Suite("Messages of what a store refuses")
struct RefusalMessageTests: SampleSuite {
    let sample: SampleStores

    init() throws { sample = try SampleStores(people: 1) }

    @Test("Of a transaction that the store refuses")
    func transactions() throws {
        let store = try LMDBDriver().open(Sample.description(scratch.file()) { $0.options.timeout = 0 }, model: model)
        #expect(messageOfError { try LMDBDriver().destroy(at: .file(scratch.file())) } == "the store is open")
        let transaction = try store.beginWrite()
        #expect(messageOfError { _ = try store.beginWrite() } == "lock timeout: another save did not end in time")
        #expect(
            messageOfError { _ = try transaction.reserveReferences(.max, root: 0) }
                == "\(Int.max) references cannot be set aside")
        transaction.rollback()
        let other = try store.beginWrite()
        #expect(messageOfError { _ = try other.reserveReferences(1, root: 99) } == "the store holds no entity of that hierarchy")
        let linking = try store.beginWrite()
        var linked = ChangeSet()
        linked.links = [LinkChange(table: 99, kind: .put, link: Link(first: 1, second: 2))]
        #expect(messageOfError { _ = try linking.apply(linked) } == "the store holds no link table 99")
        let conflicting = try store.beginWrite()
        var changes = ChangeSet()
        changes.deleted = [RowDeletion(entity: 0, reference: 1, expectedVersion: 7)]
        #expect(try !conflicting.apply(changes).isEmpty)
        #expect(
            messageOfError { try conflicting.commit() }
                == "row version conflict or duplicate key: the changes do not fit what is in the store")
        conflicting.rollback()
        let inserting = try store.beginWrite()
        var insertion = ChangeSet()
        insertion.inserted = [try maker.row("Person", 0, [:])]
        #expect(messageOfError { _ = try inserting.apply(insertion) } == "a row's reference is 0")
        inserting.rollback()
        try store.close()
        let plan = try maker.plan("Person")
        #expect(messageOfError { _ = try store.fetch(plan) } == "the store is closed")
    }

    @Test("Of a file that is in use otherwise")
    func sharing() throws {
        let path = scratch.file()
        func open(_ model: ManagedObjectModel, isReadOnly: Bool = false) throws -> any StoreBackend {
            try LMDBDriver().open(Sample.description(path) { $0.isReadOnly = isReadOnly }, model: model)
        }
        let lock = try FileLock.lock(LockFile.inUse.path(beside: path), .shared, timeout: .zero)
        #expect(messageOfError { try LMDBDriver().destroy(at: .file(path)) } == "another process has the store open")
        lock.unlock()
        let reading = try open(model, isReadOnly: true)
        #expect(messageOfError { _ = try open(model) } == "the file is open for reading only in this process")
        try reading.close()
        let store = try open(model)
        let environment = try #require(store as? LMDBStore).environment
        try environment.read(.fetch) { _ in
            #expect(
                messageOfError { try environment.grow(until: Deadline(after: 0)) }
                    == "a read or save of this process keeps the file busy")
        }
        let plan = try maker.plan("Person")
        let other = try open(try Sample.model(indexed: false))
        #expect(
            messageOfError { _ = try store.fetch(plan) }
                == "the store was opened elsewhere with a model of other indexes; open it again")
        try other.close()
        try store.close()
    }

    @Test("Of rows with equal values that a new constraint keeps unique")
    func constraints() throws {
        func open(_ elements: Unique?) throws -> any StoreBackend {
            let model = try ManagedObjectModel {
                Entity("Person") {
                    Attribute("name", .string)
                    if let elements { elements }
                }
                EntityConfiguration("main", "Person")
            }
            return try LMDBDriver().open(
                Sample.description(scratch.file("Unique")) { $0.options.ignoresModelVersion = true }, model: model)
        }
        let store = try open(nil)
        let model = try ManagedObjectModel { Entity("Person") { Attribute("name", .string) } }
        let rows = RowMaker(model: model)
        try store.insert(try (1...2).map { try rows.row("Person", $0, ["name": "a"]) })
        try store.close()
        let message = "rows … and … have values that unique:Person:name keeps unique"
        #expect(masked(messageOfError { _ = try open(Unique("name")) }, message) == message)
    }

    @Test("Of a transaction that another thread releases")
    func releases() throws {
        let store = try LMDBDriver().open(Sample.description(scratch.file()), model: model)
        nonisolated(unsafe) let transaction = try store.beginWrite()
        let thread = Thread { transaction.rollback() }
        thread.start()
        while !thread.isFinished { usleep(1_000) }
        let error = #expect(throws: StoreError.self) { try store.read { _ in } }
        #expect((error?.underlying as? StoreError)?.message == "a transaction was released on another thread than began it")
        transaction.rollback()
        try store.close()
    }
}
