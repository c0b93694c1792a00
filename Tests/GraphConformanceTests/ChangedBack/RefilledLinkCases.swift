import FoundationEssentials
import Strata
import StrataTestModels

@testable import StrataConformance

/// Relationships that are changed and changed back: what another context made of them meanwhile stays.
enum RefilledLinkCases {
    static let model = ModelResult.declared {
        Entity("Post") {
            Attribute("name", .string)
            Relationships([
                "tags": .toMany("Tag.posts"), "ranked": .ordered("Tag.rankedBy"), "notes": .toMany("Tag.post"),
                "steps": .ordered("Tag.stepOf"), "extras": .toMany("Tag"), "queue": .ordered("Tag"),
                "cover": .toOne("Tag.covers"), "best": .toOne("Tag.bestOf"),
            ])
        }
        Entity("Tag") {
            Attribute("name", .string)
            Relationships([
                "posts": .toMany("Post.tags"), "rankedBy": .toMany("Post.ranked"), "post": .toOne("Post.notes"),
                "stepOf": .toOne("Post.steps"), "covers": .toMany("Post.cover"), "bestOf": .toOne("Post.best"),
            ])
        }
    }

    /// One of the ways to change a relationship and change it back.
    enum Way: CaseIterable {
        case set, oneByOne, otherEnd, inAndOut, inAndOutAtOtherEnd

        var adds: Bool { self == .inAndOut || self == .inAndOutAtOtherEnd }
    }

    /// What a context has loaded before.
    enum Loaded: CaseIterable { case nothing, ownEnd, otherEnd, bothEnds }

    private enum Kind: CaseIterable { case top, merging, child }

    /// The post named `p`, the tags `a`, `b` and `c`, which are destinations of its relationships, and `d`, which is of
    /// none.
    struct Graph {
        let context: ManagedObjectContext
        let post: ManagedObject
        let tags: [ManagedObject]

        init(_ context: ManagedObjectContext) throws {
            self.context = context
            post = try context.one("Post", "p")
            tags = try context.all("Tag", sort: [QuerySort("name")])
        }

        func tag(_ relationship: RelationshipDescription, _ way: Way) -> ManagedObject { way.adds ? tags[3] : tags[0] }

        func load(_ relationship: RelationshipDescription, _ loaded: Loaded) throws {
            if loaded == .ownEnd || loaded == .bothEnds { _ = try post.members(relationship) }
            guard loaded == .otherEnd || loaded == .bothEnds, let inverse = Graph.inverse(of: relationship, post) else { return }
            for tag in tags { _ = try tag.members(inverse) }
        }

        /// Adds a tag to a relationship, or removes it, at an object's end.
        func change(_ object: ManagedObject, _ relationship: RelationshipDescription, _ other: ManagedObject, adds: Bool) throws {
            if !relationship.isToMany { return try object.setValue(adds ? other : nil, forKey: relationship.name) }
            if relationship.isOrdered {
                let set = try object.mutableOrderedSetValue(forKey: relationship.name)
                // The first one, as it was.
                if adds { set.insert(other, at: 0) } else { set.remove(other) }
            } else {
                let set = try object.mutableSetValue(forKey: relationship.name)
                if adds { set.insert(other) } else { set.remove(other) }
            }
        }

        /// Changes a relationship and changes it back.
        ///
        /// - Returns: Whether the relationship can be changed in that way.
        func changeAndBack(_ relationship: RelationshipDescription, _ way: Way) throws -> Bool {
            let (tag, inverse) = (tag(relationship, way), Graph.inverse(of: relationship, post))
            // A destination that comes to a to-one relationship replaces another one.
            if way.adds && !relationship.isToMany { return false }
            switch way {
            case .set:
                let before = try post.members(relationship)
                try post.relate(relationship, to: [])
                try post.relate(relationship, to: before)
            case .oneByOne, .inAndOut:
                try change(post, relationship, tag, adds: way.adds)
                try change(post, relationship, tag, adds: !way.adds)
            case .otherEnd, .inAndOutAtOtherEnd:
                guard let inverse else { return false }
                try change(tag, inverse, post, adds: way.adds)
                try change(tag, inverse, post, adds: !way.adds)
            }
            return true
        }

        static func inverse(of relationship: RelationshipDescription, _ post: ManagedObject) -> RelationshipDescription? {
            post.managedObjectContext?.model.inverse(of: relationship).flatMap { $0.isHidden ? nil : $0 }
        }

        func expectUnchanged(_ what: String) throws {
            for object in [post] + tags {
                try expect(!object.hasPersistentChangedValues, "\(what): \(object.entity.name) has changed values")
                try expectEqual(object.changedValues().keys.sorted(), [], what)
            }
        }
    }

    static func fill(_ context: ManagedObjectContext) throws {
        let post = try context.add("Post", "p")
        let tags = try ["a", "b", "c", "d"].map { try context.add("Tag", $0) }
        for relationship in post.entity.relationships {
            try post.relate(relationship, to: relationship.isToMany ? Array(tags.prefix(3)) : [tags[0]])
        }
        try context.save()
    }

