struct SourceEdit {
    var range: Range<Int>
    var text: String

    /// Returns the text with all edits, which are sorted and do not overlap.
    static func apply(_ edits: [SourceEdit], to bytes: [UInt8]) -> String {
        var result: [UInt8] = []
        var offset = 0
        for edit in edits {
            result += bytes[offset..<edit.range.lowerBound]
            result += edit.text.utf8
            offset = edit.range.upperBound
        }
        result += bytes[offset...]
        return String(decoding: result, as: UTF8.self)
    }
}
