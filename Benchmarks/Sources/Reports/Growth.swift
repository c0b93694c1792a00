/// Steps that were measured at several counts, each with a row of its own for each of them.
struct Growth: Codable {
    var steps: [String]
    /// From the fewest to the most.
    var counts: [Int]

    /// The name of the row of a step at a count.
    static func row(_ step: String, _ count: Int) -> String { "\(step) at \(Format.count(count))" }

    /// How much more an object costs where there are most than where there are fewest.
    func factor(_ step: String, of participant: ParticipantResult) -> Double? {
        guard let fewest = counts.first, let most = counts.last, fewest < most,
            let before = participant.steps[Self.row(step, fewest)]?.median, before > 0,
            let after = participant.steps[Self.row(step, most)]?.median
        else { return nil }
        return after / before
    }
}

extension ReportTable {
    /// What an object costs in each step, out of tables of the same steps over so many objects.
    ///
    /// - Parameter objects: How many objects a step of a table is about.
    package init(costs tables: [(count: Int, table: ReportTable)], objects: (String, Int) -> Int) {
        let first = tables.first?.table
        let growth = Growth(steps: first?.steps ?? [], counts: tables.map(\.count))
        let rows = growth.steps.flatMap { step in growth.counts.map { Growth.row(step, $0) } }
        self.init(title: (first?.title ?? "") + ", per object", steps: rows, participants: [])
        self.growth = growth
        participants = (first?.participants ?? []).map {
            ParticipantResult(name: $0.name, kind: $0.kind, reference: $0.reference)
        }
        for (count, table) in tables {
            for step in table.steps {
                let row = Growth.row(step, count)
                expected[row] = table.expected[step]
                explanations[row] = table.explanations[step]
                for place in participants.indices {
                    guard let result = table.participant(participants[place].name)?.steps[step] else { continue }
                    let seconds = result.seconds.map { $0 / Double(objects(step, count)) }
                    participants[place].steps[row] = StepResult(seconds: seconds, answer: result.answer, failure: result.failure)
                }
            }
        }
    }
}
