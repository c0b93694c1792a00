import CoreData
import Foundation
import Testing

/// What views show of an item, free of its context.
private struct ItemModel: Equatable, Identifiable, Sendable {
    enum Rank: Int32 {
        case low, middle, high
    }

    var id: URL
    var name: String
    var rank: Rank
    var note: String?
}

extension Item {
    fileprivate var viewModel: ItemModel {
        ItemModel(
            id: objectID.uriRepresentation(), name: name ?? "", rank: ItemModel.Rank(rawValue: rank) ?? .low, note: note?.content)
    }
}

@MainActor
private final class ItemStore {
    let context: NSManagedObjectContext

    init(_ context: NSManagedObjectContext) { self.context = context }

    private func _prepareNote(_ text: String) -> Note {
        let note = Note(context: context)
        note.content = text
        return note
    }

    func add(_ name: String, _ rank: Int, note: String?) throws -> ItemModel {
        let item = Item(context: context)
        item.name = name
        item.rank = Int32(rank)
        item.note = note.map(_prepareNote)
        try context.save()
        return item.viewModel
    }

    func _updateNote(_ model: ItemModel) throws {
        guard let id = context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: model.id),
            let item = try context.existingObject(with: id) as? Item
        else { return }
        item.name = model.name
        item.rank = model.rank.rawValue
        if let text = model.note {
            if let note = item.note { note.content = text } else { item.note = _prepareNote(text) }
        } else if let note = item.note {
            context.delete(note)
        }
        try context.save()
    }

    func all() throws -> [ItemModel] {
        let request = NSFetchRequest<Item>(entityName: "Item")
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Item.rank, ascending: false)]
        return try context.fetch(request).map(\.viewModel)
    }
}

@Suite("L4-d: values for views, and back") @MainActor
struct L4dViewModels {
    @Test("They go both ways", arguments: StoreKind.allCases)
    func conversion(_ kind: StoreKind) throws {
        let stack = try Stack(Notes.model, kind)
        let store = ItemStore(stack.context)
        var first = try store.add("first", 1, note: nil)
        var second = try store.add("second", 2, note: "a note")
        #expect(first.rank == .middle)
        #expect(try store.all() == [second, first])
        first.rank = .high
        first.note = "new"
        second.rank = .low
        second.note = nil
        try store._updateNote(first)
        try store._updateNote(second)
        stack.context.refreshAllObjects()
        #expect(try store.all() == [first, second])
        #expect(try stack.context.count(for: NSFetchRequest<Note>(entityName: "Note")) == 1)
    }
}
