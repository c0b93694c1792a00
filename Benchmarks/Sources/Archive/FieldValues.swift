extension MaintainerName {
    /// Reads `Name <email>`; a text without angle brackets is all name.
    init(field: String) {
        guard let open = field.lastIndex(of: "<"), let close = field.lastIndex(of: ">"), open < close else {
            self.init(name: field, email: "")
            return
        }
        var name = field[..<open]
        while name.last == " " { name.removeLast() }
        self.init(name: String(name), email: String(field[field.index(after: open)..<close]))
    }
}

enum Tags {
    /// Reads `facet::value, facet::value`, also folded, also the short form `facet::{value,value}`.
    static func parse(_ bytes: Bytes) throws(ArchiveError.Problem) -> [String] {
        var tags: [String] = []
        var facet: String?
        try bytes.split(at: UInt8(ascii: ",")) { part throws(ArchiveError.Problem) in
            guard var text = part.trimmed.string else { throw .notUTF8(field: "Tag") }
            if text.isEmpty { return }
            if let open = text.firstIndex(of: "{"), facet == nil {
                facet = String(text[..<open])
                text = String(text[text.index(after: open)...])
            }
            let closes = facet != nil && text.hasSuffix("}")
            if closes { text.removeLast() }
            let tag = (facet ?? "") + text
            if closes { facet = nil }
            guard isTag(tag) else { throw .invalidValue(field: "Tag") }
            if !tags.contains(tag) { tags.append(tag) }
        }
        if facet != nil { throw .invalidValue(field: "Tag") }
        return tags
    }

    private static func isTag(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        let colon = UInt8(ascii: ":")
        guard let first = bytes.firstIndex(of: colon), first > 0, first + 2 < bytes.count else { return false }
        return bytes[first + 1] == colon
    }
}

extension DependencyGroup {
    /// Reads `a (>= 1) | b, c:any`.
    static func parse(_ bytes: Bytes, kind: DependencyKind) throws(ArchiveError.Problem) -> [DependencyGroup] {
        var groups: [DependencyGroup] = []
        try bytes.split(at: UInt8(ascii: ",")) { group throws(ArchiveError.Problem) in
            let group = group.trimmed
            if group.isEmpty { return }
            var alternatives: [DependencyTarget] = []
            try group.split(at: UInt8(ascii: "|")) { part throws(ArchiveError.Problem) in
                alternatives.append(try DependencyTarget.parse(part.trimmed, field: kind.field))
            }
            groups.append(DependencyGroup(kind: kind, alternatives: alternatives))
        }
        return groups
    }
}

extension DependencyTarget {
    static func parse(_ bytes: Bytes, field: String) throws(ArchiveError.Problem) -> DependencyTarget {
        let open = bytes.firstIndex(of: UInt8(ascii: "("), from: 0)
        var name = bytes.part(0..<(open ?? bytes.count)).trimmed
        // A qualifier such as `:any` says which architecture may satisfy it, not which package.
        if let colon = name.firstIndex(of: UInt8(ascii: ":"), from: 0) { name = name.part(0..<colon) }
        guard !name.isEmpty, name.allSatisfy(isNameByte), let nameText = name.string else { throw .invalidDependency(field: field) }
        guard let open else { return DependencyTarget(name: nameText) }
        guard bytes.last == UInt8(ascii: ")") else { throw .invalidDependency(field: field) }
        let constraint = bytes.part(open + 1..<bytes.count - 1).trimmed
        let signs = constraint.prefix { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "=") }
        let version = constraint.part(signs.count..<constraint.count).trimmed
        guard let relation = Bytes(rebasing: signs).string, relations.contains(relation), !version.isEmpty,
            let versionText = version.string
        else { throw .invalidDependency(field: field) }
        return DependencyTarget(name: nameText, relation: relation, version: versionText)
    }

    private static let relations: Set<String> = ["<<", "<=", "=", ">=", ">>", "<", ">"]

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
