import StrataPostgreSQLWorker

/// What processes said of their saves, and what has to be in the store because of it.
struct WalkOracle {
    private enum Fate { case open, done, failed }

    private struct Save {
        var policy: String
        var words: [Substring]
        var fate = Fate.open

        func names(_ sign: Character) -> [String] { words.filter { $0.first == sign }.map { String($0.dropFirst()) } }
        var leavesMarks: Bool { policy != "batch" || words.contains("*") }
    }

    private var saves = ["begin": Save(policy: "batch", words: WalkOracle.positions, fate: .done)]
    /// What was said that nobody may say.
    private(set) var problems: [String] = []
    /// How many lines there were of each kind.
    private(set) var counts: [String: Int] = [:]

    /// Where documents are in the beginning.
    private static let positions = (0..<3).flatMap { folder in (0..<3).map { Substring("d\(folder)\($0)>f\(folder)") } }

    /// Takes in what a process said.
    ///
    /// - Parameter isTroubled: Whether its server, or its connections to it, were ended.
    mutating func hear(_ line: String, isTroubled: Bool) {
        let words = line.split(separator: " ")
        guard words.count > 1 else { return }
        let (kind, tag) = (words[0], String(words[1]))
        let reason = kind == "error" ? words[1] : ["fail", "unknown", "unsaid"].contains(kind) ? words[2] : ""
        counts["\(kind) \(reason)", default: 0] += 1
        switch kind {
        case "will": saves[tag] = Save(policy: String(words[2]), words: Array(words.dropFirst(3)))
        case "did": saves[tag]?.fate = .done
        case "fail":
            saves[tag]?.fate = .failed
            if !["conflict", "invalid"].contains(reason) { judge(reason, line, isTroubled) }
        case "unsaid": if !["conflict", "invalid"].contains(reason) { judge(reason, line, isTroubled) }
        case "unknown", "error": judge(reason, line, isTroubled)
        default: problems.append(line)
        }
    }

    private mutating func judge(_ code: Substring, _ line: String, _ isTroubled: Bool) {
        if !isTroubled || !["io", "locked", "inDoubt"].contains(code) { problems.append(line) }
    }

    // MARK: - What has to be there

    /// What is otherwise in the store than it was said to be.
    func differences(_ dump: WalkDump) -> [String] {
        var found = dump.problems
        let applied = applied(dump, &found)
        checkNames(dump, applied, &found)
        for (name, tags) in words("~", applied) where !mayHaveReturned(name) {
            guard let history = dump.object(named: name)?["history"]?.split(separator: " ").map(String.init) else { continue }
            for tag in tags where !history.contains(tag) {
                found.append("\(name) lost the change of \(tag): \(history), \(story(of: name))")
            }
        }
        let hits = words("#", applied).mapValues(\.count)
        for object in dump.objects.values {
            guard let name = object["name"] else { continue }
            let history = (object["history"] ?? "").split(separator: " ").map(String.init)
            if Set(history).count != history.count { found.append("\(name) was changed twice by one save: \(history)") }
            for tag in history where !applied.contains(tag) { found.append("\(name) was changed by \(tag), which is not there") }
            if let note = object["note"], note != "nil", !mayBe(note, applied) {
                found.append("\(name) has a note of \(note), which is not there")
            }
            if let count = object["hits"], count != "\(hits[name] ?? 0)", !mayHaveReturned(name) {
                found.append("\(name) was hit \(count) times, not \(hits[name] ?? 0)")
            }
        }
        checkBatches(dump, &found)
        return found
    }

    /// What was said of an object.
    private func story(of name: String) -> [String] {
        let tags = saves.filter { $0.value.words.contains { $0.dropFirst() == name || $0.hasPrefix(name + ">") } }.keys
        return tags.sorted().map { "\($0) \(saves[$0]?.policy ?? "") \(saves[$0]?.words.joined(separator: " ") ?? "")" }
    }

