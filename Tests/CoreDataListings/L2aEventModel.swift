import Foundation

/// L2-a: what a program shows of an event.
final class MXWEventModel {
    var id: Int64
    var title: String
    var isDone: Bool
    var date: Date?

    init(id: Int64, title: String, isDone: Bool = false, date: Date? = nil) {
        self.id = id
        self.title = title
        self.isDone = isDone
        self.date = date
    }
}
