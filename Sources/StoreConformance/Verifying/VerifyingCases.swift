import Strata
import StrataModel
import StrataStore
import StrataTestModels

/// Looking through a store for what is wrong with it.
enum VerifyingCases {
    private static func staff(_ environment: ConformanceEnvironment) throws -> ConformanceStack {
        let stack = try environment.stack(Models.company)
        let context = stack.context()
        let company = Company(context: context)
        for name in ["a", "b", "c"] {
            let department = Department(context: context)
            department.name = name
            company.departments.append(department)
        }
        let people = (0..<40).map { Person("p\($0)", context, age: Int16($0), company: company) }
        let skill = Skill(context: context)
        for (index, person) in people.enumerated() {
            person.boss = people[index / 2]
            person.friends = [people[(index + 1) % 40], people[(index + 7) % 40]]
            if index % 3 == 0 { person.skills = [skill] }
        }
        try context.save()
        return stack
    }

    /// Has the store itself take changes that a coordinator would not let pass.
    private static func force(_ stack: ConformanceStack, _ changes: ChangeSet) throws {
        let transaction = try stack.store().beginWrite()
        try expect(try transaction.apply(changes).isEmpty, "the changes conflict")
        try transaction.prepare()
        try transaction.commit()
    }

    /// Changes the reference in an object's row to another object.
    private static func lead(_ object: ManagedObject, to other: ManagedObject, by key: String, _ stack: ConformanceStack) throws {
        let relationship = try unwrap(object.entity.relationship(named: key))
        guard case .toOne(let slot, _, _) = relationship.storage else { throw ConformanceFailure("\(key) is in no slot") }
        let id = object.objectID
        let row = try unwrap(try stack.store().row(root: object.entity.root, reference: id.reference))
        var writer = RowWriter()
        let changed = writer.copy(
            writer.copy(row, version: row.version + 1), reference: id.reference, replacing: [(slot, other.objectID.reference)])
        var changes = ChangeSet()
        changes.updated = [RowUpdate(row: changed, changedSlots: [slot])]
        try force(stack, changes)
    }

    private static let notes = ModelResult.declared {
        Entity("Note") {
            Attribute("text", .string).required
            Attribute("size", .integer16)
            Relationship("list", to: "List", inverse: "notes")
        }
        Entity("List") {
            Attribute("name", .string)
            Relationship("notes", to: "Note", inverse: "list", .ordered)
        }
    }

    /// Changes a slot of an object's row.
    private static func alter(
        _ object: ManagedObject, _ slot: Slot, _ stack: ConformanceStack, _ change: (inout RowWriter) -> Void
    ) throws {
        let row = try unwrap(try stack.store().row(root: object.entity.root, reference: object.objectID.reference))
        var writer = RowWriter()
        writer.begin(copying: writer.copy(row, version: row.version + 1))
        change(&writer)
        var changes = ChangeSet()
        changes.updated = [RowUpdate(row: writer.finish(), changedSlots: [slot])]
        try force(stack, changes)
    }

