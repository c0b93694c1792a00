import Strata

/// Reads of the past of a store that several coordinators write.
enum AsOfOtherWriterCases {
    @ConformanceCaseList static var all: [ConformanceCase] {
        // An XML file has no versions of rows: those that follow from the values are in no order.
        ConformanceCase(
            "The past is read where another coordinator changed a row, and then this one changes or deletes it", in: .history,
            requires: [.history, .persistence]
        ) { environment in
            guard let here = try environment.valuesStack(Models.users), let there = try environment.valuesStack(Models.users) else {
                return
            }
            var moments = Moments(of: ["User"], conditions: ["id != nil"])
            let context = here.context()
            for (id, name) in [("1", "a"), ("2", "b"), ("3", "c")] { try context.add("User", name).setValue(id, forKey: "id") }
            try context.save()
            try moments.note(here)
            try there.coordinator.refreshStores(nil)
            for number in 4...12 {
                let (writer, reader) = number.isMultiple(of: 2) ? (there, here) : (here, there)
                let writing = writer.context()
                for name in ["a", "b"] { try writing.one("User", name).setValue("\(number)\(name)", forKey: "id") }
                if number == 12 { writing.delete(try writing.one("User", "a")) }
                try writing.save()
                try reader.coordinator.refreshStores(nil)
                try moments.note(reader)
            }
            try moments.verify(here)
            try moments.verify(there)
            try moments.verify(try here.reopened())
        }
        // An XML file has no order keys: they are given anew when it is opened.
        ConformanceCase(
            "The orders of the past are read after the store was opened again", in: .history, requires: [.history, .persistence]
        ) { environment in
            guard var stack = try environment.valuesStack(Models.shapes) else { return }
            var moments = Moments(of: ["Node", "Leaf"])
            func change(_ body: (ManagedObjectContext, _ nodes: [ManagedObject], _ leaves: [ManagedObject]) throws -> Void) throws {
                let context = stack.context()
                let (nodes, leaves) = (
                    try context.all("Node", sort: [QuerySort("name")]), try context.all("Leaf", sort: [QuerySort("name")])
                )
                try body(context, nodes, leaves)
                try context.save()
                try moments.note(stack)
                stack = try stack.reopened()
            }
            try change { context, _, _ in
                for number in 1...6 {
                    try context.add("Node", "n\(number)")
                    try context.add("Leaf", "l\(number)")
                }
            }
            let ordered = [("children", false), ("ranked", false), ("shelf", true), ("playlist", true), ("queue", true)]
            func setOrder(_ order: [Int], of owners: Range<Int>) throws {
                try change { _, nodes, leaves in
                    for owner in owners {
                        for (name, isOfLeaves) in ordered where name != "children" || owner == 0 {
                            let objects = isOfLeaves ? leaves : nodes
                            try nodes[owner].setValue(order.map { objects[$0] }, forKey: name)
                        }
                    }
                }
            }
            try setOrder([3, 1, 4, 2], of: 0..<2)
            try setOrder([1, 2, 3, 4], of: 0..<1)
            try setOrder([5, 1, 4], of: 1..<2)
            try change { _, nodes, leaves in try leaves[1].setValue([nodes[1], nodes[0]], forKey: "shelves") }
            try change { context, nodes, leaves in
                context.delete(leaves[4])
                try context.clearReferencesWithoutInverse(to: leaves[4])
                try nodes[5].setValue(nodes[1], forKey: "parent")
            }
            try setOrder([0, 3, 2], of: 0..<1)
            try change { context, nodes, _ in context.delete(nodes[1]) }
            try moments.verify(stack)
        }
    }
}
