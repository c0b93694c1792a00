import StrataTestRandom
import StrataTestSupport
import Testing

/// Random walks of families of contexts that change links, save, change them back and save again, while others change the same links.
@Suite("Random changes of links in children come to three-way merges", .timeLimit(.minutes(60 * 24)))
struct LinkWalkTests {
    private static let count = RunSeed.isSoak ? 20_000 : 30

    @Test("What children save again and again is merged link by link", arguments: LinkRelationship.all, [TestStore.inMemory, .sqlite])
    func randomWalks(_ relationship: LinkRelationship, _ store: TestStore) throws {
        var failures = 0
        for number in 0..<Self.count where failures < 3 {
            let seed = RunSeed.value &* 1_000_003 &+ UInt64(number)
            let directory = try TemporaryDirectory()
            let walker = try LinkWalker(relationship, seed: seed, store.description(in: directory.path))
            do { try walker.run(steps: 4 + number % 14) } catch {
                failures += 1
                Issue.record("\(store), \(relationship), seed \(seed): \(error)\n\(walker.log.joined(separator: "\n"))")
            }
        }
    }
}
