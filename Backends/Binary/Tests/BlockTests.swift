import Foundation
import StrataEngine
import StrataModel
import StrataStore
import StrataTestSupport
import Testing

@testable import StrataBinary

@Suite("Rows of a binary store that are read when they are first needed") struct BlockTests {
    /// A closed store with 1,000 people, and the offsets of its blocks.
    private func site() throws -> (SaveWalk, [UInt8]) {
        let walk = try SaveWalk(seed: 1)
        try walk.save { changes in
            for reference in 1...1_000 { changes.inserted.append(try walk.row("Person", Int64(reference), name: "person \(reference)")) }
            guard let table = walk.model.linkTables.first(where: { walk.model.entities[$0.first.entity].name == "Person" }) else { return }
            changes.links = [LinkChange(table: table.index, kind: .put, link: Link(first: 1, second: 2))]
        }
        try walk.store.close()
        return (walk, try walk.site.bytes())
    }

    private func open(_ bytes: [UInt8]) throws -> SaveWalk { try SaveWalk(seed: 2, file: bytes) }

    /// Changes a byte in the middle of the section of rows.
    private func damaged(_ bytes: [UInt8], _ section: FileLayout.Section = .rows) throws -> [UInt8] {
        let errors = BinaryErrors(operation: .open, path: nil)
        let range = try FileSections(MappedFile(path: "", copying: bytes), errors).range(section)
        var bytes = bytes
        bytes[(range.lowerBound + range.upperBound) / 2 & ~7] ^= 1
        return bytes
    }

    @Test("A damaged block is found by the read that needs it, and by every one after it, also in a save")
    func damage() throws {
        let (walk, bytes) = try site()
        let other = try open(try damaged(bytes))
        let person = try other.entity("Person")
        let isCounted = try other.store.read { try $0.execute(FetchPlan(person, .count)) }
        guard case .count(1_000) = isCounted else { throw CancellationError() }
        #expect(try other.store.row(root: person.index, reference: 1)?.reference == 1)
        // The last row of the table is in a sound block, the middle one is not.
        #expect(try other.store.row(root: person.index, reference: 1_000)?.reference == 1_000)
        for reference in [500, 1] as [Int64] {
            let reads: [() throws -> Void] = [
                { _ = try other.store.row(root: person.index, reference: reference) },
                { _ = try other.store.read { try $0.rows(root: person.index, references: Array(400...600)) } },
                { _ = try other.store.read { try $0.existing(root: person.index, references: [reference]) } },
                { _ = try other.store.answer(FetchPlan(person)) },
                { try other.save { $0.inserted = [try other.row("Person", 2_000)] } },
            ]
            for read in reads {
                let error = try storeError(read)
                #expect(error?.code == .corrupt)
                #expect(error?.message == "checksum mismatch in a block of rows")
            }
        }
        let length = try other.site.bytes().count
        try other.store.close()
        #expect(try other.site.bytes().count == length)
        _ = walk
    }

    @Test("A save that needs a damaged block fails, and leaves the file as it is")
    func damagedSave() throws {
        let (_, bytes) = try site()
        let file = try damaged(bytes)
        let other = try open(file)
        let person = try other.entity("Person")
        let deleting = try storeError {
            try other.save { $0.deleted = [RowDeletion(entity: person.index, reference: 500, expectedVersion: 1)] }
        }
        #expect(deleting?.code == .corrupt)
        try other.store.close()
        #expect(try other.site.bytes() == file)
    }

    @Test("Damaged links are found by the read that needs them")
    func damagedLinks() throws {
        let (_, bytes) = try site()
        let other = try open(try damaged(bytes, .links))
        let person = try other.entity("Person")
        #expect(try other.store.row(root: person.index, reference: 500)?.reference == 500)
        let error = try storeError { _ = try other.store.read { try $0.links(of: other.model.linkTables[0]) } }
        #expect(error?.message == "checksum mismatch in the section of links")
    }

    @Test("A check of the store finds a damaged block that nothing read")
    func verification() throws {
        let (_, bytes) = try site()
        let file = try damaged(bytes)
        let copy = try ScratchFile()
        try copy.put(file)
        let error = try storeError { _ = try format.load(copy.path, AtomicModels.shapes.get()) }
        #expect(error?.message == "checksum mismatch in a block of rows")
    }
}
