import Foundation
import Strata
import StrataCrashWorker
import StrataTestRandom
import StrataTestSupport
import Synchronization
import Testing

@Suite("What another process saves to a store", .timeLimit(.minutes(60)))
struct RemoteChangesTests {
    private static let modes: [CrashMode] = [.sqlite, .lmdb, .xml, .binary]

    private final class Heard: Sendable {
        let events = Mutex<[SaveEvent]>([])
    }

    /// Somebody who knows of a store only what events say of it, and reads the values that they name.
    private final class Follower {
        typealias Known = [ObjectID: [String: String]]

        let container: PersistentContainer
        private let heard = Heard()
        private let subscription: SaveEventSubscription
        private(set) var known: Known = [:]
        private(set) var mistakes: [String] = []
        private(set) var remoteEvents = 0
        private var gone: Set<ObjectID> = []

        init(_ mode: CrashMode, _ directory: String) throws {
            var descriptions = SharedPeople.descriptions(mode, in: directory)
            for index in descriptions.indices { descriptions[index].options.postsRemoteChanges = true }
            container = try PersistentContainer(model: SharedPeople.model.get(), stores: descriptions)
            subscription = container.coordinator.observeSaves { [heard] event in heard.events.withLock { $0.append(event) } }
        }

        /// Applies what was told since the last time.
        func follow() throws {
            let events = heard.events.withLock { events in
                defer { events = [] }
                return events
            }
            for event in events {
                if event.isRemote { remoteEvents += 1 }
                for store in event.stores {
                    for id in store.inserted.map(\.id) {
                        if known[id] != nil || gone.contains(id) { mistakes.append("\(event.number) inserts \(id) again") }
                        known[id] = try values(id, ["name", "age", "friends"])
                    }
                    for update in store.updated {
                        if known[update.id] == nil { mistakes.append("\(event.number) updates \(update.id), of which nothing is known") }
                        known[update.id]?.merge(try values(update.id, update.changedProperties)) { $1 }
                    }
                    for id in store.deleted.map(\.id) {
                        if known.removeValue(forKey: id) == nil {
                            mistakes.append("\(event.number) deletes \(id), of which nothing is known")
                        }
                        gone.insert(id)
                        forget(id)
                    }
                }
            }
        }

        /// An object that is gone is nobody's friend any more: events need not say so.
        private func forget(_ gone: ObjectID) {
            for (id, values) in known {
                guard let friends = values["friends"] else { continue }
                let numbers = friends.dropFirst().dropLast().split(separator: ",").compactMap {
                    Int64($0.filter { $0 != " " })
                }
                known[id]?["friends"] = "\(numbers.filter { $0 != gone.reference })"
            }
        }

        private func values(_ id: ObjectID, _ keys: [String]) throws -> [String: String] {
            let context = container.newContext()
            return try withExtendedLifetime(context) {
                let person = try context.fetch(ObjectFetchRequest<SharedPerson>()).first { $0.objectID == id }
                return person.map { RemoteChangesTests.values($0, keys) } ?? [:]
            }
        }

        /// What is in the store.
        ///
        /// A store that is one file loads it first.
        func actual() throws -> Known {
            for store in container.coordinator.stores { try store.backend.refresh() }
            let context = container.newContext()
            return try withExtendedLifetime(context) {
                let people = try context.fetch(ObjectFetchRequest<SharedPerson>())
                return Dictionary(people.map { ($0.objectID, RemoteChangesTests.values($0, ["name", "age", "friends"])) }) { first, _ in
                    first
                }
            }
        }

        /// Waits until what is known is what is in the store.
        func expectToKnowAll(_ story: String) throws {
            let end = ContinuousClock.now + waitLimit
            try follow()
            while try known != actual() {
                guard ContinuousClock.now < end else {
                    let actual = try actual()
                    let wrong = Set(known.keys).union(actual.keys).filter { known[$0] != actual[$0] }
                    let some = wrong.prefix(3).map { "\($0): \(known[$0] ?? [:]) instead of \(actual[$0] ?? [:])" }
                    Issue.record("\(story): \(wrong.count) objects are not known as they are: \(some)")
                    return
                }
                usleep(2000)
                try follow()
            }
            #expect(mistakes.isEmpty, "\(story)")
            try HistoryReplay.verify(container.newContext())
        }
    }

