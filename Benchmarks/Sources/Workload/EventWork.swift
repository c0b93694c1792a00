/// What a participant does with events, in this order.
///
/// Which of them it offers is its own choice.
public enum EventStep: String, Sendable, Codable, CaseIterable {
    /// Insert all in one transaction or save, the index present.
    case insert
    /// Fetch all, touch every field, keep the objects.
    case fetchAll = "fetch all"
    /// Fetch all and keep them without touching a field.
    case fetchUntouched = "fetch untouched"
    /// Fetch 100 ranges of the indexed number, 1 % each, every field touched.
    case ranges = "100 ranges"
    /// Fetch by key, one after the other, in random order, every field touched.
    case byID = "by key"
    /// Count all events, several times.
    case count
    /// Count and sum of `rank` for each bucket, several times.
    case grouping = "group"
    /// Do what `update` does, but read the events before the first is changed.
    case readUpdate = "read, update"
    /// Change the time of 10 % random events in one transaction.
    case update
    /// Do what `delete` does, but read the events before the first is deleted.
    case readDelete = "read, delete"
    /// Delete 10 % random events in one transaction.
    case delete
    /// Insert 1,000 more, each in a transaction of its own that is on the disk before the next begins.
    case singles = "1,000 saves"
    /// Fetch all again in a new process.
    case verify
    /// Change the time of 10 % other random events by one batch request.
    case batchUpdate = "batch update"
    /// Delete 10 % other random events by one batch request.
    case batchDelete = "batch delete"
    /// Four writers at once, each with 1,000 saves of one more.
    case fourWriters = "4 writers"
    /// As many again from sixteen.
    case sixteenWriters = "16 writers"
    /// Show the first page of the events by their indexed number, from the start of a process on.
    case startToPage = "start to page"
    /// Fetch the 20 events with the least indexed numbers, several times.
    case page = "first page"
    /// Fetch the 20 latest events; there is no index.
    case sortedPage = "page, no index"
    /// Count the events of a bucket after a time, for several buckets; there is no index.
    case countWhere = "count where"
    /// Fetch the first events, by title, whose detail contains a text, whatever its case.
    case sortedSearch = "search, sorted"
    /// Fetch pages in several threads while another one saves.
    case pagesBesideWriter = "beside a writer"
    /// The time that 99 % of those pages take at most.
    case slowestPages = "p99 beside it"
    /// Write all to one file.
    case save
    /// Load that file, touch every field.
    case load

    /// What the step does, in a line for the readers of a report.
    public var explanation: String {
        switch self {
        case .insert: "insert all in one transaction, the index present"
        case .fetchAll: "fetch all, touch every field, keep the objects"
        case .fetchUntouched: "fetch all and keep them without touching a field"
        case .ranges: "fetch 100 ranges of the indexed number, 1 % each"
        case .byID: "fetch by key, one after the other, in random order"
        case .count: "count all, \(repetitions) times"
        case .grouping: "count and sum for each of the groups, \(repetitions) times"
        case .readUpdate: "the same as update, but the events are read first, as an object graph does"
        case .update: "change one field of 10 %, in one transaction"
        case .readDelete: "the same as delete, but the events are read first, as an object graph does"
        case .delete: "delete 10 %, in one transaction"
        case .singles: "insert 1,000 more, each in a transaction of its own that is on the disk before the next begins"
        case .verify: "fetch all again in a new process"
        case .batchUpdate: "change one field of 10 %, by one statement"
        case .batchDelete: "delete 10 %, by one statement"
        case .fourWriters: "insert 1,000 more from each of 4 writers at once, each in a durable transaction of its own"
        case .sixteenWriters: "the same from each of 16"
        case .startToPage: "start a process, open the store, and fetch the first 20 by the indexed number"
        case .page: "fetch the first 20 by the indexed number, \(repetitions) times"
        case .sortedPage: "fetch the latest 20, without an index, \(repetitions) times"
        case .countWhere: "count those of a group after a time, without an index, for \(EventWork.countedBuckets) groups"
        case .sortedSearch: "fetch the first \(EventWork.foundCount) by title that contain a text, whatever its case, \(repetitions) times"
        case .pagesBesideWriter:
            "fetch \(EventWork.pageCount) pages of 20 by the indexed number from each of \(EventWork.readers) threads, while another one saves changes one by one"
        case .slowestPages: "what one of these pages takes, at most, in 99 % of the cases"
        case .save: "write all to one file"
        case .load: "load that file, and touch every field"
        }
    }

    /// Whether a store is to be opened before the step; the others make their file, or open it themselves.
    public var needsOpenStore: Bool { ![.insert, .save, .load].contains(self) }

    /// Whether the step changes the files.
    public var writes: Bool {
        let reads: [EventStep] = [
            .fetchAll, .fetchUntouched, .ranges, .byID, .count, .grouping, .startToPage, .page, .sortedPage, .countWhere, .sortedSearch,
            .verify, .load,
        ]
        return !reads.contains(self)
    }

