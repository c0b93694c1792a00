import FoundationEssentials
import Synchronization
import Testing

@testable import StrataModel

@Suite("Generated values")
struct GeneratedValueTests {
    @Test("UUIDs of version 7 increase within a process, from several threads too, and begin with the time")
    func uuids() async {
        let lists = await withTaskGroup(of: [UUID].self) { group in
            for _ in 0..<4 { group.addTask { (0..<10_000).map { _ in GeneratedValue.newUUID() } } }
            return await group.reduce(into: [[UUID]]()) { $0.append($1) }
        }
        for list in lists { #expect(zip(list, list.dropFirst()).allSatisfy { $0.uuidString < $1.uuidString }) }
        let all = Set(lists.joined())
        #expect(all.count == 40_000)
        #expect(all.allSatisfy { $0.uuid.6 >> 4 == 7 })
        #expect(all.allSatisfy { $0.uuid.8 >> 6 == 2 })
        let now = GeneratedValue.newUUID().uuid
        let milliseconds = [now.0, now.1, now.2, now.3, now.4, now.5].reduce(0.0) { $0 * 256 + Double($1) }
        #expect(abs(milliseconds / 1000 - Date().timeIntervalSince1970) < 60)
    }

    @Test("Where the clock is set back, or stands still, UUIDs go on increasing")
    func clock() {
        var last: (high: UInt64, low: UInt64) = (0, 0)
        for (step, milliseconds) in ([1000, 1001, 5, 5, 0, 1001] + Array(repeating: 1001, count: 20_000)).enumerated() {
            let next = GeneratedValue.next(after: last, milliseconds: UInt64(milliseconds), random: UInt64(step) &* 0x9E37_79B9_7F4A_7C15)
            #expect(next.high > last.high)
            #expect(next.high >> 12 & 0xF == 7)
            #expect(next.low >> 62 == 2)
            last = next
        }
    }

    @Test("A value of another type, a derived or a transient one is not generated")
    func refused() {
        func refusal(of attribute: Attribute) -> String? {
            do { _ = try ManagedObjectModel { Entity("Entry") { attribute } } } catch {
                return error.message
            }
            return nil
        }
        #expect(refusal(of: Attribute("number", .integer64).generated(.sequence)) == nil)
        #expect(refusal(of: Attribute("key", .uuid).generated(.uuidV7)) == nil)
        let (sequence, uuid) = (
            "only a stored attribute that is integer64 has a sequence", "only a stored attribute that is uuid has generated UUIDs"
        )
        #expect(refusal(of: Attribute("number", .integer32).generated(.sequence)) == sequence)
        #expect(refusal(of: Attribute("number", .integer64).generated(.sequence).derived("1 + 1")) == sequence)
        #expect(refusal(of: Attribute("key", .string).generated(.uuidV7)) == uuid)
        #expect(refusal(of: Attribute("key", .uuid).generated(.uuidV7).transient) == uuid)
        #expect(
            refusal(of: Attribute("number", .integer64).userInfo([GeneratedValue.userInfoKey: "daily"])) == "unknown generated value daily")
    }

    @Test("Generation is no part of the version hash")
    func hash() throws {
        let models = try [Attribute("number", .integer64), Attribute("number", .integer64).generated(.sequence)].map { attribute in
            try ManagedObjectModel { Entity("Entry") { attribute } }
        }
        #expect(models[0].entities.map(\.versionHash) == models[1].entities.map(\.versionHash))
    }
}
