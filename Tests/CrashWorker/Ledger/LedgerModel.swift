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

package enum LedgerModel {
    package static let model = Result { try make() }

    private static func make() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: Part.allCases.flatMap(entities),
            configurations: Part.allCases.map {
                EntityConfiguration($0.rawValue, entities: [$0.accountEntity, $0.entryEntity, $0.fillerEntity])
            }
        )
    }

    private static func entities(_ part: Part) -> [Entity] {
        [
            Entity(part.accountEntity, class: Account.self) {
                Attribute("balance", .integer64).required
                Attribute("note", .string)
                Attribute("statement", .binary).externalStorage
                Relationship("entries", to: part.entryEntity, inverse: "account", .ordered, deleteRule: .cascade)
            },
            Entity(part.entryEntity, class: Entry.self) {
                Attribute("number", .integer64).required
                Attribute("memo", .string)
                Attribute("receipt", .binary).externalStorage
                Relationship("account", to: part.accountEntity, inverse: "entries")
                Unique("number")
                FetchIndex("byNumber", on: "number")
            },
            Entity(part.fillerEntity, class: Filler.self) {
                Attribute("bytes", .binary)
                Attribute("attachment", .binary).externalStorage
            },
        ]
    }
}
