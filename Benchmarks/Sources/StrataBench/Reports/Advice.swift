import StrataWorkload

/// Which participant to choose under which condition, with what was measured of it.
struct Advice: Codable {
    var participant: String
    var condition: String
    /// What supports it, or speaks against it, each with its step.
    var figures: [String]
}

extension Advice: CustomStringConvertible {
    var description: String {
        "Choose \(participant) if \(condition)" + (figures.isEmpty ? "" : " (\(figures.joined(separator: ", ")))") + "."
    }
}

extension Advice {
    /// What stands above a list of them.
    static let title = "Which to choose (the first that applies)"

    /// The list of the guide *Choosing a store* in its order, each with the steps that show it; what applies first is to be taken.
    private static let list: [(participant: String, condition: String, steps: [ArchiveStep])] = [
        (InMemoryChoice.name, "nothing needs to outlive the process, as in tests, previews and caches", [.update, .byID]),
        (ServerParticipant.strata, "more than one machine writes, or more writers at once than one file takes", [.singles, .byID]),
        (XMLChoice.name, "people or other programs edit the file as text, up to some 10,000 objects", [.open, .update]),
        (BinaryChoice.name, "all of the data fits in memory, is loaded as a whole and saved rarely", [.open, .readAll, .update]),
        (
            LMDBChoice.name, "there are many more reads than writes, many reading threads, or several processes on one machine",
            [.open, .byID, .readAll]
        ),
        (StrataFederation.name, "parts of one model differ so much that each needs another store", [.importing, .closure]),
        (GRDBArchive.name, "records without an object graph are enough", [.importing, .byID, .singles]),
        (RawSQLite.name, "time and memory come before the code to write", [.importing, .byID, .singles]),
        (SQLiteChoice.name, "none of these applies, or if Core Data or SQLite's tools read the file", [.importing, .byID, .singles]),
    ]

    /// What applies to the participants of a table.
    static func given(_ table: ReportTable) -> [Advice] {
        list.compactMap { row in
            guard let participant = table.participant(row.participant) else { return nil }
            let times = row.steps.map(\.rawValue).compactMap { step in
                participant.steps[step]?.median.map { "\(step) \(Format.time($0, digits: Format.digits(ofRuns: table.runs(step))))" }
            }
            let writing = table.steps.filter(table.writing.contains)
            let sizes = [("peak memory, writing", participant.peak(writing), 2), ("file", participant.fileBytes, 3)].filter { $0.1 > 0 }
            return Advice(
                participant: row.participant, condition: row.condition,
                figures: times + sizes.map { "\($0) \(Format.bytes($1, digits: $2))" })
        }
    }
}
