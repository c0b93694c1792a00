/// A range of a text, and its replacement.
struct SourceEdit {
    var range: Range<Int>
    var text: String

    /// Returns the text with all edits, which are sorted and do not overlap.
    static func apply(_ edits: [SourceEdit], to bytes: [UInt8]) -> String {
        var result: [UInt8] = []
        var place = 0
        for edit in edits {
            result += bytes[place..<edit.range.lowerBound]
            result += edit.text.utf8
            place = edit.range.upperBound
        }
        result += bytes[place...]
        return String(decoding: result, as: UTF8.self)
    }
}
