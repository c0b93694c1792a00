import Strata
import StrataCoordinator
import StrataPlatform
import StrataStore
import StrataTestRandom

/// One of several processes that change a store at random, each until it is killed.
///
/// It writes `will <tag> <policy> <words>` before each save and batch request, with the words of ``WalkSave``, and then `did <tag>`,
/// `fail <tag> <why>` or, where nobody can know, `unknown <tag>`; `error <why>` where something could not be read, and `wrong <what>` where
/// something was read that must not be. Told `quiet` it writes `quiet` and waits, told `compare` it writes `same` once a context that merges
/// what others save has what the store has, and told `go` it goes on.
final class Walker {
    private let name: String
    private let description: StoreDescription
    private var random: SeededGenerator
    private var container: PersistentContainer
    private var home: ManagedObjectContext
    private var follower: BackgroundContext
    private var number = 0

    init(_ name: String, _ description: StoreDescription, seed: UInt64) throws {
        (self.name, self.description, random) = (name, description, SeededGenerator(seed: seed))
        container = try PersistentContainer(model: WalkModel.model.get(), stores: [description])
        home = container.newContext()
        follower = Walker.follower(container)
    }

    static func say(_ line: String) {
        let bytes = Array((line.replacing("\n", with: " ") + "\n").utf8)
        _ = write(1, bytes, bytes.count)
    }

    private static func follower(_ container: PersistentContainer) -> BackgroundContext {
        let follower = container.newBackgroundContext()
        follower.performAndWait { context in
            context.automaticallyMergesChangesFromParent = true
            context.retainsRegisteredObjects = true
        }
        return follower
    }

    func run() {
        Walker.say("ready")
        while true {
            hear()
            do {
                try step()
            } catch {
                Walker.say("error \(Walker.kind(of: error)) \(error)")
                if let error = error as? StoreError { recover(error) }
            }
        }
    }

    // MARK: - Being told

