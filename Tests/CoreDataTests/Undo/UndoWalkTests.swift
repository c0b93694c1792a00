import CoreData
import Testing

/// Thousands of random steps found half of what this room's tests are about; these are a sample, compared with an oracle after each.
struct UndoWalkTests {
    @Test("Contexts that share a manager go back and forth as an oracle does", arguments: 1...40) func walk(seed: Int) throws {
        try UndoWalk(seed: seed).run(steps: 60)
    }
}
