/// One way to keep events.
///
/// As `Participant`: one for each process, calls one after the other.
public protocol EventParticipant: AnyObject {
    /// The name in tables, reports and on the command line; unique.
    static var name: String { get }
    /// What it stands for.
    static var kind: ParticipantKind { get }
    /// How its steps are spread over processes.
    static var grouping: ProcessGrouping { get }
    /// The steps that it offers.
    static var steps: [EventStep] { get }
    /// The steps that are the same work as another one here: the other one is measured, and its times stand in both rows.
    static var equivalents: [EventStep: EventStep] { get }

    /// The steps that it offers over a store that has many events, as an application shows them; none by default.
    static var listSteps: [EventStep] { get }

    /// What the last fetch keeps alive; the runner measures the memory, then clears it.
    var kept: Any? { get set }

    /// Prepares without touching the disk. The directory exists; at first it is empty.
    init(directory: String) throws
    /// Opens what an earlier process inserted. Not called before `insert`, `save` and `load`.
    func open() async throws
    /// Closes; the files then hold everything.
    func close() async throws

    /// Creates the file with these events; stays open. Answers how many.
    func insert(_ events: [Event]) async throws -> Answer
    /// Every event; keeps the objects in `kept`. Untouched: only the count.
    func fetchAll(touching: Bool) async throws -> Answer
    /// Each event of each range.
    func ranges(_ ranges: [ClosedRange<Int64>]) async throws -> Answer
    /// Adds the event of each ID.
    func byID(_ ids: [Int64]) async throws -> Answer
    /// How many events there are.
    func count() async throws -> Answer
    /// Adds each bucket with its count and sum.
    func grouping() async throws -> Answer
    /// Adds to the time of these; answers how many.
    func update(_ ids: [Int64], delay: Double) async throws -> Answer
    /// Does the same once all of them are read; by default `update`.
    func updateAfterReading(_ ids: [Int64], delay: Double) async throws -> Answer
    /// Deletes these; answers how many.
    func delete(_ ids: [Int64]) async throws -> Answer
    /// Does the same once all of them are read; by default `delete`.
    func deleteAfterReading(_ ids: [Int64]) async throws -> Answer
    /// Adds to the time of these by one statement; answers how many.
    func batchUpdate(_ ids: [Int64], delay: Double) async throws -> Answer
    /// Deletes these by one statement; answers how many.
    func batchDelete(_ ids: [Int64]) async throws -> Answer
    /// Fetches the first page of those whose rank is this or more, by rank, every field touched; adds each rank.
    ///
    /// Not `async`, as threads of their own run it.
    func page(from rank: Int64) throws -> Answer
    /// Fetches the page of the latest, every field touched; adds each time.
    func latestPage() async throws -> Answer
    /// How many there are of this bucket after this time.
    func count(bucket: Int64, after time: Double) async throws -> Answer
    /// Fetches the first `count` by title whose detail contains a text, whatever its case; adds each.
    func search(_ text: String, first count: Int) async throws -> Answer
    /// Adds to the time of one, on the disk when it returns.
    func updateDurably(_ id: Int64, delay: Double) throws
    /// Returns what another thread reads the open store by; by default the participant itself.
    func reader() throws -> any EventParticipant
    /// Inserts these, each in a durable transaction of its own; answers how many.
    func insertSingly(_ events: [Event]) async throws -> Answer
    /// Inserts these by so many writers at once, each in a durable transaction of its own; answers how many.
    func insert(_ events: [Event], writers: Int) async throws -> Answer
    /// Brings events into the shape that `save` writes, which is not timed: a codec's input is there before it runs.
    func prepareSave(_ events: [Event]) async throws
    /// Writes one file; answers how many events.
    func save(_ events: [Event]) async throws -> Answer
    /// Reads that file: every event; keeps the objects in `kept`.
    func load() async throws -> Answer
}

/// A step that a participant does not list among its `steps`.
public struct StepNotOffered: Error {
    /// The step that was asked for.
    public var step: EventStep
}

extension EventParticipant {
    /// Runs a step; `events` are those of the work for it.
    ///
    /// - Throws: What the participant's library throws; `StepNotOffered`.
    public func perform(_ step: EventStep, _ work: EventWork, events: [Event]) async throws -> Answer {
        for _ in 1..<step.repetitions { _ = try await performOnce(step, work, events) }
        return try await performOnce(step, work, events)
    }

    private func performOnce(_ step: EventStep, _ work: EventWork, _ events: [Event]) async throws -> Answer {
        switch step {
        case .insert: try await insert(events)
        case .fetchAll, .verify: try await fetchAll(touching: true)
        case .fetchUntouched: try await fetchAll(touching: false)
        case .ranges: try await ranges(work.ranges)
        case .byID: try await byID(work.lookups)
        case .count: try await count()
        case .grouping: try await grouping()
        case .readUpdate: try await updateAfterReading(work.updates, delay: EventWork.delay)
        case .update: try await update(work.updates, delay: EventWork.delay)
        case .readDelete: try await deleteAfterReading(work.deletes)
        case .delete: try await delete(work.deletes)
        case .singles: try await insertSingly(events)
        case .batchUpdate: try await batchUpdate(work.batch, delay: EventWork.delay)
        case .batchDelete: try await batchDelete(work.batch)
        case .fourWriters, .sixteenWriters: try await insert(events, writers: step.writers)
        case .startToPage, .page: try page(from: 0)
        case .sortedPage: try await latestPage()
        case .countWhere: try await countWhere()
        case .sortedSearch: try await search(EventWork.soughtText, first: EventWork.foundCount)
        case .pagesBesideWriter, .slowestPages: throw StepNotOffered(step: step)
        case .save: try await save(events)
        case .load: try await load()
        }
    }