    private func hear() {
        var ready = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, 0) > 0 else { return }
        while true {
            switch line() {
            case "quiet": Walker.say("quiet")
            case "compare": compare()
            default: return
            }
        }
    }

    /// A line, read by its bytes: what is behind it stays where it is waited for.
    private func line() -> String {
        var (bytes, byte) = ([UInt8](), UInt8(0))
        while true {
            let count = read(0, &byte, 1)
            if count == -1, errno == EINTR { continue }
            // Nobody is there any more.
            if count < 1 { exit(0) }
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
    }

    private func compare() {
        var differences: [String] = []
        for _ in 0..<3_000 {
            do {
                let actual = try WalkDump(container.newContext(), marks: false)
                differences = try follower.performAndWait { try WalkDump($0, marks: false) }.differences(actual)
                if differences.isEmpty { return Walker.say("same") }
            } catch { differences = ["\(error)"] }
            usleep(10_000)
        }
        Walker.say("wrong follower \(differences.prefix(5))")
    }

    private func recover(_ error: StoreError) {
        home.rollback()
        usleep(20_000)
        guard error.recovery == .reopen || error.code == .inDoubt else { return }
        for _ in 0..<400 {
            if let container = try? PersistentContainer(model: WalkModel.model.get(), stores: [description]) {
                self.container = container
                home = container.newContext()
                follower = Walker.follower(container)
                return
            }
            usleep(50_000)
        }
    }

    // MARK: - Steps

    private func step() throws {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<50: try save(.error)
        case ..<60: try save(WalkPolicies.sum)
        case ..<75: try save(random.pick(WalkPolicies.trumping))
        case ..<85: try batch()
        case ..<90: try giveUp()
        case ..<95: try look()
        default: try add()
        }
    }

    private func nextTag() -> String {
        number += 1
        return "\(name).\(number)"
    }

    private func context() throws -> ManagedObjectContext {
        let dice = Int.random(in: 0..<10, using: &random)
        if dice < 4 { return home }
        let context = container.newContext()
        if dice < 6 { try context.setQueryGenerationFrom(.current) }
        return context
    }

    private func changes(_ tag: String, _ context: ManagedObjectContext, _ policy: MergePolicy) throws -> WalkSave {
        var save = try WalkSave(tag, context)
        for _ in 0...Int.random(in: 0..<4, using: &random) {
            let dice = Int.random(in: 0..<10, using: &random)
            switch (policy.name, dice) {
            case ("sum", _): try save.hit(&random)
            case ("overwrite", _): try save.note(&random, isOverwriting: true)
            case ("error", ..<3): try save.touchOne(&random)
            case ("error", ..<5): try save.transfer(&random)
            case (_, ..<4): try save.note(&random, isOverwriting: false)
            case (_, ..<6): try save.insert(&random)
            case (_, ..<9): try save.relate(&random)
            default: try save.delete(&random, isCertain: policy.name == "error")
            }
        }
        return save
    }

    private func save(_ policy: MergePolicy) throws {
        let (tag, context) = (nextTag(), try context())
        let isNested = Int.random(in: 0..<6, using: &random) == 0
        let child = isNested ? ManagedObjectContext(parent: context) : context
        context.mergePolicy = policy
        defer { if context.hasChanges { context.rollback() } }
        var save = try changes(tag, child, policy)
        do {
            if isNested { try child.save() }
            try context.processPendingChanges()
            // Both insert an object again that was deleted meanwhile.
            if ["mergeByPropertyObjectTrump", "overwrite"].contains(policy.name) { save.sayWhatMayReturn() }
        } catch {
            if let error = error as? StoreError { recover(error) }
            return Walker.say("unsaid \(tag) \(Walker.kind(of: error)) \(error)")
        }
        tell(tag, policy.name, save.words) {
            do {
                try context.save()
            } catch let error as SaveConflictError where !isNested && policy.name == "error" && save.isRepeatable {
                for conflict in error.conflicts {
                    if let object = context.registeredObject(for: conflict.objectID) { context.refresh(object, mergeChanges: true) }
                }
                save.touchAgain()
                try context.save()
            }
        }
        if context === home, Int.random(in: 0..<10, using: &random) == 0 { home.refreshAllObjects() }
    }

    private func batch() throws {
        let (tag, context) = (nextTag(), container.newContext())
        guard let batch = try WalkBatch(tag, context, &random) else { return }
        tell(tag, "batch", batch.words) { try batch.run(context) }
    }

    /// Says what is done, does it, and says what came of it.
    private func tell(_ tag: String, _ policy: String, _ words: [String], _ body: () throws -> Void) {
        Walker.say(["will", tag, policy].joined(separator: " ") + words.map { " " + $0 }.joined())
        do {
            try body()
            Walker.say("did \(tag)")
        } catch {
            let kind = Walker.kind(of: error)
            Walker.say("\(kind == "inDoubt" ? "unknown" : "fail") \(tag) \(kind) \(error)")
            if let error = error as? StoreError { recover(error) }
        }
    }

    private static func kind(of error: any Error) -> String {
        switch error {
        case is SaveConflictError: "conflict"
        case is ValidationError: "invalid"
        case let error as StoreError: "\(error.code)"
        default: "other"
        }
    }

    /// Changes something, and takes it back.
    private func giveUp() throws {
        _ = try changes(nextTag(), home, .error)
        home.rollback()
        if home.hasChanges { Walker.say("wrong rollback leaves changes") }
    }

    /// Looks at one state of the store, while others go on.
    private func look() throws {
        let context = container.newContext()
        try context.setQueryGenerationFrom(.current)
        let dump = try WalkDump(context, marks: false)
        for problem in dump.problems { Walker.say("wrong state \(problem)") }
        let way = random.pick(WalkDump.Way.allCases)
        context.reset()
        try context.setQueryGenerationFrom(.current)
        for problem in try WalkDump(context, way, marks: false).problems { Walker.say("wrong state, \(way): \(problem)") }
    }

    /// Adds up what accounts have, and has the follower read everything.
    private func add() throws {
        let request = ObjectFetchRequest<ManagedObject>(entityName: "Account").grouped(
            by: [], computing: [.sum("balance", as: "sum"), .count()])
        let sums = try container.newContext().fetchDictionaries(request)
        if sums.count != 1 || sums[0]["sum"] != .int(Int64(WalkModel.total)) || sums[0]["count"] != .int(Int64(WalkModel.accounts)) {
            Walker.say("wrong sum \(sums)")
        }
        _ = try follower.performAndWait { try WalkDump($0, marks: false) }
    }
}
