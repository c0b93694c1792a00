import Strata

/// Two contexts that change the same objects.
enum VersionConflictCases {
    /// One person `p` in a store, and two contexts that have seen it.
    private static func two(
        _ environment: ConformanceEnvironment
    ) throws -> (stack: ConformanceStack, mine: (ManagedObjectContext, Person), theirs: (ManagedObjectContext, Person)) {
        let stack = try environment.stack(Models.company)
        let context = stack.context()
        _ = Person("p", context, age: 1)
        let company = Company(context: context)
        company.name = "A"
        try context.save()
        let (mine, theirs) = (stack.context(), stack.context())
        let (a, b) = (try mine.named("p", Person.self), try theirs.named("p", Person.self))
        _ = (a.age, b.age)
        return (stack, (mine, a), (theirs, b))
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        // A policy that depends on which object is resolved first gave one outcome on one store, and another on the
        // next.
        ConformanceCase("Conflicts come in the same order on every store", in: .conflicts) { environment in
            let stack = try environment.stack(Models.zoo)
            let context = stack.context()
            let added = [("Parade", "p"), ("Dog", "d"), ("Keeper", "k"), ("Cat", "c"), ("Keeper", "l"), ("Bird", "b")]
            let mine = try added.map { entity, name in try context.add(entity, name) }
            try context.save()
            let theirs = stack.context()
            for (entity, name) in added { try theirs.one(entity, name).setValue("theirs", forKey: "name") }
            try theirs.save()
            for (index, object) in mine.enumerated() {
                if index % 2 == 0 { context.delete(object) } else { try object.setValue("mine", forKey: "name") }
            }
            let ids = try expectConflict(context).map(\.objectID)
            let expected = ids.sorted { ($0.entity.root, $0.reference) < ($1.entity.root, $1.reference) }
            try expectEqual(ids.count, added.count)
            try expectEqual(ids, expected)
        }
        ConformanceCase("A change of what someone else changed is a conflict, 133020", in: .conflicts) { environment in
            let (stack, mine, theirs) = try two(environment)
            theirs.1.age = 2
            try theirs.0.save()
            mine.1.age = 3
            let conflicts = try expectConflict(mine.0)
            try expectEqual(conflicts.map(\.objectID), [mine.1.objectID])
            guard case .changed(let row) = conflicts[0].reason else { throw ConformanceFailure("\(conflicts[0].reason)") }
            try expectEqual(row.version, 2)
            try expectEqual(row.reference, mine.1.objectID.reference)
            try expectEqual(mine.1.age, 3)
            try expectEqual(try stack.context().named("p", Person.self).age, 2)
        }
        ConformanceCase("A conflict is over when the object was refreshed", in: .conflicts) { environment in
            let (stack, mine, theirs) = try two(environment)
            theirs.1.age = 2
            try theirs.0.save()
            mine.1.name = "mine"
            try expectConflict(mine.0)
            mine.0.refresh(mine.1, mergeChanges: true)
            try mine.0.save()
            let person = try stack.reopened().context().named("mine", Person.self)
            try expectEqual(person.age, 2)
        }
        ConformanceCase("A change of what someone else deleted is a conflict", in: .conflicts) { environment in
            let (stack, mine, theirs) = try two(environment)
            theirs.0.delete(theirs.1)
            try theirs.0.save()
            mine.1.age = 3
            let conflicts = try expectConflict(mine.0)
            guard case .deleted = conflicts[0].reason else { throw ConformanceFailure("\(conflicts[0].reason)") }
            try expectEqual(try stack.context().count(for: ObjectFetchRequest<Person>()), 0)
        }
        ConformanceCase("Deleting what someone else changed is a conflict", in: .conflicts) { environment in
            let (stack, mine, theirs) = try two(environment)
            theirs.1.age = 2
            try theirs.0.save()
            mine.0.delete(mine.1)
            let conflicts = try expectConflict(mine.0)
            guard case .changed = conflicts[0].reason else { throw ConformanceFailure("\(conflicts[0].reason)") }
            try expectEqual(try stack.context().named("p", Person.self).age, 2)
        }
        ConformanceCase("A conflict over one object keeps all others from being saved", in: .conflicts) { environment in
            let (stack, mine, theirs) = try two(environment)
            theirs.1.age = 2
            try theirs.0.save()
            mine.1.age = 3
            _ = Person("new", mine.0)
            try mine.0.named("A", Company.self).name = "B"
            try expectConflict(mine.0)
            let other = stack.context()
            try expectEqual(try other.names(of: Person.self), ["p"])
            try expectEqual(try other.names(of: Company.self), ["A"])
            try expectEqual(try stack.reopened().context().names(of: Person.self), ["p"])
        }
        ConformanceCase("Changes of different objects are no conflict", in: .conflicts) { environment in
            let (stack, mine, theirs) = try two(environment)
            try theirs.0.named("A", Company.self).name = "B"
            try theirs.0.save()
            mine.1.age = 3
            try mine.0.save()
            let other = stack.context()
            try expectEqual(try other.named("p", Person.self).age, 3)
            try expectEqual(try other.names(of: Company.self), ["B"])
        }
        ConformanceCase("Each save of an object makes its next version", in: .conflicts) { environment in
            let (stack, mine, theirs) = try two(environment)
            for age in 2...5 {
                mine.1.age = Int16(age)
                try mine.0.save()
            }
            theirs.1.age = 9
            let conflicts = try expectConflict(theirs.0)
            guard case .changed(let row) = conflicts[0].reason else { throw ConformanceFailure("\(conflicts[0].reason)") }
            try expectEqual(row.version, 5)
            let context = stack.context()
            try context.named("p", Person.self).age = 6
            try expectEqual(try context.saveChangesRequest().parts.first?.changes.updated.map(\.expectedVersion), [5])
        }
        ConformanceCase("Versions are kept", in: .conflicts, requires: .persistence) { environment in
            let (stack, mine, _) = try two(environment)
            for age in 2...4 {
                mine.1.age = Int16(age)
                try mine.0.save()
            }
            let again = try stack.reopened()
            let context = again.context()
            try context.named("p", Person.self).age = 6
            try expectEqual(try context.saveChangesRequest().parts.first?.changes.updated.map(\.expectedVersion), [4])
            try context.save()
        }
        // A format without versions counted from 1 in each opening: what others saved in between was overwritten.
        ConformanceCase(
            "An object that was read before its store was added again conflicts with what others saved, and with nothing else",
            in: .conflicts, requires: .persistence
        ) { environment in
            for (index, (saves, others)) in [(1, 0), (3, 0), (1, 1), (3, 2)].enumerated() {
                let stack = try environment.stack(Models.company, "store\(index)")
                let context = stack.context()
                let person = Person("p", context, age: 1)
                for age in 1...saves {
                    person.age = Int16(age)
                    try context.save()
                }
                let mine = stack.context()
                let read = try mine.named("p", Person.self)
                try expectEqual(read.age, Int16(saves))
                try stack.coordinator.remove(try stack.store())
                for age in 0..<others {
                    let other = try environment.stack(Models.company, "store\(index)")
                    let context = other.context()
                    try context.named("p", Person.self).age = Int16(50 + age)
                    try context.save()
                    try other.close()
                }
                try stack.coordinator.addStore(environment.description("store\(index)"))
                read.age = 90
                if others == 0 { try mine.save() } else { try expectConflict(mine) }
                try expectEqual(try stack.context().named("p", Person.self).age, others == 0 ? 90 : Int16(49 + others))
            }
        }
        ConformanceCase("Moving a member that someone else moved is a conflict", in: .conflicts) { environment in
            let (stack, mine, theirs) = try two(environment)
            theirs.1.company = try theirs.0.named("A", Company.self)
            try theirs.0.save()
            let company = Company(context: mine.0)
            company.name = "B"
            mine.1.company = company
            try expectConflict(mine.0)
            try expectEqual(try stack.context().named("p", Person.self).company?.name, "A")
            try expectEqual(try stack.context().names(of: Company.self), ["A"])
        }
        ConformanceCase("Two contexts may add links to the same objects", in: .conflicts) { environment in
            let (stack, mine, theirs) = try two(environment)
            for (index, side) in [mine, theirs].enumerated() {
                let skill = Skill(context: side.0)
                skill.name = "s\(index)"
                side.1.add(skill, to: Person.skills)
                try side.0.save()
            }
            try expectEqual(try names(stack.reopened().context().named("p", Person.self).skills), ["s0", "s1"])
        }
        ConformanceCase("A context that read before sees its own values until it refreshes", in: .conflicts) { environment in
            let (_, mine, theirs) = try two(environment)
            theirs.1.age = 2
            try theirs.0.save()
            try expectEqual(mine.1.age, 1)
            try expectEqual(try mine.0.fetch(ObjectFetchRequest<Person>(Person.age == 2)).map(\.age), [1])
            mine.0.refresh(mine.1, mergeChanges: false)
            try expectEqual(mine.1.age, 2)
        }
    }
}