    private static func reference(_ name: String, _ stack: ConformanceStack) throws -> Int64 {
        try stack.context().named(name, Person.self).objectID.reference
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A sound store has no problems", in: .verifying) { environment in
            let stack = try staff(environment)
            try expectEqual(try stack.coordinator.verify(stack.store()), [])
            let reopened = try stack.reopened()
            try expectEqual(try reopened.coordinator.verify(reopened.store()), [])
        }
        ConformanceCase("A sound store that is not open has no problems", in: .verifying, requires: .persistence) { environment in
            let stack = try staff(environment)
            let model = stack.container.model
            try stack.close()
            try expectEqual(try PersistentStoreCoordinator.verifyStore(environment.description(), model: model), [])
        }
        ConformanceCase("Verifying finds references to nothing, by object and key", in: .verifying) { environment in
            let stack = try staff(environment)
            let company = try unwrap(try stack.context().fetch(ObjectFetchRequest<Company>()).first).objectID
            var changes = ChangeSet()
            changes.deleted = [RowDeletion(entity: company.scope.entity.index, reference: company.reference, expectedVersion: 1)]
            try force(stack, changes)
            let problems = try stack.coordinator.verify(stack.store())
            try expectEqual(problems.count, 43)
            try expectEqual(Set(problems.map(\.kind)), [.reference])
            try expectEqual(
                Set(problems.compactMap { [$0.entity, $0.key].compactMap { $0 } }), [["Person", "company"], ["Department", "company"]])
            try expectEqual(Set(problems.map(\.description)).count, 43)
            try expectEqual(try stack.coordinator.verify(stack.store(), limit: 5).count, 5)
        }
        ConformanceCase("Verifying finds links to nothing, by object and key", in: .verifying) { environment in
            let stack = try staff(environment)
            let model = stack.container.model
            let person = try unwrap(model.entity(named: "Person"))
            let table = try unwrap(model.linkTables.first { $0.first.entity == person.index && $0.second.entity != person.index })
            let own = try reference("p3", stack)
            var changes = ChangeSet()
            changes.links = [LinkChange(table: table.index, kind: .put, link: Link(first: own, second: 4711))]
            try force(stack, changes)
            let problems = try stack.coordinator.verify(stack.store())
            try expectEqual(problems.count, 1)
            try expectEqual(problems[0].kind, .link)
            try expectEqual(problems[0].reference, own)
            try expectEqual(problems[0].key, "skills")
        }
        ConformanceCase("Verifying finds one end of a relationship that is its own inverse without the other", in: .verifying) {
            environment in
            let stack = try staff(environment)
            let person = try unwrap(stack.container.model.entity(named: "Person"))
            let table = try unwrap(stack.container.model.linkTables.first { $0.first.entity == person.index && $0.isReflexive })
            let (one, other) = (try reference("p3", stack), try reference("p20", stack))
            var changes = ChangeSet()
            changes.links = [LinkChange(table: table.index, kind: .put, link: Link(first: one, second: other))]
            try force(stack, changes)
            let problems = try stack.coordinator.verify(stack.store())
            try expectEqual(problems.map(\.kind), [.link])
            try expectEqual(problems.map(\.reference), [one])
            try expectEqual(problems.map(\.key), ["friends"])
        }
        // Nothing compared them: a changed byte of one passed in a store without checksums.
        ConformanceCase("Verifying finds derived values that are not the derived ones", in: .verifying) { environment in
            let stack = try environment.stack(Models.derived)
            let context = stack.context()
            let library = try context.add("Library", "a")
            for (name, weight) in [("b", 0.1), ("c", 0.2), ("d", 0.3)] {
                let book = try context.add("Book", name)
                try book.setValue(weight, forKey: "weight")
                try book.setValue(library, forKey: "library")
            }
            try context.save()
            try expectEqual(try stack.coordinator.verify(stack.store()), [])
            let reference = library.objectID.reference
            let row = try unwrap(try stack.store().row(root: library.entity.root, reference: reference))
            let attribute = try unwrap(library.entity.attribute(named: "bookCount"))
            let slot = try unwrap(attribute.slot)
            var writer = RowWriter()
            writer.begin(copying: writer.copy(row, version: row.version + 1))
            writer.set(.int(99), at: slot, attribute.slotKind)
            var changes = ChangeSet()
            changes.updated = [RowUpdate(row: writer.finish(), changedSlots: [slot])]
            try force(stack, changes)
            try expectEqual(
                try stack.coordinator.verify(stack.store()).map(\.description),
                ["value Library/p\(reference).bookCount: the value is not the derived one"])
        }
        ConformanceCase("Verifying finds values out of range, and members without an order key", in: .verifying) {
            environment in
            let stack = try environment.stack(notes)
            let context = stack.context()
            let list = try context.insert("List")
            let objects = try (0..<4).map { number in
                let note = try context.insert("Note")
                try note.setValue("note \(number)", forKey: "text")
                return note
            }
            try list.setValue(objects, forKey: "notes")
            try context.save()
            try expectEqual(try stack.coordinator.verify(stack.store()), [])
            guard case .toOne(_, _, let order?) = try unwrap(objects[0].entity.relationship(named: "list")).storage else {
                throw ConformanceFailure("the members have no order keys")
            }
            let size = try unwrap(objects[0].entity.attribute(named: "size")?.slot)
            try alter(objects[2], order, stack) { $0.clear(order) }
            try alter(objects[3], size, stack) { $0.set(integer: 70_000, at: size) }
            try expectEqual(
                // A format that knows the types of values has a damaged file, too.
                Set(try stack.coordinator.verify(stack.store()).filter { $0.kind != .file }.map(\.description)),
                [
                    "reference Note/p\(objects[2].objectID.reference).list: the member has no order key",
                    "value Note/p\(objects[3].objectID.reference).size: 70000 is no integer16",
                ])
        }
        ConformanceCase("Verifying finds references to objects of another entity", in: .verifying) { environment in
            let (stack, context, owner) = try ReferenceCases.owner(environment)
            let (member, tag) = (try context.add("Member", "m"), try context.add("Tag", "t"))
            try member.setValue(owner, forKey: "nullifying")
            try context.save()
            try lead(member, to: tag, by: "nullifying", stack)
            // A format that stores the entity of each reference has a damaged file, too.
            let problems = try stack.coordinator.verify(stack.store()).filter { $0.kind != .file }
            try expectEqual(problems.map(\.kind), [.reference])
            try expectEqual(problems.map(\.reference), [member.objectID.reference])
            try expectEqual(problems.map(\.key), ["nullifying"])
        }
        ConformanceCase("Verifying finds pairs that are not mutual, at both ends", in: .verifying) { environment in
            let stack = try PairConflictCases.six(environment)
            let context = stack.context()
            let (a, y) = (try context.one("Node", "a"), try context.one("Leaf", "y"))
            try lead(a, to: y, by: "partner", stack)
            // A format that stores both ends of a pair has a damaged file, too.
            let problems = try stack.coordinator.verify(stack.store()).filter { $0.kind != .file }
            let x = try context.one("Leaf", "x")
            try expectEqual(Set(problems.map(\.kind)), [.reference])
            try expectEqual(
                Set(problems.map { [$0.entity ?? "", "\($0.reference ?? 0)", $0.key ?? ""] }),
                [["Node", "\(a.objectID.reference)", "partner"], ["Leaf", "\(x.objectID.reference)", "partner"]])
        }
        ConformanceCase("Verifying refuses a store that was removed, or is not there", in: .verifying, requires: .file) { environment in
            let stack = try staff(environment)
            let store = try stack.store()
            try stack.close()
            try expectStoreError(.noStore) { _ = try stack.coordinator.verify(store) }
            let absent = environment.description("absent")
            try expectStoreError(.missing) {
                _ = try PersistentStoreCoordinator.verifyStore(absent, model: stack.container.model)
            }
        }
    }
}
