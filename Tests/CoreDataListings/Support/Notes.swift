import CoreData

final class Note: NSManagedObject {
    @NSManaged var content: String?
    @NSManaged var item: Item?
}

final class Item: NSManagedObject {
    @NSManaged var name: String?
    @NSManaged var timestamp: Date?
    @NSManaged var rank: Int32
    @NSManaged var note: Note?
}

final class ItemData: NSManagedObject {
    @NSManaged var item: Item?
}

final class Memo: NSManagedObject {
    @NSManaged var content: String?
    @NSManaged var star: Bool
    @NSManaged var itemData: ItemData?
}

/// Memos about items, of which some have a note.
@MainActor
enum Notes {
    static let model: NSManagedObjectModel = {
        let note = entity(
            "Note", Note.self,
            [attribute("content", .stringAttributeType, isOptional: false), attribute("picture", .binaryDataAttributeType)])
        let item = entity(
            "Item", Item.self,
            [
                attribute("name", .stringAttributeType), attribute("timestamp", .dateAttributeType),
                attribute("rank", .integer32AttributeType, default: 0),
            ])
        let itemData = entity("ItemData", ItemData.self, [])
        let memo = entity(
            "Memo", Memo.self,
            [attribute("content", .stringAttributeType), attribute("star", .booleanAttributeType, default: false)])
        relate(toOne("item"), of: note, toOne("note"), of: item)
        relate(toMany("datas"), of: item, toOne("item"), of: itemData)
        relate(toMany("memos"), of: itemData, toOne("itemData"), of: memo)
        return makeModel(note, item, itemData, memo)
    }()
}
