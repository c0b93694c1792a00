#if Macros
    import Foundation
    import Strata
    import StrataSQLite

    /// The code of the guide "Getting started".
    enum GettingStartedPage {
        @Model final class Company: ManagedObject {
            #Unique<Company>([\.name])

            var name: String
            @Relationship(deleteRule: .cascade, inverse: \Employee.company) var employees: [Employee] = []

            init(name: String) { self.name = name }
        }

        @Model final class Employee: ManagedObject {
            #Index<Employee>([\.name])

            var name: String
            var salary: Decimal = 0
            var born: Date?
            var company: Company?

            init(name: String) { self.name = name }
        }

        final class City: ManagedObject {
            static let name = Key<String>("name")
            static let streets = ToMany<Street>("streets")
            var name: String? {
                get { self[Self.name] }
                set { self[Self.name] = newValue }
            }
            var streets: Set<Street> {
                get { self[Self.streets] }
                set { self[Self.streets] = newValue }
            }
        }

        final class Street: ManagedObject {
            static let city = ToOne<City>("city")
        }

        static func open() throws -> PersistentContainer {
            let container = try PersistentContainer(for: Company.self, stores: [StoreDescription(.sqlite, path: "company.sqlite")])
            return container
        }

        static func insert(_ context: ManagedObjectContext) throws {
            let acme = Company(name: "Acme")
            acme.employees = [Employee(name: "Ada"), Employee(name: "Bob")]
            context.insert(acme)
            try context.save()
        }

        @MainActor static func background(_ container: PersistentContainer) async throws -> String {
            let id = try await container.performBackgroundTask { context in
                let company = Company(name: "Globex")
                context.insert(company)
                try context.save()
                return company.objectID
            }
            let globex = try container.viewContext.existingObject(with: id, as: Company.self)
            return globex.name
        }

        static func fetch(_ context: ManagedObjectContext) throws -> (rich: [String], count: Int, totals: Int) {
            let rich = try context.fetch(
                Employee.self, where: Employee.salary > 100_000 && Employee.company.appending(Company.name) == "Acme",
                sort: [Employee.name.ascending], limit: 20)
            let count = try context.count(Employee.self)
            let totals = try context.fetchDictionaries(
                ObjectFetchRequest<Employee>().grouped(by: ["company.name"], computing: [.count(), .sum("salary")]))
            return (rich.map(\.name), count, totals.count)
        }

        static func snapshot(_ context: ManagedObjectContext, _ ids: [ObjectID]) throws {
            try context.withSnapshot {
                for id in ids { print(try context.existingObject(with: id)) }
            }
        }

        static func declared() throws -> ManagedObjectModel {
            let model = try ManagedObjectModel {
                Entity("City", class: City.self) {
                    Attribute(City.name, .string).required
                    Relationship(City.streets, to: "Street", inverse: "city", deleteRule: .cascade)
                    Unique("name")
                }
                Entity("Street", class: Street.self) {
                    Relationship(Street.city, to: "City", inverse: "streets").required
                }
            }
            return model
        }
    }
#endif