    private static func check(_ stack: ConformanceStack, _ name: String, _ way: Way, _ loaded: Loaded, _ kind: Kind) throws {
        let what = "\(name), \(way), \(loaded), \(kind)"
        let top = stack.context()
        top.automaticallyMergesChangesFromParent = kind == .merging
        let here = kind == .child ? stack.child(of: top) : top
        let mine = try Graph(here)
        let relationship = try unwrap(mine.post.entity.relationship(named: name))
        try mine.load(relationship, loaded)
        guard try mine.changeAndBack(relationship, way) else { return }
        try mine.expectUnchanged(what)
        try expect(try here.saveChangesRequest().isEmpty, "\(what): there is something to save")
        let theirs = try Graph(stack.context())
        try theirs.change(theirs.post, relationship, theirs.tag(relationship, way), adds: way.adds)
        try theirs.context.save()
        let expected = try theirs.post.namesOfMembers(relationship)
        // What came to the context's inbox is merged.
        _ = try here.all("Tag")
        try expect(try here.save().isEmpty, "\(what): the save changed something")
        try expect(try kind != .child || top.save().isEmpty, "\(what): the parent's save changed something")
        let after = try Graph(stack.context())
        try expectEqual(try after.post.namesOfMembers(relationship), expected, what)
        // As it was before, for the next one.
        try after.change(after.post, relationship, after.tag(relationship, way), adds: !way.adds)
        try after.context.save()
        withExtendedLifetime(mine) {}
    }

    private static func refilling(_ title: String, _ names: [String]) -> ConformanceCase {
        ConformanceCase(title, in: .changedBack) { environment in
            // An end that was not loaded took a removal and an addition for an addition, which made the link again that
            // another context removed.
            let stack = try environment.stack(model)
            try fill(stack.context())
            for name in names {
                for way in Way.allCases {
                    for loaded in Loaded.allCases {
                        for kind in Kind.allCases { try check(stack, name, way, loaded, kind) }
                    }
                }
            }
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        refilling("A many-to-many relationship that is cleared and filled again is unchanged", ["tags", "ranked"])
        refilling("A one-to-many relationship that is cleared and filled again is unchanged", ["notes", "steps"])
        refilling("A relationship without an inverse that is cleared and filled again is unchanged", ["extras", "queue"])
        refilling("A to-one relationship that is cleared and set again is unchanged", ["cover", "best"])
        ConformanceCase("A relationship that is cleared and filled again does not stand against the deletion of a member", in: .changedBack)
        {
            environment in
            // The links were made again, to a row that was not there: 133020.
            let stack = try environment.stack(model)
            try fill(stack.context())
            let mine = try Graph(stack.context())
            for relationship in mine.post.entity.relationships { _ = try mine.changeAndBack(relationship, .set) }
            let there = stack.context()
            there.delete(try there.one("Tag", "a"))
            try there.save()
            try expect(try mine.context.save().isEmpty, "something was saved")
        }
        ConformanceCase("A relationship that is set to its loaded members leaves those that another context moved away", in: .changedBack) {
            environment in
            // The members that were not registered were read, found elsewhere, and taken back.
            let stack = try environment.stack(model)
            try fill(stack.context())
            let here = stack.context()
            let post = try here.one("Post", "p")
            _ = try (post.many("notes").count, post.ordered("steps").count)
            let there = stack.context()
            let (other, moved) = (try there.add("Post", "q"), try there.one("Tag", "a"))
            try moved.setValue(other, forKey: "post")
            try moved.setValue(other, forKey: "stepOf")
            try there.save()
            try post.setValue(post.many("notes"), forKey: "notes")
            try post.setValue(post.ordered("steps"), forKey: "steps")
            try expect(try here.save().isEmpty, "something was saved")
        }
        ConformanceCase("A change that is made and taken back notifies no listener of a save", in: .changedBack) { environment in
            let stack = try environment.stack(model)
            try fill(stack.context())
            let mine = try Graph(stack.context())
            var saved: [ManagedObject] = []
            let subscription = mine.context.observeEvents { event in if event.kind == .didSave { saved += event.updated } }
            for relationship in mine.post.entity.relationships { _ = try mine.changeAndBack(relationship, .set) }
            try mine.context.save()
            try expectEqual(saved.count, 0, "updated objects of the save")
            withExtendedLifetime(subscription) {}
        }
        ConformanceCase("A number that is set to an equal one with another sign is unchanged", in: .changedBack) { environment in
            // It was no changed value, and was saved all the same, which stood against the saves of others.
            let model = try ManagedObjectModel {
                Entity("Number") {
                    Attributes(["name": .string, "double": .double, "float": .float, "date": .date])
                    Attribute("point") { Attribute("x", .double) }
                }
            }
            let stack = try environment.stack(model)
            let writer = stack.context()
            let values: [String: Any] = [
                "double": 0.0, "float": Float(0), "date": Date(timeIntervalSinceReferenceDate: 0), "point": ["x": 0.0],
            ]
            try writer.add("Number", "n", values)
            try writer.save()
            for kind in [Kind.top, .child] {
                let top = stack.context()
                let here = kind == .child ? stack.child(of: top) : top
                let number = try here.one("Number", "n")
                let negative: [String: Any] = [
                    "double": -0.0, "float": -Float(0), "date": Date(timeIntervalSinceReferenceDate: -0.0), "point": ["x": -0.0],
                ]
                for (key, value) in negative { try number.setValue(value, forKey: key) }
                try expect(!number.hasPersistentChangedValues, "the number has changed values")
                try expectEqual(number.changedValues().keys.sorted(), [])
                try expect(try here.save().isEmpty, "something was saved")
                try expect(try kind == .top || top.save().isEmpty, "the parent saved something")
            }
        }
    }
}
