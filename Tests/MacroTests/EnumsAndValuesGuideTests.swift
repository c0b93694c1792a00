#if Macros
    import Foundation
    import Strata
    import StrataSQLite
    import StrataTestSupport
    import Testing

    @Model final class Recipe: ManagedObject {
        #Unique<Recipe>([\.title])

        var title: String
        var course: Course = .main
        var level: Level?
        var steps: [String] = []
        var credit: Credit?
        var nutrition: Nutrition?
        var origin: Origin?

        init(title: String) { self.title = title }
    }

    enum Course: String, ValueConvertible { case starter, main, dessert }
    enum Level: Int, Codable { case easy = 1, hard }

    struct Credit: Codable, Hashable, Sendable {
        var author = ""
        var page = 0
    }

    @Composite struct Nutrition: Equatable {
        var energy: Int?
        var protein: Double?
        var label: Level = .easy
    }

    @Composite struct Origin: Equatable {
        @Attribute(.validation(.length(2...40))) var country: String?
        var position: Coordinates?
    }

    @Composite struct Coordinates: Equatable {
        var latitude = 0.0
        var longitude = 0.0
    }

    struct Dish: Decodable {
        struct Place: Decodable {
            var country: String?
        }
        var title: String
        var origin: Place?
    }

    struct Money: CompositeValue, Equatable {
        var amount: Decimal?
        var currency: String?
        static let elements: [CompositeElement<Self>] = [.init("amount", \.amount), .init("currency", \.currency)]
    }

    final class Invoice: ManagedObject {
        static let total = Key<Money>("total")
        var total: Money? {
            get { self[Self.total] }
            set { self[Self.total] = newValue }
        }
    }

    @Suite("The guide to enumerations and values")
    struct EnumsAndValuesGuideTests {
        @Test("What the guide shows is code of this test")
        func guide() throws {
            #expect(try PageExamples.ofGuide("EnumsAndValues") == (17, []))
        }

        @Test("Values of every kind are kept and asked for", arguments: [TestStore.inMemory, .sqlite])
        func values(_ store: TestStore) throws {
            let directory = try TemporaryDirectory()
            let container = try PersistentContainer(for: Recipe.self, stores: [store.description(in: directory.path)])
            let context = ManagedObjectContext(container.coordinator)
            let pasta = Recipe(title: "Pasta")
            pasta.steps = ["Boil."]
            try pasta.setValue(Level.easy, forKey: "level")
            pasta.level = .hard
            pasta.nutrition = Nutrition(energy: 700, protein: 20.5, label: .hard)
            pasta.origin = Origin(country: "Italy")
            let cake = Recipe(title: "Cake")
            cake.course = .dessert
            cake.credit = Credit(author: "Ada", page: 7)
            cake.nutrition = Nutrition(energy: 300)
            let fish = Recipe(title: "Fish")
            fish.origin = Origin(country: "Norway", position: Coordinates(latitude: 60, longitude: 5))
            for recipe in [pasta, cake, fish] { context.insert(recipe) }
            try context.save()
            context.reset()
            let desserts = try context.fetch(ObjectFetchRequest<Recipe>(Recipe.course == .dessert))
            #expect(desserts.map(\.title) == ["Cake"])
            let byHer = try context.fetch(ObjectFetchRequest<Recipe>(Recipe.credit == Credit(author: "Ada", page: 7)))
            let short = try context.fetch(ObjectFetchRequest<Recipe>(\Recipe.steps == ["Boil."]))
            let long = try context.fetch(ObjectFetchRequest<Recipe>(Recipe.steps != ["Boil."]))
            #expect(byHer == desserts)
            #expect(short.map(\.title) == ["Pasta"])
            #expect(Set(long.map(\.title)) == ["Cake", "Fish"])
            let rich = try context.fetch(ObjectFetchRequest<Recipe>(\Recipe.nutrition?.energy > 500))
            let northern = try context.fetch(ObjectFetchRequest<Recipe>(\Recipe.origin?.position?.latitude > 50))
            let unknown = try context.fetch(ObjectFetchRequest<Recipe>(\Recipe.origin == nil))
            let hard = try context.fetch(ObjectFetchRequest<Recipe>(\Recipe.nutrition?.label == .hard))
            let byEnergy = try context.fetch(ObjectFetchRequest<Recipe>(sort: [(\Recipe.nutrition?.energy).descending]))
            let formatted = try context.fetch(ObjectFetchRequest<Recipe>(QueryPredicate(format: "origin.country == %@", "Italy")))
            #expect(rich.map(\.nutrition) == [Nutrition(energy: 700, protein: 20.5, label: .hard)])
            #expect(northern.map(\.origin?.country) == ["Norway"])
            #expect(unknown.map(\.title) == ["Cake"])
            #expect(hard == rich)
            #expect(byEnergy.map(\.title) == ["Pasta", "Cake", "Fish"])
            #expect(formatted.map(\.level) == [.hard])
            let dishes = try context.fetch(
                ObjectFetchRequest<Recipe>(sort: [(\Recipe.title).ascending]).fetching("title", "origin"), as: Dish.self)
            let row = try context.fetchDictionaries(ObjectFetchRequest<Recipe>(Recipe.title == "Fish").fetching("origin"))[0]
            let origin = row[Recipe.origin]
            #expect(dishes.map(\.title) == ["Cake", "Fish", "Pasta"])
            #expect(dishes.map(\.origin?.country) == [nil, "Norway", "Italy"])
            #expect(dishes[0].origin == nil)
            #expect(origin == Origin(country: "Norway", position: Coordinates(latitude: 60, longitude: 5)))
        }

        /// By a plain name the case of an enumeration that is only Codable was "a value of type Level", which is "no integer64", and the check told that null
        /// was none.
        @Test("Enumerations are set and checked by name, and what is wrong is named with attribute, type and value")
        func enumerationsByName() throws {
            let container = try PersistentContainer(for: Recipe.self, stores: [TestStore.inMemory.description(in: "")])
            let context = ManagedObjectContext(container.coordinator)
            let pasta = Recipe(title: "Pasta")
            context.insert(pasta)
            try pasta.setValue(Level.easy, forKey: "level")
            #expect(pasta.level == .easy)
            try pasta.setValue(Course.starter, forKey: "course")
            try pasta.setValue("main", forKey: "course")
            #expect(pasta.course == .main)
            try pasta.validateValue(Level.hard, forKey: "level")
            try pasta.validateValue(2, forKey: "level")
            try pasta.validateValue(nil, forKey: "level")
            try pasta.validateValue("dessert", forKey: "course")
            func messages(_ value: Any?, _ key: String) -> [String] {
                var messages: [String] = []
                do { try pasta.validateValue(value, forKey: key) } catch {
                    messages += (error as? ValidationError)?.failures.map(\.message) ?? ["\(error)"]
                }
                return messages
            }
            #expect(messages("snack", "course") == ["course is of the enumeration Course, which has no case \"snack\""])
            #expect(messages(7, "level") == ["level is of the enumeration Level, which has no case 7"])
            #expect(messages(Level.hard, "course") == ["course is string, and does not take Level (2)"])
            #expect(messages(Course.main, "level") == ["level is integer64, and does not take Course (\"main\")"])
            #expect(messages("hard", "level") == ["level is integer64, and does not take \"hard\""])
            #expect(messages(Credit(), "level") == ["level is integer64, and does not take a value of type Credit"])
            #expect(messages(3, "credit") == ["credit is transformable by Codable(Credit), and does not take 3"])
            let error = #expect(throws: StoreError.self) { try pasta.setValue(Level.hard, forKey: "course") }
            #expect(error?.message == "course is string, and does not take Level (2)")
            #expect(error?.key == "course")
        }

        @Test("A model without macros has composite attributes with and without a type")
        func invoices() throws {
            let lines = ValueTransformer(name: "lines", [String].self) {
                Data($0.joined(separator: "\n").utf8)
            } decode: {
                String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init)
            }
            let model = try ManagedObjectModel {
                Entity("Invoice", class: Invoice.self) {
                    Attribute(Invoice.total)
                    Attribute("shipping") {
                        Attribute("city", .string).required
                        Attribute("zip", .string, validation: [.pattern("[0-9]{5}")])
                    }
                    Attribute("notes", .transformable, transformer: lines)
                    FetchIndex("byTotal", on: "total.currency", "total.amount")
                }
            }
            let directory = try TemporaryDirectory()
            let container = try PersistentContainer(
                name: "invoices", model: model, stores: [TestStore.sqlite.description(in: directory.path)])
            let context = ManagedObjectContext(container.coordinator)
            let invoice = Invoice(context: context)
            invoice.total = Money(amount: 12, currency: "EUR")
            try invoice.setValue(["city": "Bari", "zip": "70121"], forKey: "shipping")
            try invoice.setValue("70122", forKey: "shipping.zip")
            let shipping = try invoice.value(forKey: "shipping") as? [String: Any]
            #expect(shipping as? [String: String] == ["city": "Bari", "zip": "70122"])
            let object = invoice
            try object.setValue(["a", "b"], forKey: "notes")
            let notes = try object.transformed("notes", as: [String].self)
            #expect(notes == ["a", "b"])
            try context.save()
            let inEuros = try context.fetch(ObjectFetchRequest<Invoice>(Invoice.total.currency == "EUR"))
            #expect(inEuros == [invoice])
        }
    }
#endif
