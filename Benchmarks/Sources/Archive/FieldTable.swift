/// Where the known fields of one stanza stand in the text, and the first thing that was wrong with its lines.
struct FieldTable {
    private enum Field: Int, CaseIterable {
        case package, version, architecture, section, priority, maintainer, installedSize, size, homepage, description, tag, sha256
        case preDepends, depends, recommends, suggests

        var name: StaticString {
            switch self {
            case .package: "Package"
            case .version: "Version"
            case .architecture: "Architecture"
            case .section: "Section"
            case .priority: "Priority"
            case .maintainer: "Maintainer"
            case .installedSize: "Installed-Size"
            case .size: "Size"
            case .homepage: "Homepage"
            case .description: "Description"
            case .tag: "Tag"
            case .sha256: "SHA256"
            case .preDepends: "Pre-Depends"
            case .depends: "Depends"
            case .recommends: "Recommends"
            case .suggests: "Suggests"
            }
        }

        static let known = allCases.map { ($0, $0.name) }
    }

    private struct Place {
        var range: Range<Int> = 0..<0
        var line = 0
    }

    private var places = [Place](repeating: Place(), count: Field.allCases.count)
    private var current: Field?
    private var hasField = false
    private var firstLine = 0
    private var problem: ArchiveError?

    var isEmpty: Bool { firstLine == 0 }

    mutating func reset() {
        for index in places.indices { places[index] = Place() }
        current = nil
        hasField = false
        firstLine = 0
        problem = nil
    }

    mutating func addLine(_ text: Bytes, from start: Int, to end: Int, number: Int) {
        if firstLine == 0 { firstLine = number }
        if problem != nil { return }
        if text[start].isBlank {
            guard hasField else {
                problem = .malformed(line: number, problem: .foldedLineWithoutField)
                return
            }
            if let current { places[current.rawValue].range = places[current.rawValue].range.lowerBound..<end }
            return
        }
        guard let colon = text.part(start..<end).firstIndex(of: UInt8(ascii: ":"), from: 0), colon > 0 else {
            problem = .malformed(line: number, problem: .notAField)
            return
        }
        hasField = true
        let name = text.part(start..<start + colon)
        current = Field.known.first { name.equals($0.1) }?.0
        guard let current else { return }
        if places[current.rawValue].line != 0 {
            problem = .malformed(line: number, problem: .repeatedField("\(current.name)"))
            return
        }
        places[current.rawValue] = Place(range: start + colon + 1..<end, line: number)
    }

    func stanza(in text: Bytes) throws(ArchiveError) -> PackageStanza {
        if let problem { throw problem }
        var stanza = PackageStanza()
        stanza.package = try required(.package, text)
        stanza.version = try required(.version, text)
        stanza.architecture = try string(.architecture, text)
        stanza.section = try string(.section, text)
        stanza.priority = try string(.priority, text)
        stanza.maintainer = MaintainerName(field: try string(.maintainer, text))
        stanza.installedSize = try number(.installedSize, text)
        stanza.size = try number(.size, text)
        let homepage = try string(.homepage, text)
        stanza.homepage = homepage.isEmpty ? nil : homepage
        stanza.summary = try string(.description, text, firstLineOnly: true)
        stanza.tags = try parse(.tag, text) { bytes throws(ArchiveError.Problem) in try Tags.parse(bytes) }
        stanza.sha256 = try parse(.sha256, text) { bytes throws(ArchiveError.Problem) in
            guard let digest = bytes.hexadecimal, digest.isEmpty || digest.count == 32 else { throw .invalidValue(field: "SHA256") }
            return digest
        }
        for (field, kind) in [
            (Field.preDepends, DependencyKind.preDepends), (.depends, .depends), (.recommends, .recommends), (.suggests, .suggests),
        ] where places[field.rawValue].line != 0 {
            stanza.dependencies += try parse(field, text) { bytes throws(ArchiveError.Problem) in
                try DependencyGroup.parse(bytes, kind: kind)
            }
        }
        return stanza
    }

    private func bytes(_ field: Field, _ text: Bytes) -> Bytes { text.part(places[field.rawValue].range).trimmed }

    private func parse<Value>(
        _ field: Field,
        _ text: Bytes,
        _ body: (Bytes) throws(ArchiveError.Problem) -> Value
    ) throws(ArchiveError) -> Value {
        do {
            return try body(bytes(field, text))
        } catch {
            let line = places[field.rawValue].line
            throw .malformed(line: line == 0 ? firstLine : line, problem: error)
        }
    }

    private func string(_ field: Field, _ text: Bytes, firstLineOnly: Bool = false) throws(ArchiveError) -> String {
        try parse(field, text) { bytes throws(ArchiveError.Problem) in
            var bytes = bytes
            if firstLineOnly, let end = bytes.firstIndex(of: .newline, from: 0) { bytes = bytes.part(0..<end).trimmed }
            guard let string = bytes.string else { throw .notUTF8(field: "\(field.name)") }
            return string
        }
    }

    private func required(_ field: Field, _ text: Bytes) throws(ArchiveError) -> String {
        let value = try string(field, text)
        if value.isEmpty { throw .malformed(line: firstLine, problem: .missingField("\(field.name)")) }
        return value
    }

    private func number(_ field: Field, _ text: Bytes) throws(ArchiveError) -> Int64 {
        try parse(field, text) { bytes throws(ArchiveError.Problem) in
            if bytes.isEmpty { return 0 }
            guard let number = bytes.number else { throw .invalidValue(field: "\(field.name)") }
            return number
        }
    }
}
