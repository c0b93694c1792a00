import Strata

/// Ordered relationships, one-to-many and many-to-many.
enum OrderedCases {
    private static func departments(_ count: Int, _ context: ManagedObjectContext) -> [Department] {
        (0..<count).map { index in
            let department = Department(context: context)
            department.name = "d\(index)"
            return department
        }
    }

    private static func company(_ count: Int) -> (ManagedObjectContext) throws -> Void {
        { context in
            let company = Company(context: context)
            company.name = "A"
            company.departments = departments(count, context)
        }
    }

    /// Builds a company of five departments, changes their order, and checks it.
    private static func reordering(
        _ name: String,
        _ expected: [String],
        _ change: @escaping @Sendable (Company, ManagedObjectContext) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name, in: .relationships) { environment in
            try environment.changed(Models.company, company(5)) { context in
                try change(try context.named("A", Company.self), context)
            } check: { context in
                let company = try context.named("A", Company.self)
                try expectEqual(try inOrder(company.departments), expected)
                for department in company.departments { try expect(department.company === company, "\(department) is elsewhere") }
            }
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Members of one owner after the other come in their orders, with their values", in: .relationships) { environment in
            let stack = try environment.stack(Models.company)
            let writer = stack.context()
            let companies = (0..<6).map { number in
                let company = Company(context: writer)
                company.name = "\(number)"
                for index in [2, 0, 1] {
                    let department = Department(context: writer)
                    department.name = "\(number).\(index)"
                    company.add(department, to: Company.departments)
                }
                return company
            }
            companies[4].add(companies[0][Company.departments][1], to: Company.departments, at: 1)
            try writer.save()
            let context = stack.context()
            for (number, company) in companies.enumerated() {
                let found = try unwrap(context.existingObject(with: company.objectID) as? Company)
                var expected = [2, 0, 1].map { "\(number).\($0)" }
                if number == 0 { expected.remove(at: 1) }
                if number == 4 { expected.insert("0.0", at: 1) }
                try expectEqual(inOrder(found[Company.departments]), expected)
            }
        }
        ConformanceCase("A member that is taken out and put back where it was stays there", in: .relationships) { environment in
            // It was saved without its position, and came first when the order was read again.
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let (company, other) = (Company(context: context), Company(context: context))
            let departments = (0..<4).map { number in
                let department = Department(context: context)
                department.name = "\(number)"
                return department
            }
            company.departments = departments
            try context.save()
            let third = departments[2]
            let ways: [(String, () throws -> Void)] = [
                (
                    "a proxy",
                    {
                        company.mutableOrderedSet(Company.departments).insert(
                            company.mutableOrderedSet(Company.departments).remove(at: 2), at: 2)
                    }
                ),
                (
                    "nil in between",
                    {
                        third.company = nil; company.add(third, to: Company.departments, at: 2)
                    }
                ),
                (
                    "another owner in between",
                    {
                        third.company = other; company.add(third, to: Company.departments, at: 2)
                    }
                ),
                (
                    "all at once",
                    {
                        third.company = nil; company.departments = departments
                    }
                ),
                (
                    "by key",
                    {
                        try company.setValue([ManagedObject](), forKey: "departments");
                        try company.setValue(departments, forKey: "departments")
                    }
                ),
                (
                    "and a new one",
                    {
                        third.company = nil
                        let new = Department(context: context)
                        new.name = "4"
                        company.departments = departments + [new]
                    }
                ),
            ]
            for (name, change) in ways {
                try change()
                try context.save()
                let stored = try unwrap(stack.context().object(with: company.objectID) as? Company)
                try expectEqual(stored.departments.compactMap(\.name), company.departments.compactMap(\.name), name)
                try expectEqual(stored.departments.prefix(4).compactMap(\.name), ["0", "1", "2", "3"], name)
            }
        }
        ConformanceCase("An ordered relationship keeps its order", in: .relationships) { environment in
            try environment.everywhere(Models.company) { context in
                let company = Company(context: context)
                company.name = "A"
                company.departments = departments(7, context).reversed()
            } check: { context in
                try expectEqual(try inOrder(context.named("A", Company.self).departments), (0..<7).reversed().map { "d\($0)" })
            }
        }
        reordering("An ordered relationship can be reversed", ["d4", "d3", "d2", "d1", "d0"]) { company, _ in
            company.departments = company.departments.reversed()
        }
        reordering("A member can be inserted in the middle of an ordered relationship", ["d0", "d1", "new", "d2", "d3", "d4"]) {
            company,
            context in
            let department = Department(context: context)
            department.name = "new"
            company.add(department, to: Company.departments, at: 2)
        }
        reordering("A member can be inserted at the start of an ordered relationship", ["new", "d0", "d1", "d2", "d3", "d4"]) {
            company,
            context in
            let department = Department(context: context)
            department.name = "new"
            company.add(department, to: Company.departments, at: 0)
        }
        reordering("A member can be moved within an ordered relationship", ["d0", "d3", "d1", "d2", "d4"]) { company, context in
            company.add(try context.named("d3", Department.self), to: Company.departments, at: 1)
        }
        reordering("A member can leave an ordered relationship", ["d0", "d1", "d3", "d4"]) { company, context in
            let department = try context.named("d2", Department.self)
            company.remove(department, from: Company.departments)
            context.delete(department)
        }
        reordering("A member that joins through its own side comes last", ["d0", "d1", "d2", "d3", "d4", "new"]) { company, context in
            let department = Department(context: context)
            department.name = "new"
            department.company = company
        }
        ConformanceCase("Inserting at one position a hundred times keeps the order", in: .relationships) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let company = Company(context: context)
            company.departments = departments(2, context)
            try context.save()
            var expected = ["d0", "d1"]
            for index in 0..<100 {
                let department = Department(context: context)
                department.name = "n\(index)"
                company.add(department, to: Company.departments, at: 1)
                expected.insert("n\(index)", at: 1)
                if index % 10 == 9 { try context.save() }
            }
            try context.save()
            let found = try unwrap(stack.reopened().context().fetch(ObjectFetchRequest<Company>()).first)
            try expectEqual(try inOrder(found.departments), expected)
        }
        ConformanceCase("A member that moves to another ordered relationship comes last there", in: .relationships) { environment in
            try environment.changed(Models.company) { context in
                for name in ["A", "B"] {
                    let company = Company(context: context)
                    company.name = name
                    for index in 0..<3 {
                        let department = Department(context: context)
                        department.name = "\(name)\(index)"
                        department.company = company
                    }
                }
            } change: { context in
                try context.named("A0", Department.self).company = try context.named("B", Company.self)
            } check: { context in
                try expectEqual(try inOrder(context.named("A", Company.self).departments), ["A1", "A2"])
                try expectEqual(try inOrder(context.named("B", Company.self).departments), ["B0", "B1", "B2", "A0"])
            }
        }
        ConformanceCase("An ordered relationship without an inverse keeps its order", in: .relationships) { environment in
            try environment.changed(Models.shapes) { context in
                let a = try context.add("Node", "a")
                try a.setValue(try ["x", "y", "z"].map { try context.add("Leaf", $0) }, forKey: "queue")
            } change: { context in
                let a = try context.one("Node", "a")
                let queue = try a.ordered("queue")
                try a.setValue([queue[2], try context.add("Leaf", "w"), queue[0]], forKey: "queue")
            } check: { context in
                try expectEqual(try inOrder(context.one("Node", "a").ordered("queue")), ["z", "w", "x"])
            }
        }
        ConformanceCase("A many-to-many relationship ordered at one end keeps that order", in: .relationships) { environment in
            try environment.changed(Models.shapes) { context in
                let leaves = try (0..<4).map { try context.add("Leaf", "l\($0)") }
                try context.add("Node", "a").setValue([leaves[2], leaves[0], leaves[3]], forKey: "playlist")
                try context.add("Node", "b").setValue([leaves[3], leaves[2]], forKey: "playlist")
            } change: { context in
                let a = try context.one("Node", "a")
                try a.setValue(
                    [try context.one("Leaf", "l3"), try context.one("Leaf", "l1"), try context.one("Leaf", "l2")],
                    forKey: "playlist"
                )
            } check: { context in
                try expectEqual(try inOrder(context.one("Node", "a").ordered("playlist")), ["l3", "l1", "l2"])
                try expectEqual(try inOrder(context.one("Node", "b").ordered("playlist")), ["l3", "l2"])
                try expectEqual(try names(context.one("Leaf", "l3").many("playedBy")), ["a", "b"])
                try expectEqual(try names(context.one("Leaf", "l0").many("playedBy")), [])
            }
        }
        ConformanceCase("A many-to-many relationship ordered at both ends keeps both orders", in: .relationships) { environment in
            try environment.everywhere(Models.shapes) { context in
                let leaves = try (0..<3).map { try context.add("Leaf", "l\($0)") }
                let nodes = try (0..<3).map { try context.add("Node", "n\($0)") }
                try nodes[0].setValue([leaves[2], leaves[1], leaves[0]], forKey: "shelf")
                try leaves[0].setValue([nodes[2], nodes[0], nodes[1]], forKey: "shelves")
            } check: { context in
                try expectEqual(try inOrder(context.one("Node", "n0").ordered("shelf")), ["l2", "l1", "l0"])
                try expectEqual(try inOrder(context.one("Leaf", "l0").ordered("shelves")), ["n2", "n0", "n1"])
                try expectEqual(try inOrder(context.one("Node", "n2").ordered("shelf")), ["l0"])
                try expectEqual(try inOrder(context.one("Leaf", "l2").ordered("shelves")), ["n0"])
            }
        }
        ConformanceCase("An ordered relationship that is its own inverse keeps each one's order", in: .relationships) { environment in
            try environment.everywhere(Models.shapes) { context in
                let nodes = try ["a", "b", "c", "d"].map { try context.add("Node", $0) }
                try nodes[0].setValue([nodes[3], nodes[1], nodes[2]], forKey: "ranked")
                try nodes[1].setValue([nodes[2], nodes[0]], forKey: "ranked")
            } check: { context in
                try expectEqual(try inOrder(context.one("Node", "a").ordered("ranked")), ["d", "b", "c"])
                try expectEqual(try inOrder(context.one("Node", "b").ordered("ranked")), ["c", "a"])
                try expectEqual(try names(context.one("Node", "c").ordered("ranked")), ["a", "b"])
                try expectEqual(try names(context.one("Node", "d").ordered("ranked")), ["a"])
            }
        }
        ConformanceCase("An ordered relationship of 1,000 members can be shuffled", in: .relationships) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let company = Company(context: context)
            company.departments = departments(1000, context)
            try context.save()
            var generator = SeededGenerator(seed: 7)
            company.departments = company.departments.shuffled(using: &generator)
            let expected = try inOrder(company.departments)
            try context.save()
            let found = try unwrap(stack.reopened().context().fetch(ObjectFetchRequest<Company>()).first)
            try expectEqual(try inOrder(found.departments), expected)
        }
    }
}
