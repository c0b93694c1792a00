import Strata
import StrataTestModels

/// Partners that the store has given away, or lost, by the time that an object with changes of its own is saved.
extension PairConflictCases {
    /// A cover that does something as it is checked.
    private final class Cover: ManagedObject {
        var onCheck: (() throws -> Void)?

        override func validateForUpdate() throws {
            try super.validateForUpdate()
            try onCheck?()
        }
    }

    private static let books = ModelResult.declared {
        Entity("Book", attributes: ["name": .string, "history": .string], relationships: ["cover": .toOne("Cover.book")])
        Entity("Cover", class: Cover.self, attributes: ["note": .string], relationships: ["book": .toOne("Book.cover")])
    }

    @ConformanceCaseList static var lost: [ConformanceCase] {
        ConformanceCase("Overwriting takes a partner back that the store has given to another", in: .conflicts) { environment in
            let stack = try six(environment)
            let (here, there) = (stack.context(), stack.context())
            here.mergePolicy = .overwrite
            let a = try here.one("Node", "a")
            try a.setValue(here.one("Leaf", "z"), forKey: "bookmark")
            try set("c", "x", there)
            try there.save()
            try here.save()
            try check(stack, "after the save")
            try expectEqual(try stored(stack), "a-x b-y")
        }
        // What someone saved between two attempts gave way to what the partner had held in the first one.
        ConformanceCase("Overwriting leaves what others make of a partner that joins for the pair alone", in: .conflicts) { environment in
            let stack = try environment.stack(books)
            let first = stack.context()
            for name in ["x", "y"] { try first.add("Book", name) }
            try first.insert("Cover").setValue(first.one("Book", "x"), forKey: "book")
            try first.save()
            let (here, there) = (stack.context(), stack.context())
            here.mergePolicy = .overwrite
            let cover = try unwrap(here.one("Book", "x").one("cover") as? Cover)
            try cover.setValue("torn", forKey: "note")
            let lent = try there.one("Book", "x")
            try lent.setValue("lent", forKey: "history")
            try unwrap(lent.one("cover")).setValue(there.one("Book", "y"), forKey: "book")
            try there.save()
            var checks = 0
            cover.onCheck = {
                checks += 1
                guard checks == 2 else { return }
                let third = stack.context()
                try third.one("Book", "x").setValue("lent, returned", forKey: "history")
                try third.save()
            }
            try here.save()
            cover.onCheck = nil
            let book = try stack.context().one("Book", "x")
            try expectEqual(try book.text("history"), "lent, returned")
            try expectEqual(try book.one("cover")?.text("note"), "torn")
            try expect(checks > 2, "nothing was saved between two attempts")
        }
        ConformanceCase("An object that is saved anew has its partner again where that one is free", in: .conflicts) { environment in
            // Its row referenced the partner, and the partner's row had no reference.
            for isTaken in [false, true] {
                let stack = try six(environment, "taken \(isTaken)")
                let (here, there) = (stack.context(), stack.context())
                here.mergePolicy = .mergeByPropertyObjectTrump
                let a = try here.one("Node", "a")
                try a.setValue(here.one("Leaf", "z"), forKey: "bookmark")
                there.delete(try there.one("Node", "a"))
                if isTaken { try set("c", "x", there) }
                try there.save()
                try here.save()
                try check(stack, "taken \(isTaken)")
                try expectEqual(try stored(stack), isTaken ? "b-y c-x" : "a-x b-y")
            }
        }
        ConformanceCase("A partner left here stays with the one who took it, also where a fetch brings the row", in: .conflicts) {
            environment in
            let stack = try six(environment)
            let (here, there) = (stack.context(), stack.context())
            try set("a", "z", here)
            let x = try here.one("Leaf", "x")
            try set("c", "x", there)
            try there.save()
            for entity in ["Leaf", "Node"] {
                var request = ObjectFetchRequest<ManagedObject>(entityName: entity)
                request.shouldRefreshRefetchedObjects = true
                _ = try here.fetch(request).map { try $0.one("partner") }
            }
            try expectEqual(try x.one("partner")?.text("name"), "c")
            try here.save()
            try check(stack, "after the save")
            try expectEqual(try stored(stack), "a-z b-y c-x")
        }
    }
}
