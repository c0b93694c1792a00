import Strata
import StrataInMemory
import StrataLMDB
import StrataSQLite

/// Counts the reference counting and the allocations of what is done to objects most, under the preloaded library that counts them.
///
///     StrataCountWorker <in-memory|sqlite|lmdb> <directory>
///
/// Prints a line for each step: its name, how many objects it is about, then retains, releases, allocations, frees and bytes.
@main struct CountWorker {
    static func main() throws {
        guard let counter = Counter() else { return print("not counted") }
        let (store, directory) = (CommandLine.arguments[1], CommandLine.arguments[2])
        // Once before anything is counted: what a process does once, as it makes types where they are used first, is no object's.
        for (round, count) in [20, 2_000].enumerated() {
            let description =
                switch store {
                case "sqlite": StoreDescription(.sqlite, path: "\(directory)/\(round).sqlite")
                case "lmdb": StoreDescription(.lmdb, path: "\(directory)/\(round).lmdb")
                default: StoreDescription(.inMemory)
                }
            let work = try CountedWork(description, counter, count)
            try work.run { if round == 1 { print(([$0, "\($1)"] + $2.map(String.init)).joined(separator: "\t")) } }
        }
        print("end")
    }
}

/// Objects in a store, and what is done to them.
struct CountedWork {
    private static let singleSaves = 20

    private let container: PersistentContainer
    private let counter: Counter
    private let count: Int

    init(_ store: StoreDescription, _ counter: Counter, _ count: Int) throws {
        container = try PersistentContainer(model: CountModel.make(), stores: [store])
        self.counter = counter
        self.count = count
    }

    /// Does all steps, each over what the one before left.
    func run(_ report: (_ step: String, _ objects: Int, _ counts: [UInt64]) -> Void) throws {
        try insert(report)
        let context = ManagedObjectContext(container.coordinator)
        var items: [CountedItem] = []
        report("fetch", count, try counter.counts { items = try context.fetch(ObjectFetchRequest<CountedItem>()) })
        var sum: Int64 = 0
        report("touch", count, counter.counts { for item in items { sum &+= item.touch() } })
        report("set", count, counter.counts { for item in items { item[CountedItem.bucket] = 11 } })
        let owners = try context.fetch(ObjectFetchRequest<CountedOwner>())
        report(
            "relate", count,
            counter.counts { for (index, item) in items.enumerated() { item[CountedItem.owner] = owners[index % owners.count] } })
        report("save changes", count, try counter.counts { try context.save() })
        try walk(report)
        report(
            "single save", Self.singleSaves,
            try counter.counts {
                for item in items.prefix(Self.singleSaves) {
                    item[CountedItem.rank] = 12
                    try context.save()
                }
            })
        withExtendedLifetime(sum) {}
    }

    private func insert(_ report: (_ step: String, _ objects: Int, _ counts: [UInt64]) -> Void) throws {
        let context = ManagedObjectContext(container.coordinator)
        for _ in 0..<max(1, count / 20) { _ = CountedOwner(context: context) }
        try context.save()
        let numbers = 0..<Int64(count)
        report("insert", count, counter.counts { for number in numbers { CountedItem(context: context).fill(number) } })
        report("save inserted", count, try counter.counts { try context.save() })
    }

    private func walk(_ report: (_ step: String, _ objects: Int, _ counts: [UInt64]) -> Void) throws {
        let context = ManagedObjectContext(container.coordinator)
        let owners = try context.fetch(ObjectFetchRequest<CountedOwner>())
        var sum: Int64 = 0
        report(
            "walk", count,
            counter.counts { for owner in owners { for item in owner[CountedOwner.items] { sum &+= item[CountedItem.rank] ?? 0 } } })
        withExtendedLifetime(sum) {}
    }
}
