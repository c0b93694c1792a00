import Strata

/// Partners that the store has given away, or lost, by the time that an object with changes of its own is saved.
extension PairConflictCases {
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
        ConformanceCase("An object that is saved anew has its partner again where that one is free", in: .conflicts) { environment in
            // Its row led to the partner, and the partner's to nobody.
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