    private func countWhere() async throws -> Answer {
        var answer = Answer()
        for bucket in 0..<EventWork.countedBuckets { answer.count += try await count(bucket: bucket, after: EventWork.countedTime).count }
        return answer
    }

    /// By default none.
    public static var listSteps: [EventStep] { [] }
    /// By default the participant itself.
    ///
    /// - Throws: Nothing.
    public func reader() throws -> any EventParticipant { self }
    /// By default not offered.
    /// - Throws: `StepNotOffered`.
    public func page(from rank: Int64) throws -> Answer { throw StepNotOffered(step: .page) }
    /// By default not offered.
    /// - Throws: `StepNotOffered`.
    public func latestPage() async throws -> Answer { throw StepNotOffered(step: .sortedPage) }
    /// By default not offered.
    /// - Throws: `StepNotOffered`.
    public func count(bucket: Int64, after time: Double) async throws -> Answer { throw StepNotOffered(step: .countWhere) }
    /// By default not offered.
    /// - Throws: `StepNotOffered`.
    public func search(_ text: String, first count: Int) async throws -> Answer { throw StepNotOffered(step: .sortedSearch) }
    /// By default not offered.
    /// - Throws: `StepNotOffered`.
    public func updateDurably(_ id: Int64, delay: Double) throws { throw StepNotOffered(step: .pagesBesideWriter) }

    /// By default what is not raw reads what it changes.
    public static var equivalents: [EventStep: EventStep] { kind == .raw ? [:] : [.update: .readUpdate, .delete: .readDelete] }
    /// Whether the step works on a copy of the files: the step after it does the same work again.
    public static func worksOnCopy(_ step: EventStep) -> Bool {
        [.readUpdate, .readDelete].contains(step) && !equivalents.values.contains(step)
    }

    /// By default nothing is to be opened.
    ///
    /// - Throws: Nothing.
    public func open() async throws {}
    /// By default events are saved as they are.
    ///
    /// - Throws: Nothing.
    public func prepareSave(_ events: [Event]) async throws {}
    /// By default nothing is to be closed.
    ///
    /// - Throws: Nothing.
    public func close() async throws {}
    /// By default not offered.
    /// - Throws: `StepNotOffered`.
    public func insert(_ events: [Event]) async throws -> Answer { throw StepNotOffered(step: .insert) }
    /// By default not offered.
    /// - Throws: `StepNotOffered`.
    public func fetchAll(touching: Bool) async throws -> Answer { throw StepNotOffered(step: .fetchAll) }
    /// By default not offered.
    /// - Throws: `StepNotOffered`.
    public func ranges(_ ranges: [ClosedRange<Int64>]) async throws -> Answer { throw StepNotOffered(step: .ranges) }
    /// By default not offered.
    /// - Throws: `StepNotOffered`.
    public func byID(_ ids: [Int64]) async throws -> Answer { throw StepNotOffered(step: .byID) }
    /// By default not offered.
    /// - Throws: `StepNotOffered`.
    public func count() async throws -> Answer { throw StepNotOffered(step: .count) }
    /// By default not offered.
    /// - Throws: `StepNotOffered`.
    public func grouping() async throws -> Answer { throw StepNotOffered(step: .grouping) }
    /// By default not offered.
    /// - Throws: `StepNotOffered`.
    public func update(_ ids: [Int64], delay: Double) async throws -> Answer { throw StepNotOffered(step: .update) }
    /// By default `update`.
    /// - Throws: What that throws.
    public func updateAfterReading(_ ids: [Int64], delay: Double) async throws -> Answer { try await update(ids, delay: delay) }
    /// By default not offered.
    /// - Throws: `StepNotOffered`.
    public func delete(_ ids: [Int64]) async throws -> Answer { throw StepNotOffered(step: .delete) }
    /// By default `delete`.
    /// - Throws: What that throws.
    public func deleteAfterReading(_ ids: [Int64]) async throws -> Answer { try await delete(ids) }
    /// By default not offered.
    /// - Throws: `StepNotOffered`.
    public func batchUpdate(_ ids: [Int64], delay: Double) async throws -> Answer { throw StepNotOffered(step: .batchUpdate) }
    /// By default not offered.
    /// - Throws: `StepNotOffered`.
    public func batchDelete(_ ids: [Int64]) async throws -> Answer { throw StepNotOffered(step: .batchDelete) }
    /// By default not offered.
    /// - Throws: `StepNotOffered`.
    public func insertSingly(_ events: [Event]) async throws -> Answer { throw StepNotOffered(step: .singles) }
    /// By default not offered.
    /// - Throws: `StepNotOffered`.
    public func insert(_ events: [Event], writers: Int) async throws -> Answer { throw StepNotOffered(step: .sixteenWriters) }
    /// By default not offered.
    /// - Throws: `StepNotOffered`.
    public func save(_ events: [Event]) async throws -> Answer { throw StepNotOffered(step: .save) }
    /// By default not offered.
    /// - Throws: `StepNotOffered`.
    public func load() async throws -> Answer { throw StepNotOffered(step: .load) }
}
