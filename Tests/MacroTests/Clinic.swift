#if Macros
    import Foundation
    import Strata

    enum Species: String, ValueConvertible { case dog, cat, bird }
    enum Size: Int, Codable { case small = 1, large }

    struct Address: Codable, Hashable, Sendable {
        var street = ""
        var number = 0
    }

    @Model class Party: ManagedObject {
        var name: String = ""
        init(name: String) { self.name = name }
    }

    @Model(configurations: ["people"])
    final class Owner: Party {
        #Unique<Owner>([\.email])
        #Index<Owner>([\.city], [\.city, \.age])

        @Attribute(.type(.integer16), .validation(.range(0...150)), originalName: "years") var age: Int?
        var email: String
        var city: String = "Rome"
        var address: Address = Address()
        var summerHouse: Address?
        var tags: [String] = ["new"]
        var since = Date()
        @Relationship(deleteRule: .cascade, inverse: \Animal.owner) var animals: [Animal] = []
        @Relationship(.ordered) var visits: [Visit] = []
        @Transient var isShown = false
        var shout: String { name.uppercased() }

        init(_ name: String, email: String) {
            self.email = email
            super.init(name: name)
        }
    }

    @Model final class Vet: Party {
        var years: Int
        var title: String

        init(_ name: String, years: Int) {
            let initial = String(name.prefix(1))
            if years > 3 { title = "Dr" } else { title = initial }
            title += "."
            self.years = years
            super.init(name: initial + name.dropFirst())
            title += " " + self.name
        }
    }

    @Model final class Animal: ManagedObject {
        @Attribute(.preserveValueOnDeletion) var name: String
        var species: Species = .dog
        var second: Species?
        var size: Size = .small
        @Attribute(.externalStorage) var picture: Data?
        var owner: Owner?
        var friends: Set<Animal> = []

        init(name: String, species: Species = .dog) {
            self.name = name
            self.species = species
        }
    }

    @Model final class Visit: ManagedObject {
        var reason: String
        var patron: Owner
        init(reason: String, patron: Owner) {
            self.reason = reason
            self.patron = patron
        }
    }

    @Model final class Link: ManagedObject {
        var number: Int
        @Relationship var next: Link?
        @Relationship var visit: Visit?
        init(_ number: Int) { self.number = number }
    }

    /// Says an inverse that another class has.
    @Model final class Strayed: ManagedObject {
        @Relationship(inverse: \Stray.place) var goal: Goal?
    }
    @Model final class Goal: ManagedObject {
        @Relationship var place: Strayed?
    }
    @Model final class Stray: ManagedObject {
        @Relationship var place: Strayed?
    }
#endif
