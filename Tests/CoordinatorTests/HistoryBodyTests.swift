import Strata
import StrataModel
import StrataStore
import StrataTestModels
import StrataTestRandom
import Testing

@testable import StrataCoordinator

@Suite("Transactions of a history as bytes")
struct HistoryBodyTests {
    private let model: ManagedObjectModel

    init() throws { model = try BookModel.make() }

    /// The changes of a body as texts.
    private func texts(_ bytes: [UInt8]) throws -> [String] {
        let body = try HistoryBody(bytes, path: nil)
        return body.changes.map { change in
            let entity = body.entities[change.entity]
            let names = change.set.map { entity.sets[$0].map { entity.properties[$0] }.sorted().joined(separator: " ") } ?? ""
            return "\(change.kind) \(entity.name) \(change.reference) \(names)"
        }
    }

    private func slots(_ entity: EntityDescription, _ names: [String]) -> [Slot] {
        names.compactMap { entity.attribute(named: $0)?.slot }.sorted()
    }

    @Test("Changes come back as they were added, in runs and apart", arguments: 0..<50)
    func roundTrip(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let entities = [try #require(model.entity(named: "Book")), try #require(model.entity(named: "Shelf"))]
        var writer = HistoryBodyWriter(model)
        var expected: [String] = []
        var reference: Int64 = 0
        func next() -> (EntityDescription, Int64) {
            reference = generator.next() % 3 == 0 ? Int64(bitPattern: generator.next()) >> (2 + generator.next() % 58) : reference &+ 1
            return (entities[generator.next() % 8 == 0 ? 1 : 0], reference)
        }
        for _ in 0..<(generator.next() % 40) {
            let (entity, reference) = next()
            writer.insert(entity.index, reference)
            expected.append("insert \(entity.name) \(reference) ")
        }
        for _ in 0..<(generator.next() % 40) {
            let (entity, reference) = next()
            let names = ["name", "pages", "price"].filter { _ in generator.next() % 2 == 0 }.filter { entity.attribute(named: $0) != nil }
            writer.update(entity.index, reference, slots: slots(entity, names))
            expected.append("update \(entity.name) \(reference) \(names.sorted().joined(separator: " "))")
        }
        for _ in 0..<(generator.next() % 40) {
            let (entity, reference) = next()
            writer.delete(entity.index, reference, tombstone: nil)
            expected.append("delete \(entity.name) \(reference) ")
        }
        let isEmpty = writer.isEmpty
        let bytes = writer.finish()
        #expect(isEmpty == expected.isEmpty)
        #expect(try texts(bytes) == expected)
    }

    @Test("10,000 inserted objects take no more bytes than one")
    func runs() throws {
        let book = try #require(model.entity(named: "Book"))
        func count(_ objects: Int64) -> Int {
            var writer = HistoryBodyWriter(model)
            for reference in 1...objects { writer.insert(book.index, reference) }
            return writer.finish().count
        }
        #expect(count(10_000) - count(1) == 1)
        #expect(count(1) < 20)
    }

    private func sample() throws -> [UInt8] {
        let book = try #require(model.entity(named: "Book"))
        var writer = HistoryBodyWriter(model)
        for reference in 1...3 { writer.insert(book.index, Int64(reference)) }
        for reference in 7...9 { writer.update(book.index, Int64(reference), slots: slots(book, reference == 8 ? ["name"] : ["pages"])) }
        var rows = RowWriter()
        rows.begin(book, reference: 11, version: 2)
        rows.set(text: "978", at: try #require(book.attribute(named: "isbn")?.slot))
        rows.set(integer: 300, at: try #require(book.attribute(named: "pages")?.slot))
        writer.delete(book.index, 11, tombstone: rows.finish())
        writer.delete(book.index, 12, tombstone: nil)
        return writer.finish()
    }

    @Test("Tombstones have the values of preserved attributes as slots of a row have them")
    func tombstones() throws {
        let body = try HistoryBody(sample(), path: nil)
        #expect(body.entities[0].preserved.map(\.name) == ["isbn", "pages"])
        #expect(body.changes[6].tombstone == [.bytes(Array("978".utf8)), .word(300)])
        #expect(body.changes[7].tombstone == [nil, nil])
    }

    @Test("Damaged bytes are an error, wherever the damage is")
    func damage() throws {
        let bytes = try sample()
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0x10
            let error = #expect(throws: StoreError.self) { try HistoryBody(damaged, path: nil) }
            #expect(error?.code == .corrupt)
            #expect(throws: StoreError.self) { try HistoryBody(Array(bytes[..<index]), path: nil) }
        }
        let error = #expect(throws: StoreError.self) { try HistoryBody([], path: "a.sqlite") }
        #expect(error?.message == "malformed transaction in the history")
        #expect(error?.path == "a.sqlite")
    }

    @Test("Wrong numbers with a right checksum are an error or other changes, and never more than can be", arguments: 0..<40)
    func forged(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let bytes = try Array(sample().dropLast(4))
        for _ in 0..<200 {
            var forged = ByteWriter<UInt32>()
            var content = bytes
            for _ in 0...(generator.next() % 3) {
                content[1 + Int(generator.next() % UInt64(bytes.count - 1))] = UInt8(truncatingIfNeeded: generator.next())
            }
            forged.put(raw: content)
            guard let body = try? HistoryBody(forged.sealed(as: UInt32.self), path: nil) else { continue }
            #expect(body.changes.allSatisfy { body.entities.indices.contains($0.entity) })
        }
    }

    @Test("Bytes of a later version are named so")
    func laterVersion() throws {
        var later = ByteWriter<UInt32>()
        later.put(UInt8(3))
        let error = #expect(throws: StoreError.self) { try HistoryBody(later.sealed(as: UInt32.self), path: nil) }
        #expect(error?.code == .unsupportedVersion)
        #expect(error?.message == "a later version wrote a transaction of the history")
    }

    private func values() throws -> HistoryValuesWriter {
        let book = try #require(model.entity(named: "Book"))
        let (name, pages) = (try #require(book.attribute(named: "name")?.slot), try #require(book.attribute(named: "pages")?.slot))
        var rows = RowWriter()
        func row(_ reference: Int64) -> Row {
            rows.begin(book, reference: reference, version: 3)
            rows.set(text: "old", at: name)
            return rows.finish()
        }
        var values = HistoryValuesWriter(model)
        values.add(row(8), slots: [name, pages])
        values.add(row(7), slots: nil)
        return values
    }

    @Test("Before-images come back: changed values of updated rows, and all of deleted ones")
    func images() throws {
        let book = try #require(model.entity(named: "Book"))
        var writer = HistoryBodyWriter(model)
        writer.update(book.index, 8, slots: slots(book, ["name", "pages"]))
        let bytes = try writer.finish(values())
        #expect(try HistoryBody(bytes, path: nil).values == nil)
        #expect(try texts(bytes) == ["update Book 8 name pages"])
        let values = try #require(HistoryBody(bytes, path: nil, includesValues: true).values)
        #expect(values.entities.map(\.name) == ["Book"])
        #expect(values.entities[0].slots.map(\.property) == ["name", "pages"])
        #expect(values.rows.map(\.reference) == [8, 7])
        #expect(values.rows.map(\.version) == [3, 3])
        #expect(values.rows.map(\.isWhole) == [false, true])
        #expect(values.rows[0].values.map(\.value) == [.bytes(Array("old".utf8)), nil])
        #expect(values.rows[1].values.map(\.value) == [.bytes(Array("old".utf8))])
    }

    @Test("Before-images with wrong numbers and a right checksum are an error or other images", arguments: 0..<20)
    func forgedImages(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let bytes = try Array(HistoryBodyWriter(model).finish(values()).dropLast(4))
        for _ in 0..<200 {
            var forged = ByteWriter<UInt32>()
            var content = bytes
            for _ in 0...(generator.next() % 3) {
                content[1 + Int(generator.next() % UInt64(bytes.count - 1))] = UInt8(truncatingIfNeeded: generator.next())
            }
            forged.put(raw: content)
            guard let values = try? HistoryBody(forged.sealed(as: UInt32.self), path: nil, includesValues: true).values else { continue }
            #expect(values.rows.allSatisfy { values.entities.indices.contains($0.entity) })
        }
    }

    @Test("An origin comes back with nil and empty texts apart")
    func origins() throws {
        let origin = HistoryOrigin(.batch, author: "", contextName: nil, processName: "a process with a name", bundleID: "é")
        #expect(try HistoryOrigin(origin.encoded) == origin)
        #expect(throws: MalformedBytes.self) { try HistoryOrigin([]) }
        #expect(throws: MalformedBytes.self) { try HistoryOrigin(origin.encoded + [0]) }
        #expect(throws: MalformedBytes.self) { try HistoryOrigin([9, 0, 0, 0, 0]) }
    }

    @Test("A record follows the last one, or is refused")
    func numbers() throws {
        let record = HistoryRecord(time: 0, origin: [1], body: [])
        #expect(try record.number(after: 4, path: nil) == 5)
        let full = #expect(throws: StoreError.self) { try record.number(after: .max, path: nil) }
        #expect(full?.message == "the history has no number left for a transaction")
        var given = record
        given.number = 9
        #expect(try given.number(after: 4, path: nil) == 9)
        let late = #expect(throws: StoreError.self) { try given.number(after: 9, path: nil) }
        #expect(late?.message == "a transaction does not follow the last one of the history")
    }
}
