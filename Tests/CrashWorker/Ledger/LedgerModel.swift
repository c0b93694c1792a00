import FoundationEssentials
package import Strata

/// One for each part of the ledger: what each save reads, changes and writes back.
final class Account: ManagedObject {
    static let balance = Key<Int>("balance")
    static let note = Key<String>("note")
    static let statement = Key<Data>("statement")
    static let entries = ToManyOrdered<Entry>("entries")
}

/// What each save adds; the oldest goes again.
final class Entry: ManagedObject {
    static let number = Key<Int>("number")
    static let memo = Key<String>("memo")
    static let receipt = Key<Data>("receipt")
    static let account = ToOne<Account>("account")
}

/// What takes up room.
final class Filler: ManagedObject {
    static let bytes = Key<Data>("bytes")
    static let attachment = Key<Data>("attachment")
}

extension Part {
    var fillerEntity: String { "Filler\(rawValue)" }
    var accountEntity: String { "Account\(rawValue)" }
    var entryEntity: String { "Entry\(rawValue)" }
}

extension CrashMode {
    /// The parts of a ledger that is kept in these stores: one for each.
    package var ledgerParts: [Part] { isFederated ? Part.allCases : [.a] }
}

/// The versions of the ledger's model.
package enum LedgerVersion: String, CaseIterable, Sendable {
    /// The one that all ledgers begin with.
    case first
    /// Other attributes and names, and an entity more: tables can be altered in place.
    case altered
    /// Accounts and entries under one parent: everything is written anew, and references change.
    case united
    /// The same, and it is policies that lead to it.
    case led

    fileprivate var isUnited: Bool { self == .united || self == .led }
}

package enum LedgerModel {
    package static let model = Result { try make(.first) }

    package static func model(_ version: LedgerVersion) throws -> ManagedObjectModel {
        version == .first ? try model.get() : try make(version)
    }

    /// What leads to a version beyond what is inferred when a store is opened.
    static func mapping(to version: LedgerVersion) throws -> MappingModel? {
        guard version == .led else { return nil }
        let (first, last) = (try model(.first), try model(version))
        let inferred = try MappingModel.inferred(from: first, to: last)
        return try MappingModel(from: first, to: last) {
            for mapping in inferred.entityMappings where mapping.source != nil {
                EntityMapping(from: mapping.source, to: mapping.destination, policy: "Standard")
            }
        }
    }

    private static func make(_ version: LedgerVersion) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: Part.allCases.flatMap { entities($0, version) },
            configurations: Part.allCases.map { part in
                EntityConfiguration(part.rawValue, entities: entities(part, version).map(\.name))
            }
        )
    }

    private static func entities(_ part: Part, _ version: LedgerVersion) -> [Entity] {
        let record = "Aged\(part.rawValue)"
        var entities = [
            Entity(part.accountEntity, parent: version.isUnited ? record : nil, class: Account.self) {
                Attribute("balance", .integer64).required
                Attribute("note", .string)
                Attribute("statement", .binary).externalStorage
                Relationship("entries", to: part.entryEntity, inverse: "account", .ordered, deleteRule: .cascade)
                if version == .altered { Attribute("rate", .double, default: 1.5).required }
            },
            Entity(part.entryEntity, parent: version.isUnited ? record : nil, class: Entry.self) {
                Attribute("number", .integer64).required
                Attribute("memo", .string)
                Attribute("receipt", .binary).externalStorage
                Relationship("account", to: part.accountEntity, inverse: "entries")
                Unique("number")
                FetchIndex("byNumber", on: "number")
                if version == .altered { FetchIndex("byMemo", on: "memo") }
            },
            Entity(version == .first ? part.fillerEntity : "Stuffing\(part.rawValue)", class: Filler.self) {
                Attribute("bytes", .binary)
                if version != .altered { Attribute("attachment", .binary).externalStorage }
            }.with { $0.renamingIdentifier = version == .first ? nil : part.fillerEntity },
        ]
        if version != .first { entities.append(Entity(record, isAbstract: true)) }
        return entities
    }
}
