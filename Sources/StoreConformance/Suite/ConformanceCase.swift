import Strata

/// One thing that every store does.
public struct ConformanceCase: Sendable {
    /// What a case is about.
    ///
    /// A suite of one's own has its own subjects, in an extension.
    public struct Subject: RawRepresentable, Sendable, Hashable {
        /// The name by which cases are chosen; unique in the suite.
        public let rawValue: String
        /// Creates the subject with a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// What a store says of itself.
        public static let metadata = Subject(rawValue: "metadata")
        /// Values of every type, large ones in files included.
        public static let attributes = Subject(rawValue: "attributes")
        /// Inverses, orders, delete rules.
        public static let relationships = Subject(rawValue: "relationships")
        /// Objects whose rows are read when they are asked for.
        public static let faulting = Subject(rawValue: "faulting")
        /// What a save writes, and what it leaves.
        public static let saving = Subject(rawValue: "saving")
        /// Stale versions, broken constraints, and the policies that resolve them.
        public static let conflicts = Subject(rawValue: "conflicts")
        /// Conditions, orders, groups, and that pushing them down changes no answer.
        public static let queries = Subject(rawValue: "queries")
        /// Batch insert, update and delete requests.
        public static let batches = Subject(rawValue: "batches")
        /// Events of saves.
        public static let events = Subject(rawValue: "events")
        /// The history of a store's transactions.
        public static let history = Subject(rawValue: "history")
        /// What is there after a store was closed and opened again.
        public static let reopen = Subject(rawValue: "reopen")
        /// Files that are missing, damaged or no store of this kind, and values that do not fit.
        public static let errors = Subject(rawValue: "errors")
        /// Looking through a whole store for what is wrong.
        public static let verifying = Subject(rawValue: "verifying")
        /// Several stores under one coordinator.
        public static let federation = Subject(rawValue: "federation")
        /// Copying all stores while they are used, and restoring the copies.
        public static let backup = Subject(rawValue: "backup")
        /// Copying everything into a store of another kind.
        public static let conversion = Subject(rawValue: "conversion")
        /// Bringing a store to another version of its model.
        public static let migration = Subject(rawValue: "migration")
    }

    /// What a store must be able to do for a case to make sense.
    public struct Requirement: OptionSet, Sendable, Hashable {
        /// A bit for each requirement.
        public let rawValue: Int
        /// Requirements of the given bits.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// The store is still there after it was closed.
        public static let persistence = Requirement(rawValue: 1)
        /// The store is a file.
        public static let file = Requirement(rawValue: 2)
        /// Several coordinators may have the store open.
        public static let severalCoordinators = Requirement(rawValue: 4)
        /// The store can keep a history.
        public static let history = Requirement(rawValue: 8)
    }

    /// How a case ended that did not fail.
    public enum Outcome: Sendable, Hashable {
        /// The store did what it should.
        case passed
        /// The store lacks a requirement of the case.
        case skipped(String)
        /// The store diverges from the suite as its list of divergences states.
        case diverged(String)
    }

    /// What the store does, as a sentence; unique in the suite.
    public let name: String
    /// What the case is about.
    public let subject: Subject
    /// What the store must be able to do.
    public let requirements: Requirement
    private let body: @Sendable (ConformanceEnvironment) async throws -> Void

    /// Makes a case; a suite of one's own may have some.
    ///
    /// - Parameters:
    ///   - name: What the case demands, as a sentence.
    ///   - subject: The subject that the case is listed under.
    ///   - requirements: What a store must have for the case to be run on it.
    ///   - body: Throws where the store does something else.
    public init(
        _ name: String,
        in subject: Subject,
        requires requirements: Requirement = [],
        _ body: @escaping @Sendable (ConformanceEnvironment) async throws -> Void
    ) {
        self.name = name
        self.subject = subject
        self.requirements = requirements
        self.body = body
    }

    /// Whether the case is about two stores or more, and worth running with several partners.
    public var needsPartner: Bool { subject == .federation || subject == .conversion }

    /// Runs the case in a new directory, which is removed afterwards.
    ///
    /// - Parameters:
    ///   - harness: The store under test.
    ///   - partners: The other stores, for cases that ``needsPartner``; further stores of the harness itself where there are none.
    /// - Throws: ``ConformanceFailure``, or the error that stopped the case.
    public func run(on harness: StoreHarness, with partners: [StoreHarness] = []) async throws -> Outcome {
        for store in [harness] + (needsPartner ? partners : []) {
            if requirements.contains(.persistence) && !store.isPersistent { return .skipped("\(store) keeps nothing") }
            if requirements.contains(.file) && !store.isFileBased { return .skipped("\(store) is no file") }
            if requirements.contains(.severalCoordinators) && !store.allowsSeveralCoordinators {
                return .skipped("\(store) is for one coordinator")
            }
            if requirements.contains(.history) && !store.keepsHistory { return .skipped("\(store) keeps no history") }
        }
        let known = harness.divergences.first { $0.caseName == name && $0.store == harness.name }
        let environment = try ConformanceEnvironment(harness: harness, partners: partners)
        defer { environment.remove() }
        do {
            try await body(environment)
        } catch  where known != nil {
            return .diverged(known?.reason ?? "")
        }
        guard known == nil else {
            throw ConformanceFailure(
                "\(harness) is listed as diverging here, and does not",
                fileID: #fileID,
                filePath: #filePath,
                line: #line
            )
        }
        return .passed
    }
}

extension ConformanceCase: CustomStringConvertible {
    /// The name, which is how reports tell cases apart.
    public var description: String { name }
}
