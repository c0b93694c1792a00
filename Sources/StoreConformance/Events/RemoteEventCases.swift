import Strata
import StrataStore

/// Notifications of saves by other coordinators.
enum RemoteEventCases {
    /// Two coordinators with one store; the first reports what the second saves.
    private struct Pair {
        let here: ConformanceStack
        let there: ConformanceStack
        /// The notifications here.
        let heard: Heard
        /// The notifications of the other's saves without a request.
        let said: Heard

        init(
            _ environment: ConformanceEnvironment, _ model: ModelResult = Models.company, isReadOnly: Bool = false,
            history: HistoryPolicy? = nil
        ) throws {
            there = try environment.stack(model.get()) { $0.options.history = history }
            here = try environment.stack(model.get()) { description in
                description.options.postsRemoteChanges = true
                description.isReadOnly = isReadOnly
            }
            heard = Heard(here.coordinator)
            said = Heard(there.coordinator)
        }

        /// Waits until all that the other reported of its last save was reported here, and nothing else.
        ///
        /// - Parameter exactly: Whether no other object and property may be reported, as the other end of a change.
        func expectTheSame(_ what: String, exactly: Bool = false) async throws {
            let said = try said.only()
            let expected = Told([said])
            try await eventually("\(what): \(said)", { "told: \(Told(heard.events.flatMap(\.stores)))" }) {
                Told(heard.events.flatMap(\.stores)).covers(expected)
            }
            let told = heard.takeAll()
            try expect(told.allSatisfy(\.isRemote), "\(what) is told as a save of this coordinator")
            let all = Told(told.flatMap(\.stores))
            try expectEqual(all.inserted, expected.inserted, what)
            try expectEqual(all.deleted, expected.deleted, what)
            if exactly { try expectEqual(all.updated, expected.updated, what) }
            try expectEqual(told.flatMap(\.stores).flatMap(\.inserted).count, expected.inserted.count, "\(what): told twice")
            for (storeID, changes) in told.flatMap(\.stores).map({ ($0.storeID, $0) }) {
                try expectEqual(storeID, said.storeID)
                for (id, tombstone) in changes.tombstones { try expectEqual(tombstone, said.tombstones[id], what) }
            }
        }
    }

    /// The changes of all events.
    private struct Told {
        var inserted: Set<ObjectID> = []
        var deleted: Set<ObjectID> = []
        var updated: [ObjectID: Set<String>] = [:]

        init(_ stores: [SaveEvent.StoreChanges]) {
            for store in stores {
                inserted.formUnion(store.inserted.map(\.id))
                deleted.formUnion(store.deleted.map(\.id))
                for update in store.updated { updated[update.id, default: []].formUnion(update.changedProperties) }
            }
        }

        /// Returns whether all changes of others are reported, perhaps with their other ends.
        func covers(_ other: Told) -> Bool {
            inserted.isSuperset(of: other.inserted) && deleted.isSuperset(of: other.deleted)
                && other.updated.allSatisfy { updated[$0]?.isSuperset(of: $1) == true }
        }
    }

