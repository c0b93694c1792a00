import FoundationEssentials
import Strata
import Testing

/// A `#Predicate` is evaluated twice: by Foundation over the objects, and by a fetch.
@Suite("#Predicate means the same to a fetch as to Foundation")
struct PredicateMeaningTests {
    private let context: ManagedObjectContext

    init() throws {
        context = try Firm.context()
        let companies = ["ACME", "Initech", "Hooli"].map { name in
            let company = Company(context: context)
            company.name = name
            return company
        }
        let names = ["Ann", "Bob", "Cid", "Annabel", "", "Dörte", "Eve", "bob", "Fay", "Gus"]
        var employees: [Employee] = []
        for (index, name) in names.enumerated() {
            let employee = index % 4 == 3 ? Manager(context: context) : Employee(context: context)
            employee.name = name
            employee.nick = index % 3 == 0 ? nil : String(name.reversed())
            employee.age = index * 7 % 50
            employee.small = index % 2 == 0 ? nil : Int16(index)
            employee.weight = 50 + Double(index) / 2
            employee.isActive = index % 3 != 1
            employee.rank = index % 5 == 4 ? nil : Rank.allCases[index % 3]
            employee.shift = [.day, .night, .other][index % 3]
            employee.born = Date(timeIntervalSinceReferenceDate: Double(index) * 1000)
            employee.company = index == 9 ? nil : companies[index % 2]
            employee.boss = index > 2 ? employees[index / 2] : nil
            employees.append(employee)
        }
        for index in 0..<6 {
            let project = Project(context: context)
            project.title = index == 5 ? nil : "P\(index)"
            project.budget = index * 10
            project.company = companies[index % 3]
            project.members = Set(employees.enumerated().filter { $0.offset % (index + 2) == 0 }.map(\.element))
        }
        try context.save()
    }

    private func expect<T: ManagedObject>(_ predicate: Predicate<T>, at location: SourceLocation = #_sourceLocation) throws {
        let all = try context.fetch(ObjectFetchRequest<T>())
        let expected = Set(try all.filter { try predicate.evaluate($0) })
        let fetched = Set(try context.fetch(try ObjectFetchRequest(predicate)))
        #expect(fetched == expected, sourceLocation: location)
        #expect(!expected.isEmpty, "the predicate tells nothing apart", sourceLocation: location)
        #expect(expected.count < all.count, "the predicate tells nothing apart", sourceLocation: location)
        let sibling = ManagedObjectContext(context.coordinator)
        let stored = Set(try sibling.fetch(try ObjectFetchRequest(predicate)).map(\.objectID))
        #expect(stored == Set(expected.map(\.objectID)), sourceLocation: location)
    }

