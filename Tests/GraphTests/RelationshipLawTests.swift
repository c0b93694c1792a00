import Strata
import StrataTestRandom
import Testing

@Suite("Relationships against a plain model of them, over random changes")
struct RelationshipLawTests {
    /// What the graph must say: the owner of each pet, the tags of each person, the order of each person's jobs.
    private struct Expected {
        var owner: [Int: Int] = [:]
        var tags: [Int: Set<Int>] = [:]
        var jobs: [Int: [Int]] = [:]
    }

    private static let people = 4
    private static let others = 6

    @Test("Changes from either side, loads, saves and new contexts in any order keep the graph right", arguments: 30..<50 as Range<UInt64>)
    func randomChanges(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var context = try Zoo.context()
        var people = (0..<Self.people).map { context.person("\($0)") }
        var pets = (0..<Self.others).map { _ in Pet(context: context) }
        var tags = (0..<Self.others).map { _ in Tag(context: context) }
        var jobs = (0..<Self.others).map { _ in Job(context: context) }
        var expected = Expected()
        if Bool.random(using: &random) { try context.save() }

        for _ in 0..<60 {
            let (p, o) = (Int.random(in: 0..<Self.people, using: &random), Int.random(in: 0..<Self.others, using: &random))
            switch Int.random(in: 0..<14, using: &random) {
            case 0:
                pets[o][Pet.owner] = people[p]
                expected.owner[o] = p
            case 1:
                people[p].add(pets[o], to: Person.pets)
                expected.owner[o] = p
            case 2:
                people[p].remove(pets[o], from: Person.pets)
                if expected.owner[o] == p { expected.owner[o] = nil }
            case 3:
                pets[o][Pet.owner] = nil
                expected.owner[o] = nil
            case 4:
                people[p].add(tags[o], to: Person.tags)
                expected.tags[p, default: []].insert(o)
            case 5:
                people[p].remove(tags[o], from: Person.tags)
                expected.tags[p]?.remove(o)
            case 6:
                tags[o].add(people[p], to: Tag.people)
                expected.tags[p, default: []].insert(o)
            case 7:
                tags[o].remove(people[p], from: Tag.people)
                expected.tags[p]?.remove(o)
            case 8:
                jobs[o][Job.person] = people[p]
                if expected.jobs[p]?.contains(o) != true {
                    for owner in 0..<Self.people { expected.jobs[owner]?.removeAll { $0 == o } }
                    expected.jobs[p, default: []].append(o)
                }
            case 9:
                for owner in 0..<Self.people { expected.jobs[owner]?.removeAll { $0 == o } }
                let index = Int.random(in: 0...(expected.jobs[p]?.count ?? 0), using: &random)
                people[p].add(jobs[o], to: Person.tasks, at: index)
                expected.jobs[p, default: []].insert(o, at: index)
            case 10:
                people[p].remove(jobs[o], from: Person.tasks)
                expected.jobs[p]?.removeAll { $0 == o }
            case 11:
                try check(people[p], p, expected, (pets, tags, jobs))
            case 12:
                try context.save()
            default:
                try context.save()
                let next = context.sibling()
                people = try people.map { try next.here($0) }
                pets = try pets.map { try next.here($0) }
                tags = try tags.map { try next.here($0) }
                jobs = try jobs.map { try next.here($0) }
                context = next
            }
        }
        for (p, person) in people.enumerated() { try check(person, p, expected, (pets, tags, jobs)) }
        try context.save()
        let last = context.sibling()
        for (p, person) in people.enumerated() {
            let others = try (pets.map { try last.here($0) }, tags.map { try last.here($0) }, jobs.map { try last.here($0) })
            try check(last.here(person), p, expected, others)
        }
    }

    private func check(_ person: Person, _ p: Int, _ expected: Expected, _ others: (pets: [Pet], tags: [Tag], jobs: [Job])) throws {
        let (pets, tags, jobs) = others
        #expect(person[Person.pets] == Set(pets.indices.filter { expected.owner[$0] == p }.map { pets[$0] }))
        #expect(person[Person.tags] == Set((expected.tags[p] ?? []).map { tags[$0] }))
        #expect(person[Person.tasks] == (expected.jobs[p] ?? []).map { jobs[$0] })
        for (o, pet) in pets.enumerated() where expected.owner[o] == p { #expect(pet[Pet.owner] === person) }
        for (o, tag) in tags.enumerated() { #expect(tag[Tag.people].contains(person) == (expected.tags[p]?.contains(o) ?? false)) }
        for o in expected.jobs[p] ?? [] { #expect(jobs[o][Job.person] === person) }
    }
}
