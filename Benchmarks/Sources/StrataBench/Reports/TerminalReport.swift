import Foundation
import StrataWorkload
import TextTable

/// The report as text: a row for each step, a column for each participant.
struct TerminalReport {
    var report: Report

    var text: String {
        var parts = [report.title, report.facts.joined(separator: "\n"), report.machine.versions.joined(separator: ", ")]
        parts += report.tables.map(table)
        if !report.reaches.isEmpty { parts.append(reaches) }
        parts.append(report.notes.map { "· " + $0 }.joined(separator: "\n"))
        parts.append(failures)
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private func table(_ table: ReportTable) -> String {
        var rows = table.steps.map { step in
            [step] + table.participants.map { cell(table, step, $0) } + [answer(table, step)]
        }
        let reading = table.steps.filter { !Self.writing.contains($0) }
        let writing = table.steps.filter { Self.writing.contains($0) }
        rows += bytes("peak memory, writing", table) { $0.peak(writing) }
        rows += bytes("peak memory, reading", table) { $0.peak(reading) }
        rows += bytes("file size", table) { $0.fileBytes }
        let headings = [table.title] + table.participants.map(\.name) + ["answers"]
        return Self.render(headings, rows)
    }

    /// A row of sizes, none where nothing was measured.
    private func bytes(_ name: String, _ table: ReportTable, _ size: (ParticipantResult) -> Int) -> [[String]] {
        let sizes = table.participants.map(size)
        return sizes.allSatisfy { $0 == 0 } ? [] : [[name] + sizes.map { Format.bytes($0) } + [""]]
    }

    private static let writing: Set<String> = [
        ArchiveStep.importing.rawValue, ArchiveStep.update.rawValue, ArchiveStep.delete.rawValue, EventStep.insert.rawValue,
        EventStep.save.rawValue,
    ]

    private func cell(_ table: ReportTable, _ step: String, _ participant: ParticipantResult) -> String {
        guard let result = participant.steps[step] else { return "–" }
        guard result.failure == nil, let median = result.median else { return "failed" }
        let digits = Format.digits(ofRuns: table.runs(step))
        let ratio = table.ratio(step, of: participant).map { " " + Self.padded(Format.ratio($0, digits: digits), 6) } ?? ""
        return Format.time(median, digits: digits) + ratio
    }

    private func answer(_ table: ReportTable, _ step: String) -> String {
        let agreement = table.agreement(step)
        guard let answer = table.answer(step) else { return "none" }
        let rows = Format.count(answer.count)
        return agreement.isEqual ? "\(rows), \(agreement.answers) equal" : "\(rows), NOT EQUAL"
    }

    private var reaches: String {
        let rows = report.reaches.map { reach in
            [
                reach.participant, reach.work, reach.reference, Format.ratio(reach.ratio), "≤ " + Format.ratio(reach.atMost),
                reach.isReached ? "reached" : "missed",
            ]
        }
        return Self.render(["To reach", "work", "measured against", "ratio", "reach", ""], rows, leftColumns: 3)
    }

    private var failures: String {
        var lines: [String] = []
        for table in report.tables {
            for step in table.steps where !table.agreement(step).isEqual {
                for participant in table.participants {
                    guard let result = participant.steps[step] else { continue }
                    if let failure = result.failure { lines.append("\(participant.name), \(step): \(failure)") }
                    if let answer = result.answer {
                        lines.append("\(participant.name), \(step): \(answer.count) rows, checksum \(String(answer.checksum, radix: 16))")
                    }
                }
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private static func render(_ headings: [String], _ rows: [[String]], leftColumns: Int = 1) -> String {
        let table = TextTable<[String]> { row in
            headings.enumerated().map { place, heading in
                Column(
                    title: heading,
                    value: place < row.count ? row[place] : "",
                    width: ([heading] + rows.map { place < $0.count ? $0[place] : "" }).map(\.count).max(),
                    align: place < leftColumns ? .left : .right
                )
            }
        }
        return (table.string(for: rows, style: Style.psql) ?? "").trimmingCharacters(in: .newlines)
    }
}