    @Test("Values, logic and arithmetic")
    func values() throws {
        let (since, rank) = (Date(timeIntervalSinceReferenceDate: 4500), Rank.senior)
        try expect(#Predicate<Employee> { $0.age > 20 && $0.isActive || $0.name == "Bob" })
        try expect(#Predicate<Employee> { !($0.age > 20) })
        try expect(#Predicate<Employee> { $0.age * 2 - 7 > 30 })
        try expect(#Predicate<Employee> { $0.age / 7 == 3 || $0.age % 7 == 6 })
        try expect(#Predicate<Employee> { -$0.age < -20 })
        try expect(#Predicate<Employee> { (10..<20).contains($0.age) })
        try expect(#Predicate<Employee> { ($0.isActive ? $0.age : 100) > 30 })
        try expect(#Predicate<Employee> { $0.born! > since })
        try expect(#Predicate<Employee> { $0.rank == rank })
        try expect(#Predicate<Employee> { $0.rank != rank })
        try expect(#Predicate<Employee> { $0.weight! / 2 > 26 })
    }

    @Test("Optionals")
    func optionals() throws {
        try expect(#Predicate<Employee> { $0.nick == nil })
        try expect(#Predicate<Employee> { ($0.small ?? 0) < 4 })
        try expect(#Predicate<Employee> { ($0.small ?? 9) < 4 })
        try expect(#Predicate<Employee> { ($0.nick ?? "") != "boB" })
        try expect(#Predicate<Employee> { $0.nick?.contains("b") ?? false })
        try expect(#Predicate<Employee> { $0.nick?.contains("b") ?? true })
        try expect(#Predicate<Employee> { $0.nick?.contains("b") == false })
        try expect(#Predicate<Employee> { $0.nick?.contains("b") != true })
        try expect(#Predicate<Employee> { ($0.nick ?? $0.name) == "Ann" })
        try expect(#Predicate<Employee> { $0.company?.name == "ACME" })
        try expect(#Predicate<Employee> { $0.company?.name != "ACME" })
        try expect(#Predicate<Employee> { $0.boss?.boss?.company?.name == "ACME" })
        try expect(#Predicate<Employee> { $0.company == $0.boss?.company })
        try expect(#Predicate<Employee> { ($0.company?.employees.count ?? 9) > 4 })
        try expect(#Predicate<Employee> { $0.nick.flatMap { $0 == "boB" ? 1 : 2 } == 2 })
    }

    @Test("Text")
    func text() throws {
        try expect(#Predicate<Employee> { $0.name.starts(with: "Ann") })
        try expect(#Predicate<Employee> { $0.name.contains("o") })
        try expect(#Predicate<Employee> { $0.name.isEmpty })
        try expect(#Predicate<Employee> { $0.name.count > 3 })
        try expect(#Predicate<Employee> { $0.name.contains(#/n+a?/#) })
        try expect(#Predicate<Employee> { $0.name.contains(#/^.o/#) })
        try expect(#Predicate<Employee> { "Annabel".contains($0.name) })
    }

    @Test("Collections")
    func collections() throws {
        let names = ["Ann", "Eve"]
        try expect(#Predicate<Employee> { names.contains($0.name) })
        try expect(#Predicate<Employee> { employee in names.contains { $0 == employee.name } })
        try expect(#Predicate<Company> { $0.employees.isEmpty })
        try expect(#Predicate<Company> { $0.employees.contains { $0.age > 45 } })
        try expect(#Predicate<Company> { $0.employees.allSatisfy { $0.age < 45 } })
        try expect(#Predicate<Company> { $0.employees.filter { $0.age > 20 }.count > 2 })
        try expect(#Predicate<Company> { $0.projects.first?.title == "P1" })
        try expect(#Predicate<Company> { $0.projects[1].budget > 35 })
        try expect(#Predicate<Project> { $0.members.contains { $0.projects.count > 3 } && $0.budget > 10 })
        try expect(#Predicate<Project> { project in project.members.contains { $0.age > project.budget } })
        try expect(
            #Predicate<Employee> { employee in
                employee.company.flatMap { $0.projects.contains { $0.budget < employee.age } } ?? false
            })
        try expect(#Predicate<Employee> { employee in employee.boss.flatMap { $0.reports.contains(employee) } ?? false })
    }

    @Test("Objects")
    func objects() throws {
        let company = try #require(try context.fetch(ObjectFetchRequest<Company>(Company.name == "ACME")).first)
        let (id, ids) = (company.objectID, [company.objectID])
        try expect(#Predicate<Employee> { $0.company?.objectID == id })
        try expect(#Predicate<Company> { ids.contains($0.objectID) })
        let model = context.coordinator.model
        let managers = try context.fetch(
            ObjectFetchRequest<Employee>(try QueryPredicate(#Predicate<Employee> { $0 is Manager }, in: model)))
        #expect(managers.count == 2)
        #expect(managers.allSatisfy { $0 is Manager })
    }

    @Test("Key-path predicates find what filters over the objects find")
    func keyPaths() throws {
        func expect<T: ManagedObject>(
            _ condition: some QueryCondition, _ location: SourceLocation = #_sourceLocation, _ holds: (T) -> Bool
        ) throws {
            let expected = Set(try context.fetch(ObjectFetchRequest<T>()).filter(holds))
            #expect(Set(try context.fetch(ObjectFetchRequest<T>(condition.predicate))) == expected, sourceLocation: location)
            #expect(!expected.isEmpty, sourceLocation: location)
        }
        try expect((\Company.employees).any(\Employee.age > 45)) { (it: Company) in it.employees.contains { $0.age > 45 } }
        try expect((\Company.employees).all(\Employee.age < 45)) { (it: Company) in it.employees.allSatisfy { $0.age < 45 } }
        try expect((\Company.employees).none(\Employee.age > 45)) { (it: Company) in !it.employees.contains { $0.age > 45 } }
        try expect(Company.employees.any(Employee.projects.any(Project.budget == 40))) { (it: Company) in
            it.employees.contains { $0.projects.contains { $0.budget == 40 } }
        }
        try expect(Company.projects.sum(Project.budget) > 40) { (it: Company) in it.projects.reduce(0) { $0 + $1.budget } > 40 }
        try expect(Company.projects.filter(Project.budget > 10).count > 1) { (it: Company) in
            it.projects.filter { $0.budget > 10 }.count > 1
        }
        try expect(Employee.company.meets(Company.projects.max(Project.budget) > 30)) { (it: Employee) in
            (it.company?.projects.map(\.budget).max() ?? 0) > 30
        }
        try expect((\Employee.name).contains("ANN", .caseInsensitive)) { (it: Employee) in it.name.lowercased().contains("ann") }
        try expect(\Employee.age * 2 > 60 && (\Employee.name).length > 2) { (it: Employee) in it.age * 2 > 60 && it.name.count > 2 }
        try expect((\Employee.small).ifNil(0) == 0) { (it: Employee) in (it.small ?? 0) == 0 }
        try expect(Employee.name.uppercased == "BOB") { (it: Employee) in it.name.uppercased() == "BOB" }
        try expect(\Employee.company == \Employee.boss?.company) { (it: Employee) in it.company == it.boss?.company }
    }
}
