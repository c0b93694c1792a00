import Strata

/// To-many relationships whose inverse is to-one, and those without an inverse.
enum ToManyCases {
    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A to-many relationship is seen from both sides", in: .relationships) { environment in
            try environment.everywhere(Models.company) { context in
                let company = Company(context: context)
                company.name = "A"
                company.people = [Person("x", context), Person("y", context)]
                _ = Person("z", context, company: company)
            } check: { context in
                let company = try context.named("A", Company.self)
                try expectEqual(try names(company.people), ["x", "y", "z"])
                for person in company.people { try expect(person.company === company, "\(person) is elsewhere") }
            }
        }
        ConformanceCase("Members move between owners, and both owners know", in: .relationships) { environment in
            try environment.changed(Models.company) { context in
                for name in ["A", "B"] { Company(context: context).name = name }
                for name in ["x", "y", "z"] { _ = Person(name, context, company: try context.named("A", Company.self)) }
            } change: { context in
                let (a, b) = (try context.named("A", Company.self), try context.named("B", Company.self))
                b.add(try context.named("x", Person.self), to: Company.people)
                try context.named("y", Person.self).company = b
                a.remove(try context.named("z", Person.self), from: Company.people)
            } check: { context in
                try expectEqual(try context.named("A", Company.self).people.count, 0)
                try expectEqual(try names(context.named("B", Company.self).people), ["x", "y"])
                try expect(try context.named("z", Person.self).company == nil, "z has a company")
            }
        }
        ConformanceCase("Setting a to-many relationship replaces its members", in: .relationships) { environment in
            try environment.changed(Models.company) { context in
                let company = Company(context: context)
                company.name = "A"
                for name in ["x", "y"] { _ = Person(name, context, company: company) }
                _ = Person("z", context)
            } change: { context in
                try context.named("A", Company.self).people = [try context.named("y", Person.self), try context.named("z", Person.self)]
            } check: { context in
                try expectEqual(try names(context.named("A", Company.self).people), ["y", "z"])
                try expect(try context.named("x", Person.self).company == nil, "x has a company")
            }
        }
        ConformanceCase("Members can be added without loading the others", in: .relationships) { environment in
            try environment.changed(Models.company) { context in
                let company = Company(context: context)
                company.name = "A"
                for index in 0..<10 { _ = Person("p\(index)", context, company: company) }
            } change: { context in
                let company = try context.named("A", Company.self)
                company.add(Person("new", context), to: Company.people)
                try expect(company.hasFault(forRelationshipNamed: "people"), "adding loaded the members")
            } check: { context in
                try expectEqual(try context.named("A", Company.self).people.count, 11)
            }
        }
        ConformanceCase("A fault that gains and loses members stays a fault, and still has its values", in: .relationships) { environment in
            let stack = try environment.stack(Models.company)
            let writer = stack.context()
            let saved = Company(context: writer)
            saved.name = "A"
            let old = Person("old", writer, company: saved)
            try writer.save()
            let context = stack.context()
            let company = try unwrap(context.object(with: saved.objectID) as? Company)
            company.add(Person("new", context), to: Company.people)
            context.delete(context.object(with: old.objectID))
            try context.save()
            try expectEqual(company.name, "A")
            try expectEqual(try names(company.people), ["new"])
        }
        ConformanceCase("A tree of objects through one to-many relationship comes back", in: .relationships) { environment in
            try environment.everywhere(Models.company) { context in
                let root = Person("root", context)
                for index in 0..<3 {
                    let child = Person("c\(index)", context)
                    child.boss = root
                    for leaf in 0..<2 { Person("c\(index)l\(leaf)", context).boss = child }
                }
            } check: { context in
                let root = try context.named("root", Person.self)
                try expect(root.boss == nil, "the root has a boss")
                try expectEqual(try names(root.reports), ["c0", "c1", "c2"])
                try expectEqual(try names(root.reports.flatMap(\.reports)), ["c0l0", "c0l1", "c1l0", "c1l1", "c2l0", "c2l1"])
            }
        }
        ConformanceCase("A to-many relationship without an inverse is kept", in: .relationships) { environment in
            try environment.everywhere(Models.shapes) { context in
                let (a, b) = (try context.add("Node", "a"), try context.add("Node", "b"))
                let leaves = try (0..<4).map { try context.add("Leaf", "l\($0)") }
                try a.setValue(Set(leaves[0...1]), forKey: "basket")
                try b.setValue(Set(leaves[2...2]), forKey: "basket")
            } check: { context in
                try expectEqual(try names(context.one("Node", "a").many("basket")), ["l0", "l1"])
                try expectEqual(try names(context.one("Node", "b").many("basket")), ["l2"])
            }
        }
        ConformanceCase("A to-many relationship without an inverse can be changed", in: .relationships) { environment in
            try environment.changed(Models.shapes) { context in
                let a = try context.add("Node", "a")
                try a.setValue(Set(try (0..<4).map { try context.add("Leaf", "l\($0)") }), forKey: "basket")
            } change: { context in
                let a = try context.one("Node", "a")
                var leaves = try a.many("basket")
                leaves.remove(try context.one("Leaf", "l1"))
                leaves.insert(try context.add("Leaf", "l9"))
                try a.setValue(leaves, forKey: "basket")
            } check: { context in
                try expectEqual(try names(context.one("Node", "a").many("basket")), ["l0", "l2", "l3", "l9"])
                try expectEqual(try context.all("Leaf").count, 5)
            }
        }
        ConformanceCase("The destinations of a relationship are known by ID, in the order of their references", in: .relationships) {
            environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let company = Company(context: context)
            let people = (0..<6).map { Person("p\($0)", context, company: company) }
            try context.save()
            let other = stack.context()
            let ids = try other.object(with: company.objectID).objectIDs(forRelationshipNamed: "people")
            try expectEqual(ids, people.map(\.objectID).sorted { $0.reference < $1.reference })
            try expect(other.registeredObject(for: people[0].objectID) == nil, "the destinations were made")
        }
        ConformanceCase("A relationship has 10,000 members", in: .relationships) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let company = Company(context: context)
            company.name = "A"
            for index in 0..<10_000 { Person(context: context).setMember(of: company, index) }
            try context.save()
            let again = try stack.reopened().context()
            let found = try again.named("A", Company.self)
            try expectEqual(try found.objectIDs(forRelationshipNamed: "people").count, 10_000)
            try expectEqual(try again.count(for: ObjectFetchRequest<Person>(key("company") == .objectID(found.objectID))), 10_000)
        }
        ConformanceCase("Changing a member twice in one context ends at the last owner", in: .relationships) { environment in
            try environment.changed(Models.company) { context in
                for name in ["A", "B", "C"] { Company(context: context).name = name }
                _ = Person("x", context, company: try context.named("A", Company.self))
            } change: { context in
                let person = try context.named("x", Person.self)
                for name in ["B", "A", "C", "B"] { person.company = try context.named(name, Company.self) }
            } check: { context in
                let counts = try ["A", "B", "C"].map { try context.named($0, Company.self).people.count }
                try expectEqual(counts, [0, 1, 0])
            }
        }
    }
}

extension Person {
    fileprivate func setMember(of company: Company, _ index: Int) {
        age = Int16(index % 100)
        self.company = company
    }
}
