import Foundation
import Strata

/// A note, with the number by which people name it.
@Model final class Note: ManagedObject {
    #Unique<Note>([\.number])
    #Index<Note>([\.created])

    var number: Int
    @Attribute(.validation(.length(1...200), .pattern("[^\\n\\r]*"))) var title: String
    var text: String
    var created = Date()
    @Relationship(inverse: \Tag.notes) var tags: Set<Tag> = []

    init(number: Int, title: String, text: String) {
        self.number = number
        self.title = title
        self.text = text
    }
}

/// A word that notes are found by; it exists as long as a note has it.
@Model final class Tag: ManagedObject {
    #Unique<Tag>([\.name])

    @Attribute(.validation(.length(1...50), .pattern("[^\\s,#]*"))) var name: String
    var notes: Set<Note> = []

    init(name: String) { self.name = name }
}
