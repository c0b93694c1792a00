import Foundation

extension Note {
    /// The note as one line of a list.
    var line: String {
        let day = created.formatted(Date.ISO8601FormatStyle(timeZone: .current).year().month().day())
        return (["\(number)", day, title] + tags.map(\.name).sorted().map { "#\($0)" }).joined(separator: "  ")
    }
}

/// A note as other programs read it.
struct ExportedNote: Codable, Equatable {
    var number: Int
    var title: String
    var text: String
    var created: Date
    var tags: [String]

    init(_ note: Note) {
        (number, title, text, created) = (note.number, note.title, note.text, note.created)
        tags = note.tags.map(\.name).sorted()
    }
}
