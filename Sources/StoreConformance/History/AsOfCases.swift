import FoundationEssentials
import Strata
import StrataStore
import StrataTestModels

/// Contexts that read the past of a store by its history.
enum AsOfCases {
    private static let nodes = [
        "name BEGINSWITH 'n'", "name == 'n1'", "parent.name == 'n1'", "ANY likes.name == 'n2'", "children.@count > 0",
        "SUBQUERY(tags, $t, $t.name != 'l1').@count > 0", "bookmark == nil", "ANY children.children.name != nil",
    ]

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A context reads rows, links and orders as they were at a token", in: .history, requires: .history) { environment in
            guard let stack = try environment.valuesStack(Models.shapes) else { return }
            var moments = Moments(of: ["Node", "Leaf"], conditions: nodes)
            try moments.note(stack)
            let context = stack.context()
            let nodes = try (1...4).map { try context.add("Node", "n\($0)") }
            let leaves = try (1...4).map { try context.add("Leaf", "l\($0)") }
            func change(_ body: () throws -> Void) throws {
                try body()
                try context.save()
                try moments.note(stack)
            }
            try change {
                try nodes[0].setValue(Array(nodes[1...3]), forKey: "children")
                try nodes[0].setValue(Set(nodes[1...2]), forKey: "likes")
                try nodes[0].setValue(Array(nodes[1...2]), forKey: "ranked")
                try nodes[0].setValue(leaves, forKey: "shelf")
                try nodes[1].setValue(leaves, forKey: "playlist")
                try nodes[1].setValue(Set(leaves), forKey: "tags")
                try nodes[2].setValue(leaves[0], forKey: "bookmark")
                try nodes[2].setValue(leaves[1], forKey: "partner")
                try nodes[3].setValue(Set(nodes[0...1]), forKey: "peers")
                try nodes[3].setValue(leaves, forKey: "queue")
            }
            try change { try nodes[1].setValue("n5", forKey: "name") }
            try change {
                try nodes[0].setValue([nodes[3], nodes[1]], forKey: "children")
                try nodes[0].setValue(Array(leaves.reversed()), forKey: "shelf")
                try nodes[1].setValue([leaves[2], leaves[0]], forKey: "playlist")
                try nodes[2].setValue(nil, forKey: "bookmark")
            }
            try change {
                try nodes[0].setValue(Set<ManagedObject>(), forKey: "likes")
                try nodes[1].setValue(Set([leaves[3]]), forKey: "tags")
                try nodes[2].setValue(leaves[3], forKey: "partner")
                try nodes[3].setValue([leaves[1]], forKey: "queue")
            }
            try change {
                context.delete(leaves[0])
                try context.clearReferencesWithoutInverse(to: leaves[0])
            }
            try change {
                let new = try context.add("Leaf", "l9")
                try nodes[1].setValue([new] + nodes[1].ordered("playlist"), forKey: "playlist")
                try nodes[1].setValue(Set([new]), forKey: "tags")
                context.delete(nodes[0])
            }
            try change { for object in try context.all("Node") + context.all("Leaf") { context.delete(object) } }
            try moments.verify(stack)
            try moments.verify(try stack.reopened())
        }
        ConformanceCase("A context reads objects of a hierarchy as they were at a token", in: .history, requires: .history) { environment in
            guard let stack = try environment.valuesStack(Models.zoo) else { return }
            var moments = Moments(
                of: ["Animal", "Mammal", "Keeper", "Parade", "Cage"],
                conditions: ["legs == 4", "keeper.name == 'k'", "ANY doctors.name == 'k'", "ANY shows.name == 'p'"])
            let context = stack.context()
            let (animals, keeper) = try context.addKeeper()
            let (parade, cage) = (try context.add("Parade", "p"), try context.add("Cage", "c"))
            try parade.setValue(animals, forKey: "animals")
            try parade.setValue(Array(animals[1...3]), forKey: "stars")
            try cage.setValue(animals[0], forKey: "mammal")
            try context.save()
            try moments.note(stack)
            try animals[0].setValue(3, forKey: "legs")
            try animals[2].setValue(1.5, forKey: "wingspan")
            try keeper.setValue(animals[4], forKey: "favourite")
            try parade.setValue(Array(animals.reversed()), forKey: "animals")
            try context.save()
            try moments.note(stack)
            try cage.setValue(animals[1], forKey: "mammal")
            try parade.setValue([animals[3], animals[0]], forKey: "stars")
            context.delete(animals[4])
            try keeper.setValue(nil, forKey: "favourite")
            try context.save()
            try moments.note(stack)
            try keeper.setValue(Set([animals[1], animals[3]]), forKey: "fears")
            context.delete(animals[2])
            try context.save()
            try moments.verify(stack)
        }
        ConformanceCase("Derived values are read as they were at a token", in: .history, requires: .history) { environment in
            guard let stack = try environment.valuesStack(Models.derived) else { return }
            var moments = Moments(of: ["Library", "City", "Book", "Reader"], conditions: ["bookCount > 1", "ANY readers.age > 5"])
            let context = stack.context()
            let libraries = try (0..<2).map { try context.add("Library", "library \($0)") }
            let (city, reader) = (try context.add("City", "city"), try context.add("Reader", "reader", ["age": 9]))
            let books = try (0..<4).map {
                try context.add($0 % 2 == 0 ? "Book" : "Atlas", "book \($0)", ["pages": 10 * $0, "library": libraries[0]])
            }
            try libraries[0].setValue(city, forKey: "city")
            try reader.setValue(Set(libraries), forKey: "libraries")
            func change(_ body: () throws -> Void) throws {
                try body()
                try context.save()
                try moments.note(stack)
            }
            try change {}
            try change { try books[1].setValue(libraries[1], forKey: "library") }
            try change { try libraries[1].setValue("named", forKey: "name") }
            try change { try context.execute(BatchUpdateRequest(entityName: "Book", set: ["weight": 2.5])) }
            try change { try reader.setValue(Set([libraries[1]]), forKey: "libraries") }
            try change { context.delete(books[0]) }
            try change { try context.execute(BatchDeleteRequest(entityName: "Atlas")) }
            try change { context.delete(libraries[0]) }
            try moments.verify(stack)
        }
        ConformanceCase("Objects of batch requests are as they were at a token", in: .history, requires: .history) { environment in
            guard let stack = try environment.valuesStack(Models.users) else { return }
            var moments = Moments(of: ["User"], conditions: ["age < 10"])
            _ = try stack.fiveUsers()
            try moments.note(stack)
            let context = stack.context()
            try context.execute(BatchUpdateRequest(entityName: "User", key("age") < 10, set: ["name": "X", "age": 70]))
            try moments.note(stack)
            try context.execute(BatchDeleteRequest(entityName: "User", key("name") == "X"))
            try moments.note(stack)
            try context.execute(BatchDeleteRequest(entityName: "User"))
            try moments.verify(stack)
        }
        ConformanceCase("Several stores are as they were at one token", in: .federation, requires: .history) { environment in
            var descriptions = environment.members.enumerated()
                .map { environment.description("store \($0)", of: $1, configuration: "notes") }
            for index in descriptions.indices { descriptions[index].options.history = HistoryPolicy(keepsValues: true) }
            let stack = try environment.stack(try Models.library.get(), stores: descriptions)
            if try stack.coordinator.stores.indices.contains(where: { try stack.store($0).holdSnapshot() == nil }) { return }
            var moments = Moments(of: ["Note"], conditions: ["n > 3", "next.n > 3", "x == nil"])
            let context = try stack.deal(9)
            try moments.note(stack)
            let notes = try context.all("Note", sort: [QuerySort("n")])
            for (index, note) in notes.enumerated() { try note.setValue(100 - index, forKey: "n") }
            let count = stack.coordinator.stores.count
            try notes[0].setValue(notes[count], forKey: "next")
            try context.save()
            try moments.note(stack)
            for note in notes[...3] { context.delete(note) }
            try context.save()
            try moments.note(stack)
            try notes[5].setValue("changed", forKey: "name")
            try context.save()
            try moments.verify(stack)
            // A store that the token lacks is as before its history.
            let last = try unwrap(moments.all.last?.token.numbers.min { $0.key < $1.key })
            let past = stack.context()
            try past.setQueryGeneration(asOf: HistoryToken([last.key: last.value]))
            try expectEqual(Set(try past.all("Note").map { $0.objectID.storeID }), [last.key])
        }
        ConformanceCase("Tokens that the history does not reach with values are typed errors", in: .history, requires: .history) {
            environment in
            var stack = try environment.historyStack(Models.company)
            if try stack.store().holdSnapshot() == nil { return }
            try stack.savePeople(1)
            let without = try stack.coordinator.history.currentToken()
            try stack.savePeople(1)
            // A context reads what it did before.
            let context = stack.context()
            func expectRefusal(_ code: StoreError.Code, _ token: HistoryToken, line: Int = #line) throws {
                let count = try context.count(for: ObjectFetchRequest<Person>())
                let generation = context.queryGenerationToken
                _ = try expectStoreError(code, line: line) { try context.setQueryGeneration(asOf: token) }
                try expectEqual(try context.count(for: ObjectFetchRequest<Person>()), count, line: line)
                try expectEqual(context.queryGenerationToken, generation, line: line)
            }
            try expectRefusal(.historyTokenExpired, without)
            let storeID = try stack.store().id
            try expectRefusal(.noStore, HistoryToken(["another": 1]))
            try context.setQueryGeneration(asOf: try stack.coordinator.history.currentToken())
            try expectEqual(try context.all("Person").count, 2)
            guard environment.harness.isPersistent else { return }
            try stack.close()
            stack = try environment.historyStack(Models.company, HistoryPolicy(keepsValues: true))
            // The option stays with the store.
            for policy in [nil, HistoryPolicy.unlimited] {
                try stack.close()
                stack = try environment.stack(try Models.company.get()) { $0.options.history = policy }
                let (other, person) = try stack.savePeople(1)[0]
                let token = try stack.coordinator.history.currentToken()
                person.name = "changed"
                try other.save()
                let past = stack.context()
                try past.setQueryGeneration(asOf: token)
                try expectEqual(try unwrap(past.existingObject(with: person.objectID) as? Person).name, "P0")
                person.name = "again"
                try other.save()
            }
            let all = try stack.coordinator.history.transactions(HistoryRequest())
            let reader = stack.context()
            func expectError(_ code: StoreError.Code, _ token: HistoryToken, line: Int = #line) throws {
                _ = try expectStoreError(code, line: line) { try reader.setQueryGeneration(asOf: token) }
            }
            try expectError(.historyTokenExpired, without)
            var later = all[all.count - 1].token
            later.advance(to: HistoryToken([storeID: all[all.count - 1].number + 1000]))
            try expectError(.historyTokenExpired, later)
            try stack.coordinator.history.deleteTransactions(before: .token(all[all.count - 2].token))
            try expectError(.historyTokenExpired, all[all.count - 4].token)
            try reader.setQueryGeneration(asOf: all[all.count - 2].token)
            try expectStoreError(.unsupported) { try stack.child(of: reader).setQueryGeneration(asOf: all[all.count - 1].token) }
            try stack.close()
            // Turned off again.
            stack = try environment.historyStack(Models.company, HistoryPolicy(keepsValues: false))
            let token = try stack.coordinator.history.currentToken()
            try stack.savePeople(1)
            try expectStoreError(.historyTokenExpired) { try stack.context().setQueryGeneration(asOf: token) }
        }
        ConformanceCase("What a context of the past changes conflicts with what was saved since", in: .history, requires: .history) {
            environment in
            guard let stack = try environment.valuesStack(Models.company) else { return }
            let writer = stack.context()
            let (anna, ben) = (Person("Anna", writer, age: 1), Person("Ben", writer, age: 1))
            try writer.save()
            let token = try stack.coordinator.history.currentToken()
            anna.age = 2
            try writer.save()
            let past = stack.context()
            try past.setQueryGeneration(asOf: token)
            // Others that have its generation read the same.
            let other = stack.context()
            try other.setQueryGenerationFrom(past.queryGenerationToken)
            let (old, same) = (try past.named("Anna", Person.self), try past.named("Ben", Person.self))
            try expectEqual(old.age, 1)
            old.salary = 5
            try expectEqual(try expectConflict(past).map(\.objectID), [anna.objectID])
            past.mergePolicy = .mergeByPropertyObjectTrump
            same.age = 7
            try past.save()
            let saved = stack.context()
            try expectEqual(try saved.named("Anna", Person.self).age, 2)
            try expectEqual(try saved.named("Anna", Person.self).salary, 5)
            try expectEqual(try saved.named("Ben", Person.self).age, 7)
            try expectEqual(try other.named("Anna", Person.self).age, 1)
            // The save has brought the context to the present.
            try expectEqual(try past.count(for: ObjectFetchRequest<Person>(Person.age == 1)), 0)
            _ = ben
        }
        ConformanceCase("A converted store is read as it was before", in: .conversion, requires: .history) { environment in
            guard let stack = try environment.valuesStack(Models.shapes) else { return }
            var moments = Moments(of: ["Node", "Leaf"], conditions: nodes)
            let context = stack.context()
            let (node, leaf) = (try context.add("Node", "n1"), try context.add("Leaf", "l1"))
            try node.setValue([leaf], forKey: "playlist")
            try context.save()
            try moments.note(stack)
            context.delete(leaf)
            try node.setValue("n2", forKey: "name")
            try context.save()
            try moments.note(stack)
            let keptOrderKeys = try stack.store().capabilities.keepsOrderKeys
            _ = try stack.coordinator.migrateStore(try stack.store(), to: environment.description("converted", of: environment.partner))
            if try stack.store().holdSnapshot() == nil { return }
            // An XML file has other order keys than the transactions before.
            let losesOrders = try keptOrderKeys && !stack.store().capabilities.keepsOrderKeys
            if losesOrders {
                let error = try expectStoreError(.historyTokenExpired) {
                    try stack.context().setQueryGeneration(asOf: moments.all[0].token)
                }
                try expectEqual(error.message, "the store was converted since, and has other order keys")
            }
            try moments.verify(stack, since: losesOrders ? 1 : 0)
            let now = stack.context()
            try now.one("Node", "n2").setValue("n3", forKey: "name")
            try now.save()
            try moments.verify(stack, since: losesOrders ? 1 : 0)
        }
        ConformanceCase("A migration expires tokens for reads of the past", in: .migration, requires: [.history, .persistence]) {
            environment in
            func model(_ attributes: KeyValuePairs<String, AttributeType>) throws -> ManagedObjectModel {
                try ManagedObjectModel { Entity("Book") { Attributes(attributes) } }
            }
            var stack = try environment.historyStack(model(["name": .string]), HistoryPolicy(keepsValues: true))
            if try stack.store().holdSnapshot() == nil { return }
            let context = stack.context()
            let book = try context.add("Book", "b")
            try context.save()
            let token = try stack.coordinator.history.currentToken()
            try book.setValue("c", forKey: "name")
            try context.save()
            let last = try stack.coordinator.history.currentToken()
            try stack.close()
            stack = try environment.stack(model(["name": .string, "pages": .integer64]))
            for token in [token, last] {
                try expectStoreError(.historyTokenExpired) { try stack.context().setQueryGeneration(asOf: token) }
            }
            let after = try stack.coordinator.history.currentToken()
            let now = stack.context()
            try now.one("Book", "c").setValue(3, forKey: "pages")
            try now.save()
            let past = stack.context()
            try past.setQueryGeneration(asOf: after)
            try expectEqual(try past.one("Book", "c").value(forKey: "pages") as? Int64, nil)
        }
        ConformanceCase(
            "Random saves of two contexts: the past is read as it was at each token", in: .history, requires: .history
        ) { environment in
            for seed in 0..<UInt64(Effort.count(2, soak: 20)) {
                guard let stack = try environment.valuesStack(Models.shapes, "store\(seed)") else { return }
                var generator = SeededGenerator(seed: seed)
                var moments = Moments(of: ["Node", "Leaf"], conditions: nodes)
                try stack.saveAtRandom(rounds: Effort.count(24, soak: 150), &generator) { generator in
                    if generator.chance(50) { try moments.note(stack) }
                }
                try moments.verify(stack)
            }
        }
    }
}
