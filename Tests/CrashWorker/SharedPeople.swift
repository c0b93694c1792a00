package import Strata
import StrataTestModels

package final class SharedPerson: ManagedObject {
    package static let name = Key<String>("name")
    package static let age = Key<Int>("age")
    package static let friends = ToMany<SharedPerson>("friends")
}

/// People in one store that several processes save to at random.
package enum SharedPeople {
    package static let model = Result.declared {
        Entity("Person", class: SharedPerson.self) {
            Attributes(["name": .string, "age": .integer64])
            Relationship("friends", to: "Person", inverse: "friends", .toMany)
        }
    }

    package static func descriptions(_ mode: CrashMode, in directory: String) -> [StoreDescription] {
        Array(mode.descriptions(in: directory).prefix(1))
    }

    /// Makes one change at random and saves it, once more where another process was faster.
    package static func step(
        _ name: String, _ container: PersistentContainer, _ generator: inout some RandomNumberGenerator
    ) throws {
        let dice = Int.random(in: 0..<100, using: &generator)
        let places = (Int.random(in: 0..<1000, using: &generator), Int.random(in: 0..<1000, using: &generator))
        for attempt in 0..<1000 {
            let context = container.newContext()
            do {
                try container.coordinator.refreshStores(nil)
                try change(name, dice, places, context)
                try context.save()
                return
            } catch let error as StoreError where attempt < 999 && error.code == .conflict {
                // A store that is one file saves nothing over what it has not loaded.
            } catch is SaveConflictError where attempt < 999 {}
        }
    }

    private static func change(_ name: String, _ dice: Int, _ places: (Int, Int), _ context: ManagedObjectContext) throws {
        let people = try context.fetch(ObjectFetchRequest<SharedPerson>(sort: [SharedPerson.name.ascending]))
        guard dice >= 40, !people.isEmpty else {
            for number in 0...(dice % 3) {
                let person = SharedPerson(context: context)
                person[SharedPerson.name] = "\(name) \(number)"
                person[SharedPerson.age] = dice
            }
            return
        }
        let (one, other) = (people[places.0 % people.count], people[places.1 % people.count])
        switch dice {
        case ..<60: one[SharedPerson.age] = places.1
        case ..<75: one[SharedPerson.friends] = [other]
        case ..<80:
            try context.execute(BatchUpdateRequest(entityName: "Person", SharedPerson.age < 50, set: ["age": Value.int(Int64(places.1))]))
        case ..<85: try context.execute(BatchInsertRequest(entityName: "Person", objects: [["name": .string(name), "age": .int(1)]]))
        default: context.delete(one)
        }
    }

    /// Makes so many changes, or goes on until the process is killed, and reports each.
    static func run(_ mode: CrashMode, _ directory: String, _ seed: Int, steps: Int) throws {
        let container = try PersistentContainer(model: model.get(), stores: descriptions(mode, in: directory))
        var generator = Dice(state: UInt64(truncatingIfNeeded: seed))
        var number = 0
        while number < steps || steps == 0 {
            number += 1
            try step("\(seed)-\(number)", container, &generator)
            Pipe.write("saved \(number)")
        }
        Pipe.write("done \(number)")
    }
}

/// Numbers that a seed determines.
private struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
