import Strata

/// To-one relationships and one-to-one pairs.
enum ToOneCases {
    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase(
            "Relating an object without a context to one that has a context inserts it, with all it leads to", in: .relationships
        ) {
            environment in
            // It stayed outside, and the save stored nothing of it.
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let company = Company(context: context)
            try context.save()
            let entity = try unwrap(context.model.entity(named: "Person"))
            let person = try Person(entity: entity, insertInto: nil)
            let boss = try Person(entity: entity, insertInto: nil)
            (person.name, boss.name) = ("p", "b")
            person.boss = boss
            person.company = company
            try expect(person.managedObjectContext === context && boss.managedObjectContext === context, "they are outside")
            try expectEqual(company.people, [person])
            let other = try Person(entity: entity, insertInto: nil)
            other.name = "o"
            other.friends = [person]
            try context.save()
            try expectEqual(try stack.reopened().context().names(of: Person.self), ["b", "o", "p"])
        }
        ConformanceCase("A to-one relationship is there after a save", in: .relationships) { environment in
            try environment.everywhere(Models.company) { context in
                let company = Company(context: context)
                company.name = "A"
                _ = Person("p", context, company: company)
                _ = Person("q", context)
            } check: { context in
                try expectEqual(try context.named("p", Person.self).company?.name, "A")
                try expect(try context.named("q", Person.self).company == nil, "q has a company")
            }
        }
        ConformanceCase("A to-one relationship can be emptied", in: .relationships) { environment in
            try environment.changed(Models.company) { context in
                let company = Company(context: context)
                company.name = "A"
                _ = Person("p", context, company: company)
            } change: { context in
                try context.named("p", Person.self).company = nil
            } check: { context in
                try expect(try context.named("p", Person.self).company == nil, "p has a company")
                try expectEqual(try context.named("A", Company.self).people.count, 0)
            }
        }
        ConformanceCase("A to-one relationship can lead elsewhere", in: .relationships) { environment in
            try environment.changed(Models.company) { context in
                for name in ["A", "B"] { Company(context: context).name = name }
                _ = Person("p", context, company: try context.named("A", Company.self))
            } change: { context in
                try context.named("p", Person.self).company = try context.named("B", Company.self)
            } check: { context in
                try expectEqual(try context.named("p", Person.self).company?.name, "B")
                try expectEqual(try context.named("A", Company.self).people.count, 0)
                try expectEqual(try names(context.named("B", Company.self).people), ["p"])
            }
        }
        ConformanceCase("Both ends of a one-to-one relationship know each other", in: .relationships) { environment in
            try environment.everywhere(Models.shapes) { context in
                let (a, b) = (try context.add("Node", "a"), try context.add("Node", "b"))
                try a.setValue(b, forKey: "next")
                try context.add("Leaf", "l").setValue(b, forKey: "partner")
            } check: { context in
                let (a, b, l) = (try context.one("Node", "a"), try context.one("Node", "b"), try context.one("Leaf", "l"))
                try expect(try a.one("next") === b && b.one("previous") === a, "a and b are not neighbours")
                try expect(try a.one("previous") == nil && b.one("next") == nil, "the chain has no ends")
                try expect(try b.one("partner") === l && l.one("partner") === b && a.one("partner") == nil, "l and b are not partners")
            }
        }
        ConformanceCase("A one-to-one partner that is taken away has none any more", in: .relationships) { environment in
            try environment.changed(Models.shapes) { context in
                let leaves = try (0..<2).map { try context.add("Leaf", "l\($0)") }
                for (index, leaf) in leaves.enumerated() { try context.add("Node", "n\(index)").setValue(leaf, forKey: "partner") }
            } change: { context in
                try context.one("Node", "n0").setValue(try context.one("Leaf", "l1"), forKey: "partner")
            } check: { context in
                let (n0, n1) = (try context.one("Node", "n0"), try context.one("Node", "n1"))
                let (l0, l1) = (try context.one("Leaf", "l0"), try context.one("Leaf", "l1"))
                try expect(try n0.one("partner") === l1 && l1.one("partner") === n0, "n0 and l1 are not partners")
                try expect(try n1.one("partner") == nil && l0.one("partner") == nil, "n1 or l0 has a partner")
            }
        }
        ConformanceCase("A to-one relationship that is its own inverse joins two objects", in: .relationships) { environment in
            try environment.changed(Models.shapes) { context in
                let (a, b) = (try context.add("Node", "a"), try context.add("Node", "b"))
                try context.add("Node", "c")
                try a.setValue(b, forKey: "twin")
            } change: { context in
                try context.one("Node", "c").setValue(try context.one("Node", "a"), forKey: "twin")
            } check: { context in
                let (a, b, c) = (try context.one("Node", "a"), try context.one("Node", "b"), try context.one("Node", "c"))
                try expect(try a.one("twin") === c && c.one("twin") === a, "a and c are not twins")
                try expect(try b.one("twin") == nil, "b has a twin")
            }
        }
        ConformanceCase("An object can be related to itself", in: .relationships) { environment in
            try environment.everywhere(Models.shapes) { context in
                let a = try context.add("Node", "a")
                for relationship in ["twin", "next", "parent"] { try a.setValue(a, forKey: relationship) }
                for relationship in ["peers", "likes", "ranked"] { try a.setValue([a], forKey: relationship) }
            } check: { context in
                let a = try context.one("Node", "a")
                for relationship in ["twin", "next", "previous", "parent"] {
                    try expect(try a.one(relationship) === a, "\(relationship) does not lead to itself")
                }
                try expectEqual(try a.ordered("children"), [a])
                try expectEqual(try a.ordered("ranked"), [a])
                for relationship in ["peers", "likes", "likedBy"] { try expectEqual(try a.many(relationship), [a]) }
            }
        }
        ConformanceCase("A cycle of new objects is saved at once", in: .relationships) { environment in
            try environment.everywhere(Models.shapes) { context in
                let nodes = try (0..<5).map { try context.add("Node", "n\($0)") }
                for index in 0..<5 { try nodes[index].setValue(nodes[(index + 1) % 5], forKey: "next") }
            } check: { context in
                let start = try context.one("Node", "n0")
                var current = start
                for _ in 0..<5 { current = try unwrap(current.one("next")) }
                try expect(current === start, "the cycle does not close")
            }
        }
        ConformanceCase("Several objects may lead to one without an inverse", in: .relationships) { environment in
            try environment.changed(Models.shapes) { context in
                let leaf = try context.add("Leaf", "l")
                for index in 0..<3 { try context.add("Node", "n\(index)").setValue(leaf, forKey: "bookmark") }
            } change: { context in
                try context.one("Node", "n2").setValue(nil, forKey: "bookmark")
            } check: { context in
                let leaf = try context.one("Leaf", "l")
                try expect(try context.one("Node", "n0").one("bookmark") === leaf, "n0 leads elsewhere")
                try expect(try context.one("Node", "n1").one("bookmark") === leaf, "n1 leads elsewhere")
                try expect(try context.one("Node", "n2").one("bookmark") == nil, "n2 leads somewhere")
            }
        }
        ConformanceCase("An ID that a to-one relationship leads to needs no row", in: .relationships) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let company = Company(context: context)
            let person = Person("p", context, company: company)
            try context.save()
            let other = stack.context()
            let found = try other.named("p", Person.self)
            try expectEqual(try found.objectIDs(forRelationshipNamed: "company"), [company.objectID])
            try expect(other.registeredObject(for: company.objectID) == nil, "the company was made")
            try expectEqual(try person.objectIDs(forRelationshipNamed: "boss"), [])
        }
    }
}
