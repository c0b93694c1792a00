import Strata

/// Relationships of entities with ancestors, and to destinations of several entities.
enum InheritanceCases {
    private static func build(_ context: ManagedObjectContext) throws {
        let keeper = try context.add("Keeper", "k")
        let (rex, tom, tweety) = (try context.add("Dog", "rex"), try context.add("Cat", "tom"), try context.add("Bird", "tweety"))
        try context.add("Mammal", "mole").setValue(keeper, forKey: "keeper")
        try rex.setValue(keeper, forKey: "keeper")
        try tweety.setValue(keeper, forKey: "keeper")
        try keeper.setValue(tom, forKey: "favourite")
        try keeper.setValue([rex, tweety], forKey: "patients")
        try keeper.setValue([tom], forKey: "fears")
        let parade = try context.add("Parade", "p")
        try parade.setValue([tweety, rex, tom], forKey: "animals")
        try parade.setValue([tom, tweety], forKey: "stars")
        try context.add("Cage", "c").setValue(tom, forKey: "mammal")
    }

    private static func entities(_ objects: some Sequence<ManagedObject>) -> [String] { objects.map(\.entity.name).sorted() }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Objects of sub-entities have their own and inherited values", in: .relationships) { environment in
            try environment.everywhere(Models.zoo) { context in
                try build(context)
                try context.one("Dog", "rex").setValue(true, forKey: "barks")
                try context.one("Cat", "tom").setValue("grey", forKey: "fur")
            } check: { context in
                let (rex, tom) = (try context.one("Animal", "rex"), try context.one("Mammal", "tom"))
                try expectEqual(rex.entity.name, "Dog")
                try expectEqual(try rex.value(forKey: "barks") as? Bool, true)
                try expectEqual(try rex.value(forKey: "legs") as? Int, 4)
                try expectEqual(try tom.value(forKey: "lives") as? Int, 9)
                try expectEqual(try tom.text("fur"), "grey")
            }
        }
        ConformanceCase("Fetching an entity brings its sub-entities too, unless told otherwise", in: .relationships) { environment in
            try environment.everywhere(Models.zoo, build) { context in
                try expectEqual(entities(try context.all("Animal")), ["Bird", "Cat", "Dog", "Mammal"])
                try expectEqual(entities(try context.all("Mammal")), ["Cat", "Dog", "Mammal"])
                var request = ObjectFetchRequest<ManagedObject>(entityName: "Mammal")
                request.includesSubentities = false
                try expectEqual(entities(try context.fetch(request)), ["Mammal"])
                try expectEqual(try context.count(for: request), 1)
                request.entityName = "Animal"
                try expectEqual(try context.fetch(request).count, 0)
            }
        }
        ConformanceCase("A to-one relationship to an ancestor leads to the object's own entity", in: .relationships) { environment in
            try environment.everywhere(Models.zoo, build) { context in
                let favourite = try unwrap(context.one("Keeper", "k").one("favourite"))
                try expectEqual(try favourite.text("name"), "tom")
                try expectEqual(favourite.entity.name, "Cat")
                try expectEqual(try favourite.value(forKey: "lives") as? Int, 9)
                try expectEqual(favourite.objectID.entity.name, "Cat")
            }
        }
        ConformanceCase("A to-many relationship holds objects of several entities", in: .relationships) { environment in
            try environment.everywhere(Models.zoo, build) { context in
                let keeper = try context.one("Keeper", "k")
                try expectEqual(entities(try keeper.many("animals")), ["Bird", "Dog", "Mammal"])
                for animal in try keeper.many("animals") { try expect(try animal.one("keeper") === keeper, "\(animal) is elsewhere") }
                try expectEqual(try names(keeper.many("fears")), ["tom"])
            }
        }
        ConformanceCase("A many-to-many relationship holds objects of several entities", in: .relationships) { environment in
            try environment.everywhere(Models.zoo, build) { context in
                let keeper = try context.one("Keeper", "k")
                try expectEqual(entities(try keeper.many("patients")), ["Bird", "Dog"])
                try expectEqual(try context.one("Bird", "tweety").many("doctors"), [keeper])
                try expectEqual(try context.one("Cat", "tom").many("doctors"), [])
            }
        }
        ConformanceCase("Ordered relationships hold objects of several entities", in: .relationships) { environment in
            try environment.everywhere(Models.zoo, build) { context in
                let parade = try context.one("Parade", "p")
                try expectEqual(try inOrder(parade.ordered("animals")), ["tweety", "rex", "tom"])
                try expectEqual(try parade.ordered("animals").map(\.entity.name), ["Bird", "Dog", "Cat"])
                try expectEqual(try inOrder(parade.ordered("stars")), ["tom", "tweety"])
                try expectEqual(try inOrder(context.one("Cat", "tom").ordered("shows")), ["p"])
            }
        }
        ConformanceCase("A relationship that a middle entity declares works in its sub-entities", in: .relationships) { environment in
            try environment.everywhere(Models.zoo, build) { context in
                let (cage, tom) = (try context.one("Cage", "c"), try context.one("Cat", "tom"))
                try expect(try cage.one("mammal") === tom && tom.one("cage") === cage, "tom is not in the cage")
                try expect(try context.one("Dog", "rex").one("cage") == nil, "rex is in a cage")
            }
        }
        ConformanceCase("References are unique within an entity hierarchy", in: .relationships) { environment in
            let stack = try environment.stack(Models.zoo)
            let context = stack.context()
            var all: [ManagedObject] = []
            for index in 0..<20 { all.append(try context.add(["Dog", "Cat", "Bird", "Mammal"][index % 4], "a\(index)")) }
            try context.save()
            try expectEqual(Set(all.map(\.objectID.reference)).count, 20)
            try expect(all.allSatisfy { $0.objectID.reference > 0 }, "a reference is not positive")
        }
        ConformanceCase("An ID made with an ancestor names the same object", in: .relationships) { environment in
            let stack = try environment.stack(Models.zoo)
            let context = stack.context()
            let tom = try context.add("Cat", "tom")
            try context.save()
            let uri = tom.objectID.uriRepresentation
            let asAnimal = uri.replacingOccurrence(of: "/Cat/", with: "/Animal/")
            let id = try unwrap(stack.coordinator.objectID(forURI: asAnimal), asAnimal)
            try expectEqual(id, tom.objectID)
            let found = try stack.context().existingObject(with: id)
            try expectEqual(found.entity.name, "Cat")
            try expectEqual(try found.text("name"), "tom")
        }
    }
}

extension String {
    fileprivate func replacingOccurrence(of part: String, with other: String) -> String {
        split(separator: part, maxSplits: 1, omittingEmptySubsequences: false).joined(separator: other)
    }
}
