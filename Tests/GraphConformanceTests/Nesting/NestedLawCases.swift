import Strata

@testable import StrataConformance

/// Random changes in any context of a family of contexts against the same changes made in one context.
enum NestedLawCases {
    static var all: [ConformanceCase] { (0..<6).map(walk) }

    private static func walk(_ number: Int) -> ConformanceCase {
        ConformanceCase("A family of contexts does what one context does, \(number)", in: .nesting) { environment in
            var log: [String] = []
            var walk = try Walk(environment, seed: UInt64(700 + number), generations: 2 + number % 2)
            for step in 0..<120 {
                log.append(try walk.step())
                do { try walk.check() } catch let failure as ConformanceFailure {
                    throw ConformanceFailure(
                        "\(failure.message) at step \(step), after \(log.suffix(40).joined(separator: "; "))", fileID: failure.fileID,
                        filePath: failure.filePath,
                        line: failure.line)
                }
            }
        }
    }

    /// A family of contexts over a store, of which one is changed, and a context over another store that is changed in
    /// the same way.
    private struct Walk {
        private let stack: ConformanceStack
        private let other: ConformanceStack
        private let flat: ManagedObjectContext
        /// The contexts, from that over the coordinator on.
        private var family: [ManagedObjectContext]
        /// The context that is changed: those after it have no changes.
        private var level = 0
        private var generator: SeededGenerator
        private var names = 0

        init(_ environment: ConformanceEnvironment, seed: UInt64, generations: Int) throws {
            stack = try environment.stack(Models.shapes.get())
            other = try environment.stack(Models.shapes.get(), "flat")
            flat = other.context()
            family = [stack.context()]
            for _ in 1...generations { family.append(stack.child(of: family[family.count - 1])) }
            generator = SeededGenerator(seed: seed)
            level = generations
        }

        private var contexts: [ManagedObjectContext] { [family[level], flat] }

        /// Makes a random change, or saves, or changes to another context.
        ///
        /// - Returns: What it did.
        mutating func step() throws -> String {
            switch generator.below(20) {
            case 0..<4: return try insert()
            case 4..<12: return try relate()
            case 12: return try rename()
            case 13: return try delete()
            case 14: return try saveUp()
            case 15: return try saveAll()
            case 16: return goDown()
            case 17: return try replaceLast()
            case 18:
                guard try family[level].all("Node").count > 0 else { return "nothing" }
                family[level].refreshAllObjects()
                return "a refresh of \(level)"
            default: return try takeBack()
            }
        }

        /// Compares what the contexts see.
        func check() throws {
            let (family, flat) = (try dump(family[level]), try dump(flat))
            let differing = zip(family, flat).filter { $0 != $1 }.map { "\($0) instead of \($1)" }
            try expect(
                family == flat,
                "\(differing.first ?? "\(family.count) objects instead of \(flat.count)") in context \(level)")
        }

        // MARK: - Changes

        private mutating func insert() throws -> String {
            names += 1
            let entity = generator.chance(60) ? "Node" : "Leaf"
            for context in contexts { try context.add(entity, "\(entity)\(names)") }
            return "insert \(entity)\(names)"
        }

        private mutating func pick(_ entity: String) throws -> String? {
            try flat.any(entity, &generator)?.text("name")
        }

        private mutating func relate() throws -> String {
            let entity = generator.chance(70) ? "Node" : "Leaf"
            guard let name = try pick(entity), let relationships = flat.model.entity(named: entity)?.relationships else { return "nothing" }
            let relationship = relationships[generator.below(relationships.count)]
            let destination = flat.model.destination(of: relationship).name
            var others: [String] = []
            for _ in 0..<generator.below(relationship.isToMany ? 4 : 2) {
                if let other = try pick(destination), !others.contains(other) { others.append(other) }
            }
            for context in contexts {
                try context.one(entity, name).relate(relationship, to: try others.map { try context.one(destination, $0) })
            }
            return "\(name).\(relationship.name) = \(others)"
        }

        private mutating func rename() throws -> String {
            guard let name = try pick("Leaf") else { return "nothing" }
            names += 1
            for context in contexts { try context.one("Leaf", name).setValue("Leaf\(names)", forKey: "name") }
            return "\(name) is Leaf\(names)"
        }

        private mutating func delete() throws -> String {
            let entity = generator.chance(50) ? "Node" : "Leaf"
            guard let name = try pick(entity) else { return "nothing" }
            for context in contexts {
                let object = try context.one(entity, name)
                try context.clearReferencesWithoutInverse(to: object)
                context.delete(object)
            }
            return "delete \(name)"
        }

        private mutating func takeBack() throws -> String {
            guard level > 0, let name = try pick("Node") else { return "nothing" }
            // What was changed since is thrown away, and comes to nothing.
            try family[level].save()
            try family[level].one("Node", name).setValue("lost", forKey: "name")
            try family[level].add("Leaf", "lost")
            family[level].delete(try family[level].one("Node", "lost"))
            try family[level].processPendingChanges()
            family[level].rollback()
            return "a rollback of \(level)"
        }

        // MARK: - Saves

        private mutating func saveUp() throws -> String {
            guard level > 0 else { return try saveAll() }
            try family[level].save()
            level -= 1
            return "a save to \(level)"
        }

        private mutating func saveAll() throws -> String {
            for index in (0...level).reversed() { try family[index].save() }
            try flat.save()
            try expectEqual(try dump(stack.context()), try dump(flat), "in the store, saved from \(level)")
            return "a save of all from \(level)"
        }

        private mutating func goDown() -> String {
            for index in level + 1..<max(family.count, level + 1) { family[index].refreshAllObjects() }
            level = family.count - 1
            return "to the last context"
        }

        private mutating func replaceLast() throws -> String {
            for index in (1...max(level, 1)).reversed() where index <= level { try family[index].save() }
            let index = family.count - 1
            family[index] = stack.child(of: family[index - 1])
            for index in 1..<family.count { family[index].refreshAllObjects() }
            level = index
            return "a new child"
        }

        private func dump(_ context: ManagedObjectContext) throws -> [String] { try context.dump(["Node", "Leaf"]) }
    }
}
