import FoundationEssentials
import Strata
import StrataModel
import StrataStore

/// Keys and values that do not fit: a typed error, and the object stays as it was.
enum ValueErrorCases {
    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("An unknown key is an error with its name and the entity's", in: .errors) { environment in
            let context = try environment.stack(Models.company).context()
            let person = Person("p", context)
            for attempt in [
                { _ = try person.value(forKey: "nothing") }, { try person.setValue(1, forKey: "nothing") },
                { _ = try person.objectIDs(forRelationshipNamed: "nothing") },
            ] {
                let error = try expectStoreError(.unknownKey) { try attempt() }
                try expectEqual(error.key, "nothing")
                try expectEqual(error.entity, "Person")
            }
            try expectStoreError(.unknownKey) { try person.objectIDs(forRelationshipNamed: "name") }
            try expectStoreError(.unknownKey) { try person.value(forKey: "") }
            try context.save()
        }
        ConformanceCase("An unknown or abstract entity cannot be inserted", in: .errors) { environment in
            let context = try environment.stack(Models.zoo).context()
            try expectEqual(try expectStoreError(.unknownEntity) { try context.insert("Nobody") }.entity, "Nobody")
            try expectEqual(try expectStoreError(.unknownEntity) { try context.insert("Animal") }.entity, "Animal")
            try expect(!context.hasChanges, "something was inserted")
        }
        ConformanceCase("A value of the wrong type is refused, and the old one stays", in: .errors) { environment in
            let stack = try environment.stack(Models.items)
            let context = stack.context()
            let item = Item(context: context)
            item[Item.i16] = 1
            item[Item.text] = "old"
            item[Item.flag] = true
            let wrong: [(String, any Sendable)] = [
                ("i16", "1"), ("i16", 32_768), ("i16", -32_769), ("i16", 1.5), ("i32", Int64(1) << 40), ("i64", UInt64.max),
                ("i64", Date()),
                ("double", "1.0"), ("decimal", "1"), ("text", 1), ("text", Data()), ("flag", "true"), ("flag", 2), ("date", 0),
                ("date", "2001-01-01"),
                ("data", "text"), ("uuid", "no UUID"), ("tags", 5), ("url", 1),
            ]
            for (key, value) in wrong {
                let error = try expectStoreError(.wrongValue) { try item.setValue(value, forKey: key) }
                try expectEqual(error.key, key)
                try expectEqual(error.entity, "Item")
            }
            try expectEqual(item[Item.i16], 1)
            try expectEqual(item[Item.text], "old")
            try expectEqual(item[Item.flag], true)
            try context.save()
            try expectEqual(try stack.context().fetch(ObjectFetchRequest<Item>()).map { $0[Item.text] }, ["old"])
        }
        ConformanceCase("Neither infinity is a decimal number, nor anything that is no number", in: .errors) { environment in
            // Minus infinity was stored as zero.
            let stack = try environment.stack(Models.items)
            let context = stack.context()
            let item = Item(context: context)
            item[Item.decimal] = 1
            for number in [-Double.infinity, .infinity, .nan, 1e300] {
                try expectStoreError(.wrongValue) { try item.setValue(number, forKey: "decimal") }
                try expectStoreError(.wrongValue) { try item.setValue(Float(number), forKey: "decimal") }
            }
            try context.save()
            for number in [-Double.infinity, .infinity, 1e300] {
                try expectStoreError(.wrongValue) {
                    try context.execute(BatchUpdateRequest(entityName: "Item", set: ["decimal": .double(number)] as [String: Value]))
                }
                try expectStoreError(.wrongValue) {
                    try context.execute(BatchInsertRequest(entityName: "Item", objects: [["decimal": .double(number)]]))
                }
            }
            try expectEqual(try stack.context().fetch(ObjectFetchRequest<Item>()).map { $0[Item.decimal] }, [1])
        }
        ConformanceCase("A date that no calendar has is refused like any other where something else is kept", in: .errors) { environment in
            // The error names the value, and the text of such a date is a trap.
            let context = try environment.stack(Models.items).context()
            let item = Item(context: context)
            for seconds in [Double.nan, .infinity, 1e300, -1e300] {
                let date = Date(timeIntervalSinceReferenceDate: seconds)
                for value in [date, [date], ["day": date]] as [any Sendable] {
                    try expectStoreError(.wrongValue) { try item.setValue(value, forKey: "i64") }
                    try expectStoreError(.wrongValue) { try item.setValue(value, forKey: "text") }
                }
                try item.setValue(date, forKey: "date")
                try expect(!item.changedValues().isEmpty, "the date is not there")
                let request = ObjectFetchRequest<Item>(Item.date.expression == .date(date))
                let printed = try request.predicate.map { try QueryPredicate(format: $0.description) }
                try expect(printed == request.predicate, "printed otherwise")
                try expectThrows(QueryError.self) { try context.fetch(ObjectFetchRequest<Item>(Item.i64.expression == .date(date))) }
            }
        }
        ConformanceCase("A destination of another entity or context is refused", in: .errors) { environment in
            let stack = try environment.stack(Models.company)
            let (context, other) = (stack.context(), stack.context())
            let person = Person("p", context)
            let company = Company(context: context)
            person.company = company
            let foreign = Company(context: other)
            for wrong in [Person("q", context), foreign, "text", 5] as [Any] {
                let error = try expectStoreError(.wrongValue) { try person.setValue(wrong, forKey: "company") }
                try expectEqual(error.key, "company")
            }
            try expectStoreError(.wrongValue) { try person.setValue([company], forKey: "friends") }
            try expectStoreError(.wrongValue) { try person.setValue(company, forKey: "friends") }
            try expectStoreError(.wrongValue) { try company.setValue([person], forKey: "departments") }
            try expect(person.company === company && person.friends.isEmpty && company.departments.isEmpty, "something changed")
            try context.save()
            try expectEqual(try stack.context().named("p", Person.self).company?.objectID, company.objectID)
        }
        ConformanceCase("A deleted object that was saved holds what it is given, and harms nobody", in: .errors) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let person = Person("p", context)
            try context.save()
            context.delete(person)
            try context.save()
            try expect(person.managedObjectContext == nil, "it is still in the context")
            try expectEqual(person.name, nil)
            person.name = "ghost"
            try expectEqual(person.name, "ghost")
            try person.setValue(40, forKey: "age")
            try expectEqual(try person.value(forKey: "age") as? Int, 40)
            try expectEqual(person.friends, [])
            let friend = Person("friend", context)
            person.friends = [friend]
            try expectEqual(person.friends, [friend])
            try expectEqual(friend.friends, [])
            context.rollback()
            try expect(friend.managedObjectContext == nil, "an object that was rolled back is in the context")
            friend.name = "gone"
            friend.company = nil
            try expectEqual(friend.name, "gone")
            try expect(!context.hasChanges, "a ghost changed the context")
            context.delete(person)
            try context.save()
            try expectEqual(try stack.context().names(of: Person.self), [])
        }
        ConformanceCase("What is related to an object that no context saves is refused, and a save says so", in: .errors) { environment in
            // Such an assignment ended the process, or was stored as a reference to nothing.
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let (person, company) = (Person("p", context), Company(context: context))
            company.name = "A"
            person.company = company
            let ghost = Company(context: context)
            try context.save()
            context.delete(ghost)
            try context.save()
            try expectStoreError(.wrongValue) { try person.setValue(ghost, forKey: "company") }
            try context.save()
            person.company = ghost
            try expect(person.company === company, "the assignment was taken")
            for _ in 0..<2 {
                let error = try expectStoreError(.wrongValue) { try context.save() }
                try expectEqual([error.entity, error.key], ["Person", "company"])
            }
            person.company = company
            try context.save()
            try expectEqual(try stack.context().named("p", Person.self).company?.name, "A")
        }
        ConformanceCase("A saved object cannot be assigned to a store, nor a new one to an unknown store", in: .errors) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let person = Person("p", context)
            let other = try environment.stack(Models.company, "other")
            try expectStoreError(.noStore) { try context.assign(person, to: other.store()) }
            try context.save()
            try expectStoreError(.unsupported) { try context.assign(person, to: stack.store()) }
        }
        // One store called it a full disk, which passes.
        ConformanceCase("A store whose references are used up says that there are too many, for good", in: .errors) { environment in
            let stack = try environment.stack(Models.company)
            let root = try unwrap(stack.container.model.entity(named: "Person")).root
            let transaction = try stack.store().beginWrite()
            defer { transaction.rollback() }
            _ = try transaction.reserveReferences(.max - 1024, root: root)
            let error = try expectStoreError(.tooLarge) { try transaction.reserveReferences(.max, root: root) }
            try expectEqual(error.recovery, .permanent)
        }
        ConformanceCase("A save without a store for the entity is an error with its name", in: .errors) { environment in
            let model = try ManagedObjectModel {
                Entity("A") { Attribute("name", .string) }
                Entity("B") { Attribute("name", .string) }
                EntityConfiguration("onlyA", "A")
            }
            let stack = try environment.stack(model) { $0.configuration = "onlyA" }
            let context = stack.context()
            try context.add("A", "a")
            let b = try context.add("B", "b")
            let error = try expectStoreError(.noStore) { try context.save() }
            try expectEqual(error.entity, "B")
            try expectEqual(try stack.context().all("A").count, 0)
            try expectStoreError(.noStore) { try stack.context().all("B") }
            context.delete(b)
            try context.save()
            try expectEqual(try stack.reopened().context().all("A").count, 1)
        }
    }
}