    /// Makes changes of every kind there, and compares what is reported here.
    private static func saveEverything(_ pair: Pair) async throws {
        let context = pair.there.context()
        let people = ["a", "b", "c"].map { Person($0, context, age: 1) }
        let (company, skill) = (Company(context: context), Skill(context: context))
        try context.save()
        try await pair.expectTheSame("an insertion")
        people[0].age = 2
        people[0].name = nil
        people[1].boss = people[0]
        try context.save()
        try await pair.expectTheSame("values and a reference")
        people[0].friends = [people[1]]
        people[2].skills = [skill]
        try context.save()
        try await pair.expectTheSame("links")
        people[0].friends = [people[2]]
        people[2].skills = []
        try context.save()
        try await pair.expectTheSame("other links")
        company.departments = [Department(context: context), Department(context: context)]
        try context.save()
        try await pair.expectTheSame("an order")
        company.departments = company.departments.reversed()
        try context.save()
        try await pair.expectTheSame("another order")
        context.delete(people[0])
        context.delete(company)
        try context.save()
        try await pair.expectTheSame("deletions")
        try context.execute(BatchUpdateRequest(entityName: "Person", set: ["salary": 3.0]))
        try await pair.expectTheSame("a batch update")
        try context.execute(BatchInsertRequest(entityName: "Person", objects: [["name": "d"], ["name": "e"]]))
        try await pair.expectTheSame("a batch insert")
        try context.execute(BatchDeleteRequest(entityName: "Skill"))
        try await pair.expectTheSame("a batch delete")
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase(
            "Each commit of others changes a store's revision, whether or not the one before it was loaded", in: .events,
            requires: .persistence
        ) { environment in
            // A file that was replaced again before it was loaded had the number of the one that was known already, and
            // was never read.
            let (here, there) = try (environment.stack(Models.company.get()), environment.stack(Models.company.get()))
            guard let store = try here.store() as? any SharedStore else { return }
            let context = there.context()
            for number in 0..<6 {
                let known = try store.revisionOfOthers()
                _ = Person("\(number)", context)
                try context.save()
                try await eventually("commit \(number)", { "revision \(known as Any)" }) {
                    guard let revision = try store.revisionOfOthers() else { return false }
                    return revision != known
                }
                if number == 3 { try store.refresh() }
            }
        }
        ConformanceCase("What another coordinator saves is told as it tells it", in: .events, requires: .persistence) { environment in
            try await saveEverything(Pair(environment))
        }
        ConformanceCase(
            "What another coordinator saves is told from the history, with its token", in: .history, requires: [.persistence, .history]
        ) { environment in
            let pair = try Pair(environment, history: .unlimited)
            try await saveEverything(pair)
            let context = pair.there.context()
            _ = Person("last", context)
            try context.save()
            let token = try pair.there.coordinator.history.currentToken()
            try await eventually("the token \(token)", { "\(pair.heard.events)" }) {
                pair.heard.events.flatMap(\.stores).contains { $0.historyToken == token }
            }
        }
        ConformanceCase(
            "Values of every kind are told where they changed, and only there", in: .events, requires: .persistence
        ) { environment in
            let pair = try Pair(environment, Guild.model)
            let context = pair.there.context()
            try Guild.fill(context)
            try context.save()
            try await pair.expectTheSame("everything")
            var generator = SeededGenerator(seed: 5)
            for round in 0..<12 {
                let members = try context.all("Member", sort: [QuerySort("number")])
                let (one, other) = (members[generator.below(members.count)], members[generator.below(members.count)])
                for attribute in one.entity.attributes
                where other.entity.attribute(named: attribute.name) != nil && attribute.name != "number" && generator.chance(40) {
                    try one.setValue(other.value(forKey: attribute.name), forKey: attribute.name)
                }
                try one.setValue(round, forKey: "number")
                try context.save()
                try await pair.expectTheSame("round \(round)", exactly: true)
            }
        }
        ConformanceCase("What others' saves change in derived values is told", in: .events, requires: .persistence) { environment in
            let pair = try Pair(environment, Models.derived)
            let context = pair.there.context()
            let library = try context.add("Library", "l")
            try context.save()
            try await pair.expectTheSame("the library")
            let book = try context.add("Book", "b")
            try book.setValue(library, forKey: "library")
            try book.setValue(10, forKey: "pages")
            try context.save()
            try await pair.expectTheSame("a book")
            try book.setValue(20, forKey: "pages")
            try context.save()
            try await pair.expectTheSame("its pages")
            context.delete(book)
            try context.save()
            try await pair.expectTheSame("its end")
        }
        ConformanceCase("What others delete leaves what its model preserves", in: .events, requires: .persistence) { environment in
            let pair = try Pair(environment, Models.devices)
            let context = pair.there.context()
            let phone = try context.device("Phone", "p1")
            try context.save()
            try await pair.expectTheSame("a phone")
            try phone.setValue("12", forKey: "number")
            try context.save()
            try await pair.expectTheSame("a number")
            let id = phone.objectID
            context.delete(phone)
            try context.save()
            try await eventually("the deletion", { "\(pair.heard.events)" }) { !pair.heard.events.isEmpty }
            try expectEqual(try pair.heard.only().tombstones, pair.said.only().tombstones)
            try expect(id.isTemporary == false, "the object was never saved")
        }
        ConformanceCase("Nothing of others is told where nobody asked for it", in: .events, requires: .persistence) { environment in
            let pair = try Pair(environment)
            let silent = try environment.stack(Models.company)
            let heard = Heard(silent.coordinator)
            let context = pair.there.context()
            _ = Person("a", context)
            try context.save()
            try await pair.expectTheSame("a person")
            try expectEqual(heard.events.count, 0)
        }
        ConformanceCase("Saves of one's own are told once, whatever others do", in: .events, requires: .persistence) { environment in
            let pair = try Pair(environment)
            let context = pair.here.context()
            let people = (0..<5).map { Person("\($0)", context) }
            try context.save()
            people[0].friends = [people[1], people[2]]
            people[3].age = 3
            try context.save()
            context.delete(people[1])
            try context.save()
            try context.execute(BatchUpdateRequest(entityName: "Person", set: ["age": 9]))
            try context.execute(BatchInsertRequest(entityName: "Person", objects: [["name": "x"]]))
            try context.execute(BatchDeleteRequest(entityName: "Person", key("name") == "x"))
            // A notification of another save shows that everything before it was read.
            try pair.there.store().refresh()
            let other = pair.there.context()
            let last = Skill(context: other)
            try other.save()
            try await eventually("the other's save", { "\(pair.heard.events)" }) { pair.heard.events.contains { $0.isRemote } }
            let events = pair.heard.events
            try expectEqual(events.map(\.isRemote), Array(repeating: false, count: 6) + [true])
            try expectEqual(events.map(\.number), Array(1...7))
            let told = events[6].stores[0]
            try expectEqual(told.inserted.map(\.id), [last.objectID])
            try expect(told.updated.isEmpty && told.deleted.isEmpty, "told again: \(told)")
        }
        ConformanceCase("A store for reading only tells what others write", in: .events, requires: .persistence) { environment in
            let pair = try Pair(environment, isReadOnly: true)
            let context = pair.there.context()
            let anna = Person("Anna", context)
            try context.save()
            try await pair.expectTheSame("a person")
            anna.age = 1
            try context.save()
            try await pair.expectTheSame("an age")
        }
        ConformanceCase(
            "What others save comes into contexts that merge by themselves", in: .events, requires: .persistence
        ) { environment in
            let pair = try Pair(environment)
            let (context, other) = (pair.here.context(), pair.there.context())
            let theirs = Person("p", other, age: 1)
            try other.save()
            try pair.here.store().refresh()
            let mine = try context.named("p", Person.self)
            context.automaticallyMergesChangesFromParent = true
            try expectEqual(mine.age, 1)
            theirs.age = 2
            theirs.friends = [Person("friend", other)]
            try other.save()
            // A context without a queue merges when it fetches.
            try await eventually("the age", { "\(mine.age as Any)" }) {
                _ = try context.count(for: ObjectFetchRequest<Skill>())
                return mine.age == 2
            }
            try expectEqual(mine.friends.map(\.name), ["friend"])
            other.delete(theirs)
            try other.save()
            try await eventually("the deletion", { "\(mine)" }) {
                _ = try context.count(for: ObjectFetchRequest<Skill>())
                return mine.isDeleted
            }
        }
    }
}

/// Waits until a condition holds.
///
/// - Throws: ``ConformanceFailure`` where it does not within ten minutes; what the condition throws.
func eventually(
    _ what: @autoclosure () -> String, _ instead: () -> String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    _ condition: () throws -> Bool
) async throws {
    let end = ContinuousClock.now + ConformanceEnvironment.waitLimit
    while try !condition() {
        guard ContinuousClock.now < end else {
            throw ConformanceFailure("\(what()) never came, but \(instead())", fileID: fileID, filePath: filePath, line: line)
        }
        try await Task.sleep(for: .milliseconds(2))
    }
}
