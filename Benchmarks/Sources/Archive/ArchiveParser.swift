/// Reads the text of a Debian package index, fed in pieces of any size.
///
/// Unknown fields are ignored. A stanza that breaks the format is either refused with an error or skipped and counted.
/// Linear in the text as long as pieces are larger than stanzas; keeps at most one unfinished stanza between two pieces.
public struct ArchiveParser {
    /// What to do with a stanza that breaks the format.
    public enum Policy: Sendable {
        /// Throw `ArchiveError.malformed` with the line.
        case refuse
        /// Leave the stanza out and count it.
        case skip
    }

    /// The stanzas read so far, in the order of the text.
    public private(set) var stanzas: [PackageStanza] = []
    /// How many stanzas were left out.
    public private(set) var skipped = 0
    /// The error of the first stanza that was left out.
    public private(set) var firstProblem: ArchiveError?

    private let policy: Policy
    private var pending: [UInt8] = []
    private var line = 1

    /// Creates a parser that skips or refuses malformed stanzas.
    public init(policy: Policy = .skip) {
        self.policy = policy
    }

    /// Reads every stanza that ends in these bytes, and keeps the rest for the next call.
    /// - Throws: `ArchiveError.malformed` under the `refuse` policy.
    public mutating func feed(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        pending.append(contentsOf: bytes)
        let text = pending
        let used = try text.withBytes { buffer throws(ArchiveError) in try consume(buffer, isLast: false) }
        pending.removeFirst(used)
    }

    /// Reads the last stanza, which no empty line needs to close.
    /// - Throws: `ArchiveError.malformed` under the `refuse` policy.
    public mutating func finish() throws(ArchiveError) {
        let text = pending
        pending = []
        _ = try text.withBytes { buffer throws(ArchiveError) in try consume(buffer, isLast: true) }
    }

    /// Reads a whole text at once.
    /// - Throws: `ArchiveError.malformed` under the `refuse` policy.
    public static func parse(_ text: String, policy: Policy = .skip) throws(ArchiveError) -> ArchiveParser {
        var parser = ArchiveParser(policy: policy)
        parser.pending = Array(text.utf8)
        try parser.finish()
        return parser
    }

    private mutating func consume(_ text: Bytes, isLast: Bool) throws(ArchiveError) -> Int {
        var start = 0
        var fields = FieldTable()
        var position = 0
        var nextLine = line
        while position < text.count {
            let newline = text.firstIndex(of: .newline, from: position)
            if newline == nil && !isLast { break }
            let end = newline ?? text.count
            if text.isBlank(position, end) {
                try close(&fields, in: text)
                start = min(end + 1, text.count)
                line = nextLine + 1
            } else {
                fields.addLine(text, from: position, to: end, number: nextLine)
            }
            nextLine += 1
            position = end + 1
        }
        guard isLast else { return start }
        try close(&fields, in: text)
        return text.count
    }

    private mutating func close(_ fields: inout FieldTable, in text: Bytes) throws(ArchiveError) {
        guard !fields.isEmpty else { return }
        do {
            stanzas.append(try fields.stanza(in: text))
        } catch {
            if policy == .refuse { throw error }
            skipped += 1
            if firstProblem == nil { firstProblem = error }
        }
        fields.reset()
    }
}
