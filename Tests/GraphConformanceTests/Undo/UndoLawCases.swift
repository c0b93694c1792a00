import Strata
import StrataTestModels

@testable import StrataConformance

/// Random steps, taken back and done again, across saves, against what was seen after each of them.
enum UndoLawCases {
    static var all: [ConformanceCase] { (0..<12).map(walk) }

    private static func walk(_ number: Int) -> ConformanceCase {
        ConformanceCase("Undo and redo restore what was seen before, \(number)", in: .undo) { environment in
            var log: [String] = []
            var walk = try Walk(environment, seed: UInt64(1300 + number), isChild: number % 2 == 1, isOwning: number % 4 > 1)
            for step in 0..<150 {
                do {
                    log.append(try walk.step())
                    try walk.check()
                } catch let failure as ConformanceFailure {
                    throw ConformanceFailure(
                        "\(failure.message) at step \(step), after \(log.suffix(30).joined(separator: "; "))", fileID: failure.fileID,
                        filePath: failure.filePath, line: failure.line)
                }
            }
        }
    }

    /// Nodes that own each other and their leaves.
    private static let owning = ModelResult.declared {
        Entity("Node") {
            Attribute("name", .string)
            Relationship("parent", to: "Node", inverse: "children")
            Relationship("children", to: "Node", inverse: "parent", .ordered, deleteRule: .cascade)
            Relationship("partner", to: "Leaf", inverse: "partner", deleteRule: .cascade)
            Relationship("leaves", to: "Leaf", inverse: "node", .toMany, deleteRule: .cascade)
            Relationship("tags", to: "Leaf", inverse: "tagged", .toMany)
            Relationship("shelf", to: "Leaf", inverse: "shelves", .ordered, deleteRule: .cascade)
        }
        Entity("Leaf") {
            Attribute("name", .string)
            Relationships([
                "partner": .toOne("Node.partner"), "node": .toOne("Node.leaves"), "tagged": .toMany("Node.tags"),
                "shelves": .ordered("Node.shelf"),
            ])
        }
    }

    /// A context with an undo manager, and what it saw after each step.
    private struct Walk {
        private let stack: ConformanceStack
        private let root: ManagedObjectContext
        private let context: ManagedObjectContext
        private let undoManager = UndoManager()
        private var generator: SeededGenerator
        private var names = 0
        private var seen: [[String]] = []
        private var position = 0

        init(_ environment: ConformanceEnvironment, seed: UInt64, isChild: Bool, isOwning: Bool) throws {
            stack = try environment.stack((isOwning ? owning : Models.shapes).get())
            root = stack.context()
            context = isChild ? stack.child(of: root) : root
            context.undoManager = undoManager
            generator = SeededGenerator(seed: seed)
            seen = [try dump(context)]
        }

        private func dump(_ context: ManagedObjectContext) throws -> [String] { try context.dump(["Node", "Leaf"]) }

        mutating func step() throws -> String {
            switch generator.below(20) {
            case 0..<11: return try change()
            case 11..<14: return try undo()
            case 14..<16: return try redo()
            case 16..<18: return try save()
            case 18:
                context.refreshAllObjects()
                return "a refresh"
            default: return try changeInChild()
            }
        }

        /// Compares what the context sees with what it saw.
        func check() throws {
            let now = try dump(context)
            let differing = zip(now, seen[position]).filter { $0 != $1 }.map { "\($0) instead of \($1)" }
            try expect(now == seen[position], differing.first ?? "\(now.count) objects instead of \(seen[position].count)")
            try expectEqual(undoManager.undoCount, position)
            try expectEqual(undoManager.redoCount, seen.count - 1 - position)
        }

        private mutating func note() throws {
            if position == undoManager.undoCount { return }
            seen.removeLast(seen.count - 1 - position)
            seen.append(try dump(context))
            position += 1
        }

        private mutating func change() throws -> String {
            var log: [String] = []
            for _ in 0...generator.below(3) { log.append(try changeOnce(context)) }
            try context.processPendingChanges()
            try note()
            return log.joined(separator: " and ")
        }

        private mutating func undo() throws -> String {
            try context.undo()
            position = max(0, position - 1)
            return "undo"
        }

        private mutating func redo() throws -> String {
            try context.redo()
            position = min(seen.count - 1, position + 1)
            return "redo"
        }

        private func save() throws -> String {
            try context.save()
            if root !== context { try root.save() }
            try expectEqual(try dump(stack.context()), seen[position], "in the store")
            try expect(!context.hasChanges, "there are changes after a save")
            return "a save"
        }

        private mutating func changeInChild() throws -> String {
            let child = stack.child(of: context)
            let log = try changeOnce(child)
            try child.save()
            try note()
            return "in a child, \(log)"
        }

        // MARK: - Changes

        private mutating func changeOnce(_ context: ManagedObjectContext) throws -> String {
            switch generator.below(10) {
            case 0..<3:
                names += 1
                let entity = generator.chance(60) ? "Node" : "Leaf"
                try context.add(entity, "\(entity)\(names)")
                return "insert \(entity)\(names)"
            case 3..<8: return try context.relateAny(&generator)
            case 8:
                guard let object = try context.any("Leaf", &generator) else { return "nothing" }
                names += 1
                try object.setValue("Leaf\(names)", forKey: "name")
                return "a Leaf is Leaf\(names)"
            default: return try delete(context)
            }
        }

        private mutating func delete(_ context: ManagedObjectContext) throws -> String {
            guard let object = try context.any(generator.chance(50) ? "Node" : "Leaf", &generator) else { return "nothing" }
            let name = try object.text("name") ?? ""
            try context.clearReferencesWithoutInverse(to: object)
            context.delete(object)
            return "delete \(name)"
        }
    }
}
