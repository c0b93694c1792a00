public import DebianArchive

/// How many processes the steps of a participant are spread over.
public enum ProcessGrouping: Sendable {
    /// One process for each step: the rule.
    case perStep
    /// One process that imports, one for all that is done with that, one that verifies: where opening loads the whole file.
    case perPhase
    /// One process for all: where nothing outlives the process.
    case whole
}

/// What a participant stands for in the tables.
public enum ParticipantKind: String, Sendable, Codable {
    /// A C library used directly: what ratios are taken to.
    case raw
    /// A library that others wrote.
    case peer
    /// Strata, on one store or several.
    case strata
}

/// One way to keep the Debian archive.
///
/// The runner makes one for each process, in the same directory, opens it (or lets it import), calls steps, and closes it. All calls come
/// one after the other.
///
/// Answers are composed with the `add` functions of `Answer`, so that every participant's are comparable.
public protocol Participant: AnyObject {
    /// The name in tables, reports and on the command line; unique.
    static var name: String { get }
    /// What it stands for.
    static var kind: ParticipantKind { get }
    /// How its steps are spread over processes.
    static var grouping: ProcessGrouping { get }
    /// The name of the raw participant that its ratios are taken to; `raw SQLite` unless it says otherwise.
    static var reference: String { get }
    /// The steps that it takes part in, in their order; all by default.
    static var steps: [ArchiveStep] { get }
    /// The steps that are the same work as another one here: the other one is measured, and its times stand in both rows.
    static var equivalents: [ArchiveStep: ArchiveStep] { get }
    /// What a reader of the tables should know, a line each: settings, which entities live in which store and why.
    static var notes: [String] { get }

    /// Prepares without touching the disk. The directory exists; at first it is empty.
    init(directory: String) throws

    /// Creates the files and stores everything in one transaction; the participant stays open. Answers
    /// `Answer(count: dataset.rowCount)`.
    func importing(_ dataset: Dataset) async throws -> Answer
    /// Opens what an earlier process imported. Not called where `importing` ran in this process.
    func open() async throws
    /// Closes; the files then hold everything.
    func close() async throws

    /// For each of the six entities, `add(key: its count, name: "sections" …)`.
    func counts() async throws -> Answer
    /// For each name: each version with its joins, then `add(key: version, name: tag)` for each of its tags.
    func byName(_ names: [String]) async throws -> Answer
    /// Adds the version of each key.
    func byID(_ versions: [Int64]) async throws -> Answer
    /// For each range: each version in it.
    func range(_ sizes: [ArchiveParameters.SizeRange]) async throws -> Answer
    /// For each word: each version whose summary contains it, case and all. For each prefix: `add(key: package, name: its name)`.
    func text(words: [String], prefixes: [String]) async throws -> Answer
    /// For each tag: each version that carries it.
    func tagged(_ tags: [String]) async throws -> Answer
    /// Each section that has versions.
    func grouping() async throws -> Answer
    /// For each root: each package reached, the root included, over all versions' dependencies up to `DependencyKind.depends`.
    ///
    /// Not `async`, as a thread of its own runs it in the step `besideWriter`.
    func closure(_ roots: [String]) throws -> Answer
    /// Every version and every dependency.
    func readAll() async throws -> Answer
    /// Every version and every dependency, touched when all of them are kept; by default `readAll`.
    func keepAll() async throws -> Answer
    /// Adds to the installed size of the versions of these keys and sets their priority, in one transaction; answers how many in `count`.
    func update(_ versions: [Int64], growth: Int64, priority: String) throws -> Answer
    /// Does the same once all of the versions are read; by default `update`.
    func updateAfterReading(_ versions: [Int64], growth: Int64, priority: String) throws -> Answer
    /// Does the same in a transaction for each version, on the disk before the next begins; by default by an `update` of each.
    func updateSingly(_ versions: [Int64], growth: Int64, priority: String) throws -> Answer
    /// Returns what another thread reads the open files by; by default the participant itself.
    func reader() throws -> any Participant
    /// Deletes the packages of these keys and what hangs on them; answers how many packages in `count`.
    func delete(_ packages: [Int64]) async throws -> Answer
    /// Does the same once all that is deleted, and all that depends on it, is read; by default `delete`.
    func deleteAfterReading(_ packages: [Int64]) async throws -> Answer
}

extension Participant {
    /// By default `raw SQLite`.
    public static var reference: String { "raw SQLite" }

    /// By default all.
    public static var steps: [ArchiveStep] { ArchiveStep.allCases }

    /// By default what is not raw keeps what it reads, and reads what it changes.
    public static var equivalents: [ArchiveStep: ArchiveStep] {
        kind == .raw ? [:] : [.readAll: .keepAll, .update: .readUpdate, .delete: .readDelete]
    }

    /// Whether the step works on a copy of the files: the step after it does the same work again.
    public static func worksOnCopy(_ step: ArchiveStep) -> Bool {
        [.readUpdate, .readDelete].contains(step) && !equivalents.values.contains(step)
    }

    /// By default an `update` of each.
    ///
    /// - Throws: What the participant's library throws.
    public func updateSingly(_ versions: [Int64], growth: Int64, priority: String) throws -> Answer {
        var answer = Answer()
        for version in versions { answer.count += try update([version], growth: growth, priority: priority).count }
        return answer
    }

    /// By default `readAll`.
    ///
    /// - Throws: What the participant's library throws.
    public func keepAll() async throws -> Answer { try await readAll() }

    /// By default `update`.
    ///
    /// - Throws: What the participant's library throws.
    public func updateAfterReading(_ versions: [Int64], growth: Int64, priority: String) throws -> Answer {
        try update(versions, growth: growth, priority: priority)
    }

    /// By default `delete`.
    ///
    /// - Throws: What the participant's library throws.
    public func deleteAfterReading(_ packages: [Int64]) async throws -> Answer { try await delete(packages) }

    /// By default the participant itself.
    ///
    /// - Throws: What the participant's library throws.
    public func reader() throws -> any Participant { self }

    /// Runs a step that needs no dataset.
    ///
    /// - Throws: What the participant's library throws.
    public func perform(_ step: ArchiveStep, _ parameters: ArchiveParameters) async throws -> Answer {
        switch step {
        case .importing: preconditionFailure("import needs the dataset")
        case .open: try await byName(Array(parameters.names.prefix(1)))
        case .counts: try await counts()
        case .byName: try await byName(parameters.names)
        case .byID: try await byID(parameters.versions)
        case .range: try await range(parameters.sizes)
        case .text: try await text(words: parameters.words, prefixes: parameters.prefixes)
        case .tagged: try await tagged(parameters.tags)
        case .grouping: try await grouping()
        case .closure: try closure(parameters.roots)
        case .keepAll: try await keepAll()
        case .readAll: try await readAll()
        case .readUpdate: try updateAfterReading(parameters.updates, growth: 1, priority: parameters.updatedPriority)
        case .update: try update(parameters.updates, growth: 1, priority: parameters.updatedPriority)
        case .singles: try singles(parameters)
        case .besideWriter: try await besideWriter(parameters)
        case .readDelete: try await deleteAfterReading(parameters.deletes)
        case .delete: try await delete(parameters.deletes)
        case .verify: try await verify(parameters)
        }
    }

    private func verify(_ parameters: ArchiveParameters) async throws -> Answer {
        var sum = Checksum()
        var count = 0
        for answer in [try await counts(), try await readAll(), try await tagged(parameters.tags), try await grouping()] {
            count += answer.count
            sum.add(Int64(bitPattern: answer.checksum))
        }
        return Answer(count: count, checksum: sum.value)
    }
}
