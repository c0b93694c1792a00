import Strata

/// What is asked for in one line.
enum ShortRequestCases {
    private static func people(_ environment: ConformanceEnvironment) throws -> (stack: ConformanceStack, context: ManagedObjectContext) {
        let stack = try environment.stack(Models.company)
        let first = stack.context()
        let (acme, zeta) = (Company(context: first), Company(context: first))
        (acme.name, zeta.name) = ("acme", "zeta")
        for (index, name) in ["a", "b", "c", "d"].enumerated() {
            let person = Person(name, first, age: Int16(index), company: index < 3 ? acme : zeta)
            person.salary = Double(index) * 10
        }
        let department = Department(context: first)
        department.company = acme
        try first.save()
        return (stack, stack.context())
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Objects are fetched, counted and found by their class and a condition", in: .queries) { environment in
            let (_, context) = try people(environment)
            try expectEqual(try context.fetch(Person.self).count, 4)
            try expectEqual(
                try inOrder(context.fetch(Person.self, where: Person.age >= 1, sort: [Person.age.descending], limit: 2, offset: 1)),
                ["c", "b"])
            try expectEqual(try inOrder(context.fetch(Person.self, where: \Person.age >= 2, sort: [(\Person.name).ascending])), ["c", "d"])
            try expectEqual(try context.count(Person.self), 4)
            try expectEqual(try context.count(Person.self, where: Person.age < 2), 2)
            try expectEqual(try context.count(Person.self, where: \Person.age < 1), 1)
            try expectEqual(try context.first(Person.self, where: Person.age > 0, sort: [Person.age.descending])?.name, "d")
            try expectEqual(try context.first(where: \Person.name == "b")?.age, 1)
            try expect(try context.first(Person.self, where: Person.age > 99) == nil, "somebody is older")
            let typed: Person? = try context.first(where: Person.name == "c")
            try expectEqual(typed?.age, 2)
        }
        ConformanceCase("Objects that meet a condition are deleted as others are, with their delete rules", in: .queries) { environment in
            let (stack, context) = try people(environment)
            try expectEqual(try context.delete(Company.self, where: Company.name == "acme"), 1)
            try expectEqual(try context.delete(Person.self, where: \Person.age == 3), 1)
            try expectEqual(try context.delete(Person.self, where: Person.age == 99), 0)
            try expectEqual(try stack.context().count(Company.self), 2)
            try context.save()
            let other = try stack.reopened().context()
            try expectEqual(try other.names(of: Company.self), ["zeta"])
            // Cascade took the department along, and nullify left the people.
            try expectEqual(try other.count(Department.self), 0)
            try expectEqual(try other.fetch(Person.self).map { $0.company == nil }, [true, true, true])
        }
        ConformanceCase("Objects are sorted by the number of their members, and what is computed of these", in: .queries) { environment in
            let (stack, _) = try people(environment)
            let context = try stack.reopened().context()
            let empty = Company(context: context)
            empty.name = "empty"
            try context.save()
            func sorted(_ sort: [QuerySort], limit: Int? = nil, offset: Int = 0, _ context: ManagedObjectContext) throws -> [String] {
                try inOrder(context.fetch(Company.self, sort: sort, limit: limit, offset: offset))
            }
            try expectEqual(try sorted([QuerySort("people.@count")], context), ["empty", "zeta", "acme"])
            try expectEqual(try sorted([Company.people.count.descending], context), ["acme", "zeta", "empty"])
            try expectEqual(try sorted([QuerySort("people.@count", ascending: false)], limit: 1, offset: 1, context), ["zeta"])
            try expectEqual(try sorted([QuerySort("people.age.@max")], context), ["empty", "acme", "zeta"])
            // Equal keys go by those that follow.
            try expectEqual(try sorted([QuerySort("departments.@count"), QuerySort("name")], context), ["empty", "zeta", "acme"])
            try expectEqual(try sorted([QuerySort("city"), QuerySort("people.@count")], context), ["empty", "zeta", "acme"])
            let request = ObjectFetchRequest<Company>(sort: [QuerySort("people.@count")], limit: 2)
            try expectEqual(try context.fetchObjectIDs(request).count, 2)
            try expectEqual(try context.count(for: request), 2)
            let typed = ObjectFetchRequest<Company>(\Company.name != "zeta", sort: [(\Company.people).count.descending])
            try expectEqual(try inOrder(context.fetch(typed)), ["acme", "empty"])
        }
        ConformanceCase("The number of members that objects are sorted by counts what is not saved", in: .queries) { environment in
            let (_, context) = try people(environment)
            let zeta = try context.named("zeta", Company.self)
            for index in 0..<5 { _ = Person("new\(index)", context, company: zeta) }
            let new = Company(context: context)
            new.name = "new"
            let sort = [QuerySort("people.@count", ascending: false)]
            try expectEqual(try inOrder(context.fetch(Company.self, sort: sort)), ["zeta", "acme", "new"])
        }
        ConformanceCase("Objects are not sorted by members, nor by a path that is none", in: .queries) { environment in
            let (_, context) = try people(environment)
            for path in ["people.name", "people.@nothing", "nothing.@count", "name.@count"] {
                try expectThrows(QueryError.self) { try context.fetch(Company.self, sort: [QuerySort(path)]) }
            }
        }
        ConformanceCase("Objects are grouped by what a to-many relationship leads to, in each group once", in: .queries) { environment in
            let (stack, context) = try people(environment)
            let skills = ["swim", "run", "run"].map { name in
                let skill = Skill(context: context)
                skill.name = name
                return skill
            }
            let all = try context.fetch(Person.self, sort: [Person.name.ascending])
            all[0].skills = Set(skills)
            all[1].skills = [skills[0]]
            all[2].skills = [skills[1], skills[2]]
            try context.save()
            let other = try stack.reopened().context()
            let groups = try other.fetchDictionaries(
                ObjectFetchRequest<Person>().grouped(by: ["skills.name"], computing: [.count(), .sum(Person.age)]))
            try expectEqual(groups.map { $0["skills.name"] }, [.null, "run", "swim"])
            try expectEqual(groups.map { $0["count"] }, [1, 2, 2])
            try expectEqual(groups.map { $0["sum_age"] }, [3, 2, 1])
            let both = try other.fetchDictionaries(
                ObjectFetchRequest<Person>().grouped(
                    by: ["company.name", "skills.name"], computing: [.count()], having: key("count") > 1))
            try expectEqual(both.map { $0["company.name"] }, ["acme", "acme"])
            try expectEqual(both.map { $0["skills.name"] }, ["run", "swim"])
        }
        ConformanceCase("Aggregates are over typed keys and key paths, too", in: .queries) { environment in
            let (_, context) = try people(environment)
            let groups = try context.fetchDictionaries(
                ObjectFetchRequest<Person>().grouped(
                    by: ["company.name"],
                    computing: [.sum(Person.age), .average(Person.salary), .max(\Person.name), .count(Person.salary, as: "paid")]))
            try expectEqual(groups.map { $0["company.name"] }, ["acme", "zeta"])
            try expectEqual(groups.map { $0["sum_age"] }, [3, 3])
            try expectEqual(groups.map { $0["average_salary"] }, [10.0, 30.0])
            try expectEqual(groups.map { $0["max_name"] }, ["c", "d"])
            try expectEqual(groups.map { $0["paid"] }, [3, 1])
        }
        ConformanceCase("Classes that are values make objects, and so do entities without a context", in: .saving) { environment in
            let (stack, context) = try people(environment)
            func make<T: ManagedObject>(_ type: T.Type) -> T { T(context: context) }
            make(Person.self).name = "made"
            context.insert(Person.self).name = "inserted"
            let model = stack.container.model
            let loose = try Person(entity: unwrap(model.entity(named: "Person")), insertInto: nil)
            let company = try ManagedObject(entity: unwrap(model.entity(named: "Company")), insertInto: nil)
            loose.name = "loose"
            try company.setValue("loose company", forKey: "name")
            try loose.setValue(company, forKey: "company")
            try expect(loose.managedObjectContext == nil && !loose.hasChanges, "it is in a context")
            context.insert(loose)
            try expect(loose.isInserted && company.isInserted && company.managedObjectContext === context, "it was not inserted")
            try context.save()
            let other = try stack.reopened().context()
            try expectEqual(try other.count(Person.self), 7)
            try expectEqual(try other.named("loose", Person.self).company?.name, "loose company")
            try expectEqual(try names(other.named("loose company", Company.self).people), ["loose"])
        }
    }
}