    /// How often the step does what it is about: what takes milliseconds would be lost in what the first time takes.
    public var repetitions: Int { [.count: 20, .grouping: 20, .page: 100, .sortedPage: 5, .sortedSearch: 5][self] ?? 1 }

    /// How many write at once.
    public var writers: Int { [.fourWriters: 4, .sixteenWriters: 16][self] ?? 1 }
}

/// The synthetic workload: how many events, and which keys the steps ask for.
///
/// Deterministic.
public struct EventWork: Sendable {
    /// How many events there are.
    public let count: Int

    /// The keys for `byID`: all, shuffled.
    public let lookups: [Int64]

    /// The keys for `update`: 10 %.
    public let updates: [Int64]

    /// The keys for `delete`: 10 %.
    public let deletes: [Int64]

    /// The keys for `batchUpdate` and `batchDelete`: 10 % that `delete` leaves.
    public let batch: [Int64]

    /// Creates the workload of so many events.
    public init(count: Int) {
        self.count = count
        lookups = Self.shuffled(count, seed: 3)
        updates = Array(Self.shuffled(count, seed: 4).prefix(Self.objects(of: .update, among: count)))
        let shuffled = Self.shuffled(count, seed: 5)
        deletes = Array(shuffled.prefix(Self.objects(of: .delete, among: count)))
        batch = Array(shuffled.suffix(Self.objects(of: .batchDelete, among: count)))
    }

    /// The events, in the order of their keys.
    public func events() -> [Event] { Self.events(after: 0, count, seed: 1) }

    /// The events that a step is given: all of them, or those that are to be added.
    public func events(for step: EventStep) -> [Event] {
        switch step {
        case .insert, .save: events()
        case .singles: Self.events(after: Int64(count), Self.objects(of: step, among: count), seed: 6)
        case .fourWriters, .sixteenWriters:
            // Nobody's keys: those of each step begin where the most that lie before it end.
            Self.events(after: Int64(count + 1_000 * step.writers), Self.objects(of: step, among: count), seed: 6)
        default: []
        }
    }

    /// How many events a step is about, where there are so many.
    public static func objects(of step: EventStep, among count: Int) -> Int {
        switch step {
        case .readUpdate, .update, .readDelete, .delete, .batchUpdate, .batchDelete: count / 10
        // Few where there are few, so that a test need not wait for the disk a thousand times.
        case .singles, .fourWriters, .sixteenWriters: step.writers * min(1_000, max(1, count / 10))
        default: count
        }
    }

    private static func events(after key: Int64, _ count: Int, seed: UInt64) -> [Event] {
        var random = SplitMix64(seed: seed)
        return (0..<Int64(count)).map { place in
            let rank = Int64(random.next() % 100_000)
            return Event(
                id: key + 1 + place,
                time: 1_700_000_000 + Double(random.next() % 1_000_000_000) / 1_000,
                title: Self.text(20, &random),
                detail: Self.text(120, &random),
                address: Self.text(40, &random),
                rank: rank,
                bucket: rank / 1_000
            )
        }
    }

    /// The bounds of the ranges, both included.
    public var ranges: [ClosedRange<Int64>] { (0..<100).map { $0 * 1_000...$0 * 1_000 + 999 } }

    /// How many events a page has.
    public static let pageSize = 20

    /// How many events `sortedSearch` fetches.
    public static let foundCount = 50

    /// What `sortedSearch` looks for.
    public static let soughtText = "FAB"

    /// For how many buckets, from 0, `countWhere` counts.
    public static let countedBuckets: Int64 = 5

    /// After which time `countWhere` counts: about the half of the events.
    public static let countedTime = 1_700_500_000.0

    /// How many threads read in `pagesBesideWriter`.
    public static let readers = 2

    /// How many pages each of them fetches.
    public static let pageCount = 500

    /// The numbers that the pages of a reader begin with.
    public static func pages(of reader: Int) -> [Int64] {
        var random = SplitMix64(seed: UInt64(7 + reader))
        return (0..<pageCount).map { _ in Int64(random.next() % 90_000) }
    }

    /// What `update` adds to the time, in seconds.
    public static let delay = 60.0

    private static func shuffled(_ count: Int, seed: UInt64) -> [Int64] {
        var random = SplitMix64(seed: seed)
        return (1...Int64(max(count, 1))).prefix(count).shuffled(using: &random)
    }

    private static func text(_ length: Int, _ random: inout SplitMix64) -> String {
        String(unsafeUninitializedCapacity: length) { buffer in
            var word: UInt64 = 0
            for index in 0..<length {
                if index.isMultiple(of: 8) { word = random.next() }
                buffer[index] = UInt8(ascii: "a") + UInt8(word & 15)
                word >>= 8
            }
            return length
        }
    }
}
