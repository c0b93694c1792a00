import StrataModelFiles
import StrataTestRandom
import Testing

@Suite struct SourceAttackTests {
    /// A text with some of its bytes changed, cut, doubled or moved.
    private func mutated(_ text: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var text = text
        for _ in 0...Int.random(in: 0...2, using: &generator) where !text.isEmpty {
            let place = Int.random(in: 0..<text.count, using: &generator)
            let end = min(text.count, place + Int.random(in: 1...200, using: &generator))
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: text[place] = UInt8.random(in: 0...255, using: &generator)
            case 1: text.removeSubrange(place...)
            case 2: text.removeSubrange(place..<end)
            case 3: text.insert(contentsOf: text[place..<end], at: place)
            case 4: text[place] = generator.pick(Array("<>&\"'/!?= 0-A".utf8))
            default:
                // An element, or what looks like one, once more.
                guard let first = text[place...].firstIndex(of: 0x3C), let last = text[first...].firstIndex(of: 0x3E) else { continue }
                text.insert(contentsOf: text[first...last], at: first)
            }
        }
        return text
    }

    @Test("A damaged document gives a model that can be written and read again, or a typed error") func aDamagedDocumentGivesA() throws {
        var generator = SeededGenerator(seed: 1)
        var (read, refused) = (0, 0)
        for _ in 0..<300 {
            do throws(ModelFileError) {
                let document = try ModelDocument(parsing: mutated(Array(SampleSource.shop.utf8), &generator))
                #expect(try ModelDocument(parsing: document.xml.utf8) == document)
                _ = try ModelFile(document: document).model()
                read += 1
            } catch {
                #expect(!error.description.isEmpty)
                refused += 1
            }
        }
        #expect(read > 0)
        #expect(refused > 0)
    }
}
