import Strata

@testable import StrataConformance

/// Conflicts of child contexts with their parents, and saves of theirs that fail.
enum NestedConflictCases {
    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Of a child and its parent the last one to save wins, property by property", in: .nesting) { environment in
            let family = try Family(environment)
            let person = Person("p", family.parent, age: 1)
            person.salary = 1
            try family.parent.save()
            let other = try family.childs(person)
            _ = other.name
            person.name = "parent"
            person.age = 2
            try family.parent.save()
            other.name = "child"
            other.salary = 3
            try family.child.save()
            try expectEqual(person.name, "child")
            try expectEqual(person.age, 2, "the child changed what it did not change")
            try family.parent.save()
            let found = try family.stack.reopened().context().named("child", Person.self)
            try expectEqual(found.age, 2)
            try expectEqual(found.salary, 3)
        }
        ConformanceCase("A child's changes are no conflict with what its parent saved when it held no object", in: .nesting) {
            environment in
            let family = try Family(environment)
            let id = try {
                let person = Person("0", family.child, age: 1)
                try family.child.save()
                try family.parent.save()
                return person
            }()
            // The parent keeps no object that has no changes; the child goes on.
            for round in 1...5 {
                id.name = "\(round)"
                try family.child.save()
                if round % 2 == 1 { id.age = Int16(round) }
                try family.child.save()
                try family.parent.save()
                try expectEqual(try family.saved(), ["\(round)"])
            }
            try expectEqual(try family.stack.context().named("5", Person.self).age, 5)
        }
        // Its row has a permanent reference and the version of its insertion before there is any in the store.
        ConformanceCase("A child that read an object with a permanent ID before its first save does not undo that save", in: .nesting) {
            environment in
            let family = try Family(environment)
            let id = try {
                let person = Person("p", family.parent, age: 1)
                try family.parent.obtainPermanentIDs(for: [person])
                let known = try family.childs(person)
                try expectEqual(known.age, 1)
                person.age = 2
                try family.parent.save()
                return known
            }()
            id.name = "q"
            try family.child.save()
            try family.parent.save()
            try expectEqual(try family.stack.context().named("q", Person.self).age, 2)
            let own = Person("own", family.child, age: 1)
            try family.child.obtainPermanentIDs(for: [own])
            try family.child.save()
            try family.parents(own).age = 2
            try family.parent.save()
            own.name = "theirs"
            try family.child.save()
            try family.parent.save()
            try expectEqual(try family.stack.context().named("theirs", Person.self).age, 2)
        }
        ConformanceCase("A concurrent save after the child's read is a conflict of the parent's save", in: .nesting) { environment in
            let family = try Family(environment)
            let id = try {
                let person = Person("p", family.parent, age: 1)
                try family.parent.save()
                return person.objectID
            }()
            let person = try unwrap(family.child.existingObject(with: id) as? Person)
            let stranger = family.stack.context()
            try unwrap(stranger.existingObject(with: id) as? Person).name = "stranger"
            try stranger.save()
            person.age = 2
            try family.child.save()
            let conflicts = try expectConflict(family.parent)
            try expectEqual(conflicts.map(\.objectID), [id])
            family.parent.mergePolicy = .mergeByPropertyObjectTrump
            try family.parent.save()
            let found = try unwrap(family.stack.context().existingObject(with: id) as? Person)
            try expectEqual(found.name, "stranger")
            try expectEqual(found.age, 2)
        }
        ConformanceCase("An object that the parent deleted is a conflict of the child's save", in: .nesting) { environment in
            for isSaved in [false, true] {
                let family = try Family(environment, Models.company, "\(isSaved)")
                let person = Person("p", family.parent, age: 1)
                try family.parent.save()
                let other = try family.childs(person)
                other.name = "q"
                family.parent.delete(person)
                if isSaved { try family.parent.save() }
                if !isSaved {
                    let conflicts = try expectConflict(family.child)
                    try expectEqual(conflicts.map(\.objectID), [other.objectID])
                    family.child.mergePolicy = .mergeByPropertyObjectTrump
                }
                try family.child.save()
                if isSaved {
                    try expectConflict(family.parent)
                    family.parent.mergePolicy = .mergeByPropertyObjectTrump
                }
                try family.parent.save()
                try expectEqual(try family.saved(), ["q"])
                try expectEqual(try family.stack.context().named("q", Person.self).age, 1)
                try family.stack.close()
            }
        }
        ConformanceCase("A child's save that fails changes neither", in: .nesting) { environment in
            let family = try Family(environment, Models.witness)
            let (good, bad) = (Witness(context: family.child), Witness(context: family.child))
            bad.complaint = Witness.Complaint()
            try expectThrows(ValidationError.self) { try family.child.save() }
            try expect(family.child.hasChanges && !family.parent.hasChanges, "a save that failed changed something")
            try expect(good.isInserted && bad.isInserted, "the objects are not new any more")
            bad.complaint = nil
            try family.child.save()
            try expectEqual(try family.parent.count(for: ObjectFetchRequest<Witness>()), 2)
        }
    }
}
