import Strata
import StrataTestModels

/// Unsaved relationships of which another context deletes one end: what an application does about the conflict.
enum LostEndCases {
    private static let model = ModelResult.declared {
        Entity("Owner") {
            Attributes(["name": .string, "number": .integer64])
            Relationships([
                "kids": .toMany("Member.owner"), "steps": .ordered("Member.stepOf"), "links": .toMany("Member.linkedBy"),
                "ranked": .ordered("Member.rankedBy"), "pair": .toOne("Member.pairedWith"), "marks": .toMany("Member"),
                "list": .ordered("Member"), "favourite": .toOne("Member"),
            ])
        }
        Entity("Member") {
            Attributes(["name": .string, "number": .integer64])
            Relationships([
                "owner": .toOne("Owner.kids"), "stepOf": .toOne("Owner.steps"), "linkedBy": .toMany("Owner.links"),
                "rankedBy": .toMany("Owner.ranked"), "pairedWith": .toOne("Owner.pair"),
            ])
        }
    }

    private enum Remedy: CaseIterable { case refreshOfConflicts, refreshOfAll, merge, automaticMerge }

    /// Saves as the guide to troubleshooting says.
    private static func save(_ context: ManagedObjectContext, _ remedy: Remedy, _ changes: RemoteChanges, _ what: String) throws {
        if remedy == .automaticMerge {
            _ = try context.all("Owner")
            return _ = try context.save()
        }
        for _ in 0..<4 {
            do { return _ = try context.save() } catch let error as SaveConflictError {
                switch remedy {
                case .refreshOfConflicts:
                    for conflict in error.conflicts { context.refresh(context.object(with: conflict.objectID), mergeChanges: true) }
                case .refreshOfAll: context.refreshAllObjects()
                default: context.mergeChanges(fromRemoteContextSave: changes)
                }
            }
        }
        throw ConformanceFailure("the conflict stays: \(what)")
    }

    /// Relates o and m, one of which another context deletes, and saves.
    ///
    /// - Parameter new: The name of the one that is new; `nil` where both were saved.
    private static func check(
        _ environment: ConformanceEnvironment, _ key: String, lost: String, new: String?, _ remedy: Remedy
    ) throws {
        let what = "\(key), \(lost) is lost, \(new ?? "none") is new, \(remedy)"
        let stack = try environment.stack(model, what)
        let first = stack.context()
        for (entity, name) in [("Owner", "o"), ("Member", "m")] where name != new { try first.add(entity, name) }
        try first.save()
        let mine = stack.context()
        mine.automaticallyMergesChangesFromParent = remedy == .automaticMerge
        let owner = try new == "o" ? mine.add("Owner", "o") : mine.one("Owner", "o")
        let member = try new == "m" ? mine.add("Member", "m") : mine.one("Member", "m")
        let relationship = try unwrap(owner.entity.relationship(named: key))
        try owner.relate(relationship, to: [member])
        let (kept, entity) = lost == "o" ? (member, "Owner") : (owner, "Member")
        try kept.setValue(7, forKey: "number")
        let theirs = stack.context()
        theirs.delete(try theirs.one(entity, lost))
        let changes = try theirs.save().changes
        try save(mine, remedy, changes, what)
        try expect(!mine.hasChanges, what)
        let after = stack.context()
        let stored = try after.one(kept.entity.name, lost == "o" ? "m" : "o")
        for (context, object) in [(mine, kept), (after, stored)] {
            try expectEqual(try object.value(forKey: "number") as? Int, 7, what)
            for relationship in object.entity.relationships {
                try expectEqual(try object.members(relationship).count, 0, "\(relationship.name): \(what)")
            }
            try expectEqual(try context.all(entity).count, 0, what)
        }
        try stack.close()
    }

    // No refresh and no merge took the relationship back where its declared end was lost, and every save failed.
    private static let ofEither = ["kids", "steps", "links", "ranked", "pair", "marks", "list", "favourite"].enumerated().map {
        number, key in
        ConformanceCase("Refreshing or merging resolves the loss of either end of the unsaved relationship \(key)", in: .conflicts) {
            environment in
            for (turn, remedy) in Remedy.allCases.enumerated() {
                for lost in ["o", "m"] where Effort.tries(number + turn, lost == "o" ? 0 : 1, oneOf: 2) {
                    for new in [nil, lost == "o" ? "m" : "o"] { try check(environment, key, lost: lost, new: new, remedy) }
                }
            }
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ofEither
        // The guide looked the objects up as existing ones, which one that is deleted here is not.
        ConformanceCase("Refreshing resolves a conflict over an object that is deleted here", in: .conflicts) { environment in
            for isDeletedElsewhere in [false, true] {
                let stack = try environment.stack(model, "\(isDeletedElsewhere)")
                let first = stack.context()
                for (entity, name) in [("Owner", "o"), ("Member", "m")] { try first.add(entity, name) }
                try first.save()
                let mine = stack.context()
                try mine.one("Owner", "o").setValue(7, forKey: "number")
                mine.delete(try mine.one("Member", "m"))
                let theirs = stack.context()
                let member = try theirs.one("Member", "m")
                if isDeletedElsewhere { theirs.delete(member) } else { try member.setValue(5, forKey: "number") }
                let changes = try theirs.save().changes
                try save(mine, .refreshOfConflicts, changes, "deleted elsewhere: \(isDeletedElsewhere)")
                let after = stack.context()
                try expectEqual(try after.one("Owner", "o").value(forKey: "number") as? Int, 7)
                try expectEqual(try after.all("Member").count, 0)
            }
        }
    }
}