    /// The saves that are there, as whole as their marks are.
    private func applied(_ dump: WalkDump, _ found: inout [String]) -> Set<String> {
        var marks: [String: [String]] = [:]
        for object in dump.objects.values where object["entity"] == "Mark" {
            marks[object["tag"] ?? "", default: []].append(object["size"] ?? "")
        }
        for (tag, sizes) in marks {
            if saves[tag]?.fate == .failed { found.append("\(tag) failed, and is there") }
            if saves[tag] == nil { found.append("\(tag) is there, of which nothing was said") }
            if Set(sizes) != ["\(sizes.count)"] { found.append("\(tag) is there in part: \(sizes.count) of \(Set(sizes))") }
        }
        for (tag, save) in saves where save.fate == .done && save.leavesMarks && marks[tag] == nil {
            found.append("\(tag) was acknowledged, and is not there: \(save.policy) \(save.words.joined(separator: " "))")
        }
        return Set(marks.keys)
    }

    /// Whether a save, or a batch request without marks, may have taken effect.
    private func mayBe(_ tag: String, _ applied: Set<String>) -> Bool {
        guard let save = saves[tag] else { return false }
        return save.leavesMarks ? applied.contains(tag) : save.fate != .failed
    }

    private func words(_ sign: Character, _ applied: Set<String>) -> [String: [String]] {
        var tags: [String: [String]] = [:]
        for (tag, save) in saves where applied.contains(tag) { for name in save.names(sign) { tags[name, default: []].append(tag) } }
        return tags
    }

    // MARK: - What is deleted

    private func checkNames(_ dump: WalkDump, _ applied: Set<String>, _ found: inout [String]) {
        let initial = (0..<WalkModel.accounts).map { "a\($0)" } + (0..<3).flatMap { ["p\($0)", "f\($0)", "d\($0)0"] }
        for name in initial + words("+", applied).keys where dump.object(named: name) == nil && !mayBeDeleted(name) {
            found.append("\(name) is gone, and nobody deleted it")
        }
        for object in dump.objects.values {
            guard let name = object["name"], let end = name.lastIndex(of: ".") else { continue }
            if !applied.contains(String(name[..<end])) { found.append("\(name) is there, and its save is not") }
        }
        for (tag, save) in saves where save.leavesMarks ? applied.contains(tag) : save.fate == .done {
            for name in save.names("!") where dump.object(named: name) != nil && !isNamed(name, "?") {
                found.append("\(name) is there, and \(tag) deleted it: \(story(of: name))")
            }
        }
    }

    private func isNamed(_ name: String, _ sign: Character) -> Bool {
        saves.values.contains { $0.fate != .failed && $0.words.contains(Substring("\(sign)\(name)")) }
    }

    private func mayBeDeleted(_ name: String) -> Bool {
        if isNamed(name, "-") { return true }
        let positions = saves.values.filter { $0.fate != .failed }.flatMap(\.words).filter { $0.hasPrefix(name + ">") }
        return positions.contains { isNamed(String($0.dropFirst(name.count + 1)), "-") }
    }

    /// Whether a policy may have brought an object back that was deleted, as it once was.
    private func mayHaveReturned(_ name: String) -> Bool { isNamed(name, "?") && mayBeDeleted(name) }

    private func checkBatches(_ dump: WalkDump, _ found: inout [String]) {
        let batches = saves.values.filter { $0.words.contains("^") && $0.fate != .failed }
        let done = batches.count(where: { $0.fate == .done })
        let ups = Set((0..<WalkModel.accounts).map { dump.object(named: "a\($0)")?["up"] ?? "nil" })
        guard ups.count == 1, let up = ups.first.flatMap({ Int($0) }), (done...batches.count).contains(up) else {
            return found.append("\(done)–\(batches.count) batch updates were made, and accounts were moved up by \(ups)")
        }
    }
}
