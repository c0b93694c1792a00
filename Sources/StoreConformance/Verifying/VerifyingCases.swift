import Strata

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

    private static func reference(_ name: String, _ stack: ConformanceStack) throws -> Int64 {
        try stack.context().named(name, Person.self).objectID.reference
    }

    static let all: [ConformanceCase] = [
        ConformanceCase("A sound store has no problems", in: .verifying) { environment in
            let stack = try staff(environment)
            try expectEqual(try stack.coordinator.verify(stack.store()), [])
            let reopened = try stack.reopened()
            try expectEqual(try reopened.coordinator.verify(reopened.store()), [])
        },
        ConformanceCase("A sound store that is not open has no problems", in: .verifying, requires: .persistence) { environment in
            let stack = try staff(environment)
            let model = stack.container.model
            try stack.close()
            try expectEqual(try PersistentStoreCoordinator.verifyStore(environment.description(), model: model), [])
        },
        ConformanceCase("Verifying finds references to nothing, by object and key", in: .verifying) { environment in
            let stack = try staff(environment)
            let company = try unwrap(try stack.context().fetch(FetchRequest<Company>()).first).objectID
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
        },
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
        },
        ConformanceCase("Verifying refuses a store that was removed, or is not there", in: .verifying, requires: .file) { environment in
            let stack = try staff(environment)
            let store = try stack.store()
            try stack.close()
            try expectStoreError(.noStore) { _ = try stack.coordinator.verify(store) }
            let absent = environment.description("absent")
            try expectStoreError(.missing) {
                _ = try PersistentStoreCoordinator.verifyStore(absent, model: stack.container.model)
            }
        },
    ]
}
