import CoreData
import Testing

@Suite("L4-b: predicates that are put together") @MainActor
struct L4bCompoundPredicates {
    /// What a list of memos is narrowed by.
    private struct Filter {
        var text = ""
        var isStarred = false
        var isWithoutNote = false
        var note: Note?

        var predicate: NSPredicate {
            var predicates: [NSPredicate] = []
            if !text.isEmpty {
                predicates.append(NSPredicate(format: "itemData.item.name contains[cd] %@ OR content contains[cd] %@", text, text))
            }
            if isStarred { predicates.append(NSPredicate(format: "star = true")) }
            if isWithoutNote { predicates.append(NSPredicate(format: "itemData.item.note = nil")) }
            if let note { predicates.append(NSPredicate(format: "itemData.item.note = %@", note)) }
            return NSCompoundPredicate(type: .and, subpredicates: predicates)
        }
    }

    @Test("Every combination", arguments: StoreKind.allCases)
    func combinations(_ kind: StoreKind) throws {
        let stack = try Stack(Notes.model, kind)
        let note = Note(context: stack.context)
        note.content = "a note"
        for (index, name) in ["Café", "tea", "Cafeteria"].enumerated() {
            let item = Item(context: stack.context)
            item.name = name
            if index == 2 { item.note = note }
            let itemData = ItemData(context: stack.context)
            itemData.item = item
            let memo = Memo(context: stack.context)
            memo.content = "memo \(index)"
            memo.star = index > 0
            memo.itemData = itemData
        }

        func memos(_ filter: Filter) throws -> [String?] {
            let request = NSFetchRequest<Memo>(entityName: "Memo")
            request.predicate = filter.predicate
            request.sortDescriptors = [NSSortDescriptor(keyPath: \Memo.content, ascending: true)]
            let found = try stack.context.fetch(request)
            let all = try stack.context.fetch(NSFetchRequest<Memo>(entityName: "Memo"))
            #expect(Set(found) == Set(all.filter { filter.predicate.evaluate(with: $0) }))
            return found.map(\.content)
        }

        func check() throws {
            #expect(try memos(Filter()) == ["memo 0", "memo 1", "memo 2"])
            #expect(try memos(Filter(text: "CAFE")) == ["memo 0", "memo 2"])
            #expect(try memos(Filter(text: "Memo 1")) == ["memo 1"])
            #expect(try memos(Filter(text: "cafe", isStarred: true)) == ["memo 2"])
            #expect(try memos(Filter(isWithoutNote: true)) == ["memo 0", "memo 1"])
            #expect(try memos(Filter(isStarred: true, isWithoutNote: true)) == ["memo 1"])
            #expect(try memos(Filter(note: note)) == ["memo 2"])
            #expect(try memos(Filter(text: "tea", note: note)) == [])
        }
        try check()
        try stack.context.save()
        try check()
    }
}
