import Foundation
import StrataEngine
import StrataFiles
import StrataModel
import StrataStore
import StrataTestModels
import StrataTestRandom
import StrataTestSupport
import Testing

@testable import StrataBinary

/// A store that gets saves of every kind, chosen by a seed.
final class SaveWalk {
    let model: ManagedObjectModel
    let site: ScratchFile
    let store: any StoreBackend
    private let driver: BinaryDriver
    private var random: SeededGenerator
    private var next: Int64 = 1

    init(seed: UInt64, file: [UInt8]? = nil, sharing other: ScratchFile? = nil) throws {
        model = try AtomicModels.shapes.get()
        site = try other ?? ScratchFile()
        if let file { try site.put(file) }
        random = SeededGenerator(seed: seed)
        driver = BinaryDriver(BinaryCodec())
        store = try driver.open(StoreDescription(driver, path: site.path), model: model)
        next = file == nil ? 1 : 5_000
    }

    func entity(_ name: String) throws -> EntityDescription { try #require(model.entity(named: name)) }

    func row(_ entityName: String, _ reference: Int64, version: UInt32 = 1, name: String? = nil) throws -> Row {
        let entity = try entity(entityName)
        var writer = RowWriter(forOneRowOf: 256)
        writer.begin(entity, reference: reference, version: version)
        if let name, let slot = entity.attribute(named: "name")?.slot { writer.set(text: name, at: slot) }
        return writer.finish()
    }

    func save(_ build: (inout ChangeSet) throws -> Void) throws {
        var changes = ChangeSet()
        try build(&changes)
        let transaction = try store.beginWrite()
        #expect(try transaction.apply(changes).isEmpty)
        try transaction.commit()
    }

    /// Saves some changes at random.
    func step() throws {
        let transaction = try store.beginWrite()
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            let changes = try transaction.read { try self.changes($0) }
            #expect(try transaction.apply(changes).isEmpty)
        }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: _ = try transaction.reserveReferences(5, root: try entity("Note").root)
        case 1:
            var metadata = try transaction.metadata()
            metadata.userInfo["walk"] = .int(Int64.random(in: 0..<1_000, using: &random))
            #expect(try transaction.apply(ChangeSet(metadata: metadata)).isEmpty)
        case 2...5: _ = try transaction.append(HistoryRecord(time: 1.5, origin: [1, 2], body: [UInt8.random(in: 0...255, using: &random)]))
        case 6:
            if let record = try store.history(HistoryQuery()).dropLast().last {
                try transaction.deleteHistory(through: .deleted(through: record.number, time: record.time))
            }
        default: next += 1
        }
        if Bool.random(using: &random) { try transaction.prepare() }
        try transaction.commit()
    }

    private func changes(_ reader: any StoreReader) throws -> ChangeSet {
        var changes = ChangeSet()
        let person = try entity("Person")
        let people = try reader.rows(root: person.root, references: Array(1..<next))
        var used: Set<Int64> = []
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            if let row = people.randomElement(using: &random), Bool.random(using: &random), used.insert(row.reference).inserted {
                let entity = model.entities[row.entityIndex]
                if Int.random(in: 0..<3, using: &random) == 0 {
                    changes.deleted.append(RowDeletion(row, of: entity))
                } else {
                    let new = try self.row(entity.name, row.reference, version: row.version + 1, name: "changed \(random.next() % 100)")
                    changes.updated.append(RowUpdate(row: new, changedSlots: []))
                }
            } else {
                changes.inserted.append(try row(Bool.random(using: &random) ? "Person" : "Child", next, name: "new \(next)"))
                used.insert(next)
                next += 1
            }
        }
        let deleted = Set(changes.deleted.map(\.reference))
        let left = (people.map(\.reference) + changes.inserted.map(\.reference)).filter { !deleted.contains($0) }
        for table in model.linkTables where model.entities[table.first.entity].root == person.root && table.second.entity == person.index {
            guard let first = left.randomElement(using: &random), let second = left.randomElement(using: &random) else { continue }
            let kind: LinkChange.Kind = [.put, .put, .remove, .order].randomElement(using: &random) ?? .put
            let order: OrderKey? = Bool.random(using: &random) ? OrderKey(rawValue: Int64.random(in: 1...99, using: &random)) : nil
            changes.links.append(
                LinkChange(table: table.index, kind: kind, link: Link(first: first, second: second, orderInFirst: order)))
        }
        return changes
    }

    /// Everything in the store as text.
    func picture() throws -> String { try SaveWalk.picture(store, model) }

    /// Everything in a file, read as a store of its own.
    func picture(of file: [UInt8]) throws -> String {
        let copy = try ScratchFile()
        try copy.put(file)
        let found = try driver.open(StoreDescription(driver, path: copy.path, isReadOnly: true), model: model)
        defer { try? found.close() }
        return try SaveWalk.picture(found, model)
    }

    static func picture(_ store: any StoreBackend, _ model: ManagedObjectModel) throws -> String {
        var lines: [String] = []
        let references = [1...300, 5_000...5_300, 9_000...9_010, 10_000...10_050].flatMap { Array($0) } as [Int64]
        try store.read { reader in
            for entity in model.entities where entity.superentity == nil {
                for row in try reader.rows(root: entity.index, references: references) {
                    let own = model.entities[row.entityIndex]
                    let name = own.attribute(named: "name")?.slot.map { "\(row.value($0, .string))" } ?? ""
                    lines.append("\(own.name) \(row.reference) \(row.version) \(name)")
                }
                guard case .count(let count) = try reader.execute(FetchPlan(entity, .count)) else { continue }
                lines.append("\(entity.name) \(count)")
            }
            for table in model.linkTables {
                for link in try reader.links(of: table) {
                    lines.append("link \(table.index) \(link.first) \(link.second) \(String(describing: link.orderInFirst))")
                }
            }
        }
        for record in try store.history(HistoryQuery()) { lines.append("record \(record.number) \(record.origin) \(record.body)") }
        let info = try store.metadata().userInfo
        lines.append("walk \(String(describing: info["walk"]))")
        if case .int(let mine)? = info["mine"] { lines.append("mine \(mine)") }
        return lines.joined(separator: "\n")
    }

    func list(_ file: [UInt8]) throws -> SegmentList {
        let errors = BinaryErrors(operation: .open, path: nil)
        return try SegmentList(FileSections(MappedFile(path: "", copying: file), errors), errors)
    }

    /// The commit records of a file.
    func records(of file: [UInt8]) throws -> [Range<Int>] {
        let start = try list(file).end.start
        return [start - CommitRecord.length..<start - CommitRecord.size, start - CommitRecord.size..<start]
    }

    /// The number of saves in a commit record, below 256.
    func number(_ record: Range<Int>, _ file: [UInt8]) -> UInt8 { file[record.lowerBound] }

    func segments(of file: [UInt8]) throws -> Int { try list(file).bodies.count }
}
