/// One way to keep events. As `Participant`: one for each process, calls one after the other.
public protocol EventParticipant: AnyObject {
    /// The name in tables, reports and on the command line; unique.
    static var name: String { get }
    /// What it stands for.
    static var kind: ParticipantKind { get }
    /// How its steps are spread over processes.
    static var grouping: ProcessGrouping { get }
    /// The steps that it offers.
    static var steps: [EventStep] { get }

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
    /// Each event.
    func byID(_ ids: [Int64]) async throws -> Answer
    /// How many events there are.
    func count() async throws -> Answer
    /// Each bucket.
    func grouping() async throws -> Answer
    /// Adds to the time of these; answers how many.
    func update(_ ids: [Int64], delay: Double) async throws -> Answer
    /// Deletes these; answers how many.
    func delete(_ ids: [Int64]) async throws -> Answer
    /// Writes one file; answers how many events.
    func save(_ events: [Event]) async throws -> Answer
    /// Reads that file: every event; keeps the objects in `kept`.
    func load() async throws -> Answer
}

/// A step that a participant does not list among its `steps`.
public struct StepNotOffered: Error {
    /// Which one.
    public var step: EventStep
}

extension EventParticipant {
    public func open() async throws {}
    public func close() async throws {}
    public func insert(_ events: [Event]) async throws -> Answer { throw StepNotOffered(step: .insert) }
    public func fetchAll(touching: Bool) async throws -> Answer { throw StepNotOffered(step: .fetchAll) }
    public func ranges(_ ranges: [ClosedRange<Int64>]) async throws -> Answer { throw StepNotOffered(step: .ranges) }
    public func byID(_ ids: [Int64]) async throws -> Answer { throw StepNotOffered(step: .byID) }
    public func count() async throws -> Answer { throw StepNotOffered(step: .count) }
    public func grouping() async throws -> Answer { throw StepNotOffered(step: .grouping) }
    public func update(_ ids: [Int64], delay: Double) async throws -> Answer { throw StepNotOffered(step: .update) }
    public func delete(_ ids: [Int64]) async throws -> Answer { throw StepNotOffered(step: .delete) }
    public func save(_ events: [Event]) async throws -> Answer { throw StepNotOffered(step: .save) }
    public func load() async throws -> Answer { throw StepNotOffered(step: .load) }
}