    private static func values(_ person: SharedPerson, _ keys: [String]) -> [String: String] {
        var values: [String: String] = [:]
        for key in keys {
            switch key {
            case "name": values[key] = person[SharedPerson.name] ?? "nil"
            case "age": values[key] = person[SharedPerson.age].map { "\($0)" } ?? "nil"
            default: values[key] = "\(person[SharedPerson.friends].map(\.objectID.reference).sorted())"
            }
        }
        return values
    }

    @Test("is reported whole and once, among the saves of this one", arguments: modes)
    func interleaved(_ mode: CrashMode) throws {
        var random = SeededGenerator(seed: RunSeed.value)
        let directory = try TemporaryDirectory()
        let follower = try Follower(mode, directory.path)
        let story = "seed=\(RunSeed.value) \(mode)"
        for _ in 0..<5 { try SharedPeople.step("own", follower.container, &random) }
        let seed = Int.random(in: 0..<10000, using: &random)
        let worker = try Worker([mode.rawValue, directory.path, "\(seed)", "people", "60"])
        try worker.wait(for: "saved")
        for number in 0..<40 {
            try SharedPeople.step("own \(number)", follower.container, &random)
            if number % 7 == 0 { try follower.follow() }
        }
        try worker.wait(for: "done")
        try worker.waitForEnd()
        try follower.expectToKnowAll(story)
        #expect(follower.remoteEvents > 0, "\(story)")
        #expect(!follower.known.isEmpty, "\(story)")
    }

    @Test("is reported as far as it was committed when the process is killed", arguments: modes)
    func killed(_ mode: CrashMode) throws {
        var random = SeededGenerator(seed: RunSeed.value)
        let directory = try TemporaryDirectory()
        let follower = try Follower(mode, directory.path)
        for round in 1...4 {
            let story = "seed=\(RunSeed.value) \(mode) round=\(round)"
            let worker = try Worker([mode.rawValue, directory.path, "\(Int.random(in: 0..<10000, using: &random))", "people", "0"])
            try worker.wait(for: "saved", count: 3)
            usleep(UInt32.random(in: 0...20_000, using: &random))
            worker.kill()
            try follower.expectToKnowAll(story)
            // And what is saved here goes on being told once.
            try SharedPeople.step("own \(round)", follower.container, &random)
            try follower.expectToKnowAll(story)
        }
        // One round may leave nothing to tell: what was inserted was deleted before the process was killed.
        #expect(follower.remoteEvents > 0, "seed=\(RunSeed.value) \(mode)")
    }

    @Test("comes into a context that merges by itself", arguments: modes)
    func merged(_ mode: CrashMode) async throws {
        let directory = try TemporaryDirectory()
        let follower = try Follower(mode, directory.path)
        let background = follower.container.newBackgroundContext()
        try await background.perform { context in
            context.automaticallyMergesChangesFromParent = true
            context.retainsRegisteredObjects = true
        }
        let worker = try Worker([mode.rawValue, directory.path, "3", "people", "30"])
        try worker.wait(for: "saved")
        // Objects that are held, with values that were read.
        for store in follower.container.coordinator.stores { try store.backend.refresh() }
        let held = try await background.perform { context in
            try context.fetch(ObjectFetchRequest<SharedPerson>()).map {
                ($0.objectID, RemoteChangesTests.values($0, ["name", "age", "friends"]))
            }
        }
        #expect(!held.isEmpty)
        try worker.wait(for: "done")
        let end = ContinuousClock.now + waitLimit
        let expected = try follower.actual()
        while true {
            let now = try await background.perform { context in
                try Dictionary(
                    context.fetch(ObjectFetchRequest<SharedPerson>()).map {
                        ($0.objectID, RemoteChangesTests.values($0, ["name", "age", "friends"]))
                    }
                ) { first, _ in first }
            }
            if now == expected { break }
            try #require(ContinuousClock.now < end, "\(mode): \(now) instead of \(expected)")
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}
