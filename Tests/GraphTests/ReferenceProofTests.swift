import FoundationEssentials
import Strata
import StrataTestRandom
import StrataTestSupport
import Testing

@Suite("Contexts that change one store at random leave no reference without its destination")
struct ReferenceProofTests {
    /// How long each store is tried, in seconds.
    private static let seconds = RunSeed.isSoak ? 120.0 : 1.5
    private static let steps = 120

    @Test("Three contexts, every delete rule, every merge policy", arguments: TestStore.allCases)
    func randomChanges(_ store: TestStore) throws {
        print("references, \(store): seed=\(RunSeed.value)")
        let clock = ContinuousClock()
        let end = clock.now + .seconds(Self.seconds)
        var round: UInt64 = 0
        var saves = 0
        repeat {
            let directory = try TemporaryDirectory()
            var world = try ReferenceWorld(store.description(in: directory.path), seed: RunSeed.value &+ round)
            do {
                for _ in 0..<Self.steps { try world.step() }
            } catch {
                Issue.record("seed \(RunSeed.value &+ round), \(store): \(error)\n\(world.story.suffix(60).joined(separator: "\n"))")
                return
            }
            saves += world.saves
            round += 1
        } while clock.now < end
        print("references, \(store): \(round) rounds, \(saves) saves")
        #expect(saves > 0)
    }
}
