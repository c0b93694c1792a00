import StrataWorkload

/// A ratio that Strata sets out to reach.
struct Reach {
    var participant: String
    var steps: [EventStep]
    var reference: String
    var atMost: Double

    /// The targets of the project's design, as far as they are ratios of two participants' times.
    static let all: [Reach] = [
        Reach(participant: "Strata SQLite", steps: [.fetchAll], reference: "raw SQLite", atMost: 1.25),
        Reach(participant: "Strata SQLite", steps: [.fetchAll], reference: "GRDB", atMost: 0.5),
        Reach(participant: "Strata SQLite", steps: [.ranges], reference: "raw SQLite", atMost: 1.25),
        Reach(participant: "Strata SQLite", steps: [.byID], reference: "raw SQLite", atMost: 1.5),
        Reach(participant: "Strata SQLite", steps: [.count, .grouping], reference: "raw SQLite", atMost: 1.1),
        Reach(participant: "Strata SQLite", steps: [.insert, .update, .delete], reference: "raw SQLite", atMost: 1.4),
        Reach(
            participant: "Strata LMDB",
            steps: [.insert, .fetchAll, .ranges, .byID, .count, .grouping, .update, .delete],
            reference: "raw LMDB",
            atMost: 1.5
        ),
        Reach(
            participant: "Strata LMDB",
            steps: [.fetchAll, .ranges, .byID, .count, .grouping],
            reference: "Strata SQLite",
            atMost: 1
        ),
        Reach(participant: "Strata binary", steps: [.load, .save], reference: "PropertyList", atMost: 0.05),
        Reach(participant: "Strata XML", steps: [.load, .save], reference: "raw libxml2", atMost: 1.5),
        Reach(participant: "Strata in-memory", steps: [.ranges, .byID], reference: "Dictionary of objects", atMost: 2),
    ]

    /// The targets of the queries job whose participants took part; parsing is measured against 5 µs a predicate.
    static func queries(_ table: ReportTable) -> [ReachResult] {
        guard let sqlite = table.participant("Strata SQLite") else { return [] }
        let targets: [(QueryStep, Double)] = [
            (.byID, 1.5), (.byKey, 1.5), (.group, 1.1), (.search, 1), (.batchInsert, 1.15), (.batchUpdate, 1.15), (.batchDelete, 1.15),
        ]
        var results = targets.compactMap { step, atMost in
            table.ratio(step.rawValue, of: sqlite).map { ratio in
                ReachResult(participant: sqlite.name, work: step.rawValue, reference: "raw SQLite", ratio: ratio, atMost: atMost)
            }
        }
        if let parsing = sqlite.steps[QueryStep.parse.rawValue]?.median {
            results.append(
                ReachResult(participant: "Strata", work: "parse a predicate", reference: "5 µs", ratio: parsing / 10_000 / 5e-6, atMost: 1))
        }
        return results
    }

    /// What the bytes of an event's values are: four numbers of 8 bytes, 180 characters.
    static let rowBytes = 4 * 8 + 180

    /// The targets whose two participants took part.
    static func results(_ tables: [ReportTable], count: Int) -> [ReachResult] {
        let participants = tables.flatMap(\.participants)
        func median(_ name: String, _ step: EventStep) -> Double? {
            participants.first { $0.name == name }?.steps[step.rawValue]?.median
        }
        var results: [ReachResult] = []
        for reach in all {
            for step in reach.steps {
                guard let own = median(reach.participant, step), let base = median(reach.reference, step), base > 0 else { continue }
                results.append(
                    ReachResult(
                        participant: reach.participant,
                        work: step.rawValue,
                        reference: reach.reference,
                        ratio: own / base,
                        atMost: reach.atMost
                    )
                )
            }
        }
        for participant in participants where participant.kind == .strata {
            guard let kept = participant.steps[EventStep.fetchUntouched.rawValue]?.keptBytes, kept > 0 else { continue }
            results.append(
                ReachResult(
                    participant: participant.name,
                    work: "memory of fetched, untouched objects",
                    reference: "the bytes of their rows",
                    ratio: Double(kept) / Double(rowBytes * count),
                    atMost: 2
                )
            )
        }
        return results
    }
}

/// A target and what was measured.
struct ReachResult: Codable {
    var participant: String
    var work: String
    var reference: String
    var ratio: Double
    var atMost: Double

    var isReached: Bool { ratio <= atMost }
}
