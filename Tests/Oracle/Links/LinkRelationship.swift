import Strata
import StrataModel
import StrataTestModels

/// A relationship of link walks, of each of several kinds.
struct LinkRelationship: CustomStringConvertible {
    let name: String
    /// The name of the inverse; `nil` where the relationship is declared at one end.
    let inverse: String?
    let isManyToMany: Bool
    let isOrdered: Bool

    var description: String { name }

    static let all = [
        LinkRelationship(name: "tags", inverse: "taggedBy", isManyToMany: true, isOrdered: false),
        LinkRelationship(name: "ranked", inverse: "rankedBy", isManyToMany: true, isOrdered: true),
        LinkRelationship(name: "chain", inverse: "chainedBy", isManyToMany: true, isOrdered: true),
        LinkRelationship(name: "notes", inverse: "noteOf", isManyToMany: false, isOrdered: false),
        LinkRelationship(name: "steps", inverse: "stepOf", isManyToMany: false, isOrdered: true),
        LinkRelationship(name: "extras", inverse: nil, isManyToMany: false, isOrdered: false),
        LinkRelationship(name: "queue", inverse: nil, isManyToMany: false, isOrdered: true),
    ]

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Owner") {
                Attribute("number", .integer64)
                Relationships([
                    "tags": .toMany("Member.taggedBy"), "ranked": .ordered("Member.rankedBy"),
                    "chain": .ordered("Member.chainedBy"), "notes": .toMany("Member.noteOf"), "steps": .ordered("Member.stepOf"),
                    "extras": .toMany("Member"), "queue": .ordered("Member"),
                ])
            }
            Entity("Member") {
                Attribute("number", .integer64)
                Relationships([
                    "taggedBy": .toMany("Owner.tags"), "rankedBy": .toMany("Owner.ranked"), "chainedBy": .ordered("Owner.chain"),
                    "noteOf": .toOne("Owner.notes"), "stepOf": .toOne("Owner.steps"),
                ])
            }
        }
    }
}

/// What the oracle knows of a relationship: links by owner and member, or the owner of each member where that has one at most.
struct Links {
    /// An owner and a member, by their numbers; the owner is 0 where a member has one at most.
    struct Key: Hashable {
        let owner: Int
        let member: Int
    }

    let isManyToMany: Bool
    /// Whether there is a link, as 1 or 0, or the owner of a member plus one, and 0 for none.
    ///
    /// What is not known is missing.
    private(set) var values: [Key: Int] = [:]

    private func key(_ owner: Int, _ member: Int) -> Key { Key(owner: isManyToMany ? owner : 0, member: member) }
    private func linked(_ owner: Int) -> Int { isManyToMany ? 1 : owner + 1 }

    func contains(_ owner: Int, _ member: Int) -> Bool { values[key(owner, member)] == linked(owner) }

    mutating func set(_ owner: Int, _ member: Int, _ isLinked: Bool) { values[key(owner, member)] = isLinked ? linked(owner) : 0 }

    /// Makes the changes that others have made of what they had read.
    mutating func merge(_ changed: [Key: Int]) { values.merge(changed) { _, new in new } }

    /// Takes over what is not known here.
    mutating func learn(_ known: Links, of keys: some Sequence<Key>) {
        for key in keys where values[key] == nil { values[key] = known.values[key] }
    }

    mutating func forget() { values = [:] }

    /// What is other here than in what it was made of.
    func changes(since base: Links) -> [Key: Int] { values.filter { base.values[$0.key] != $0.value } }
}
