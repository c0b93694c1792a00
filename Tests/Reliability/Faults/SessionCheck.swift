/// Judges what sessions over the same stores reported, one after the other, and what was found afterwards.
struct SessionCheck {
    /// The last generation that was acknowledged, or seen.
    private(set) var acknowledged: Int
    /// Whether the save after it may be there too.
    private var isUnclear = false
    private(set) var violations: [String] = []

    init(acknowledged: Int = 0) { self.acknowledged = acknowledged }

    /// Codes that say something about the files which a failing system does not make true.
    private static let misnomers: Set<String> = [
        "corrupt", "foreign", "wrongType", "incompatibleModel", "unsupportedVersion", "conflict", "constraint", "unknownEntity",
        "unknownKey",
        "wrongValue", "crossStore", "exists", "notFound", "saveConflict", "validation", "violation", "other",
    ]

    /// Takes in a session that may have been disturbed.
    mutating func note(_ report: WorkerReport, _ plan: FaultPlan) {
        for line in report.lines {
            let words = line.split(separator: " ")
            guard words.count >= 2 else { continue }
            let number = Int(words[1]) ?? 0
            switch words[0] {
            case "open":
                if number < acknowledged || number > acknowledged + 1 || number == acknowledged + 1 && !isUnclear && number > 1 {
                    violations.append("opened at \(number) after \(acknowledged)")
                }
                acknowledged = max(acknowledged, number)
                isUnclear = false
            case "saved":
                if number != acknowledged + 1 { violations.append("saved \(number) after \(acknowledged)") }
                acknowledged = number
                isUnclear = false
            case "still":
                if number != acknowledged { violations.append("a save that failed is there all the same: \(number) after \(acknowledged)") }
            case "failed":
                noteFailure(words.map(String.init), line, plan)
            default: break
            }
        }
        noteEnd(report, plan)
    }

    private mutating func noteFailure(_ words: [String], _ line: String, _ plan: FaultPlan) {
        guard words.count >= 5 else { return violations.append(line) }
        let (phase, code, recovery) = (words[2], words[3], words[4])
        // A file that was renamed although that was reported as failed may well look like another process's work.
        let isUnderstandable = code == "conflict" && recovery == "reopen" && plan.kind.isAfter
        if SessionCheck.misnomers.contains(code), !isUnderstandable { violations.append(line) }
        // Opening finishes what an unclear save left, so it stays unclear while opening fails.
        if phase == "open" { return }
        isUnclear = recovery == "reopen" || code == "closed" && isUnclear
    }

    private mutating func noteEnd(_ report: WorkerReport, _ plan: FaultPlan) {
        if plan.kind.ends, report.end == "signal 9" { return isUnclear = true }
        guard report.end == "exit 0" else {
            let noise = report.lines.suffix(4).joined(separator: " | ")
            return violations.append("the process ended by \(report.end): \(noise)")
        }
        if plan.count == 1 || plan.count == 2, report.has("gaveup") {
            violations.append("did not come through: \(report.lines.filter { $0.hasPrefix("failed") }.suffix(2))")
        }
    }

    /// Takes in what a verification found.
    mutating func conclude(_ report: WorkerReport) {
        guard report.end == "exit 0", let found = report.last("found").flatMap({ Int($0) }) else {
            return violations.append("after \(acknowledged): \(report.end): \(report.lines.suffix(3).joined(separator: " | "))")
        }
        if found < acknowledged { violations.append("found \(found) after \(acknowledged) was acknowledged") }
        if found > acknowledged + (isUnclear ? 1 : 0) { violations.append("found \(found), though all after \(acknowledged) failed") }
        if !report.has("sound") { violations.append("at \(found): \(report.lines.suffix(2).joined(separator: " | "))") }
    }
}
