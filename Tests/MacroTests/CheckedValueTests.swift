#if Macros
    import Foundation
    import Strata
    import StrataInMemory
    import StrataTestSupport
    import Testing

    /// A text that is refused without an "@".
    struct MailAddress: Codable, Hashable, Sendable {
        var text: String
        init(_ text: String) { self.text = text }
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            text = try container.decode(String.self)
            guard text.contains("@") else { throw DecodingError.dataCorruptedError(in: container, debugDescription: "no address") }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    /// A value that no sample decodes to: its parts have to add up.
    struct Seal: Codable, Hashable, Sendable {
        var numbers: [Int]
        init(_ numbers: [Int]) { self.numbers = numbers + [numbers.reduce(0, +) + 1] }
        init(from decoder: any Decoder) throws {
            numbers = try decoder.singleValueContainer().decode([Int].self)
            guard numbers.count > 2, numbers.dropLast().reduce(0, +) + 1 == numbers.last else {
                throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "wrong sum"))
            }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(numbers)
        }
    }

    struct Nothing: Codable, Hashable, Sendable {}

    @Composite struct Stamp: Equatable {
        var nothing = Nothing()
        var seal: Seal?
        var other: Seal?
        var required = Seal([1, 2])
        var isBroken: Seal? { nil }
    }

    @Composite struct Sender: Equatable {
        var mail: MailAddress?
        var stamp: Stamp?
        var second = Stamp()
        var number: Int?
    }

    @Model class Paper: ManagedObject {
        var number: Int = 0
        var sender: Sender?
        var carrier = Sender()
        var copy: Paper?
        @Relationship(inverse: \Paper.copy) var copies: Set<Paper> = []
        var forged: Sender? {
            var forged = sender
            forged?.stamp?.seal = Seal([7, 7])
            return forged
        }
        init(_ number: Int) { self.number = number }
    }

    @Model final class Letter: Paper {
        var text: String?
        override init(_ number: Int) { super.init(number) }
    }

    /// An element of a composite value has no typed property that records its reading.
    final class Parchment: ManagedObject {
        static let stamp = Key<Stamp>("stamp")
        static let sender = Key<Sender>("sender")
        var stamp: Stamp? { self[Self.stamp] }
        var sender: Sender? { self[Self.sender] }
    }

    /// A type whose `init(from:)` checks what it reads refused the samples by which an element is recognised: a key path to the element was
    /// taken for a computed property.
    @Suite("Conditions on elements whose types check what they decode")
    struct CheckedValueTests {
        private let context: ManagedObjectContext

        init() throws {
            let box = try PersistentContainer(for: Paper.self, Letter.self, stores: [StoreDescription(.inMemory)])
            context = ManagedObjectContext(box.coordinator)
            let stamp = Stamp(seal: Seal([1, 2, 3]), other: Seal([4, 5]), required: Seal([6, 6]))
            let papers = [Paper(1), Letter(2), Paper(3)]
            papers[0].sender = Sender(mail: MailAddress("a@b"), stamp: stamp, number: 1)
            papers[1].sender = Sender(stamp: Stamp(other: Seal([1, 2, 3])), second: stamp)
            papers[1].carrier = Sender(mail: MailAddress("c@d"), stamp: stamp)
            papers[2].copy = papers[0]
            for paper in papers { context.insert(paper) }
            try context.save()
        }

        private func numbers(_ condition: ObjectPredicate<Paper>) throws -> [Int] {
            try context.fetch(ObjectFetchRequest<Paper>(condition)).map(\.number).sorted()
        }

        @Test("An element is found by its key path") func elements() throws {
            #expect(try numbers(\Paper.sender?.mail == MailAddress("a@b")) == [1])
            #expect(try numbers(\Paper.sender?.mail != nil) == [1])
            #expect(try numbers(\Paper.sender?.mail == nil) == [2, 3])
            #expect(try numbers(\Paper.carrier.mail == MailAddress("c@d")) == [2])
            #expect(try numbers(\Paper.sender?.number == 1) == [1])
        }

        @Test("An element of a type that no sample is known of is found by its key path") func withoutSamples() throws {
            #expect(try numbers(\Paper.sender?.stamp?.seal == Seal([1, 2, 3])) == [1])
            #expect(try numbers(\Paper.sender?.stamp?.seal != nil) == [1])
            #expect(try numbers(\Paper.sender?.stamp?.other == Seal([1, 2, 3])) == [2])
            #expect(try numbers(\Paper.sender?.stamp?.required == Seal([6, 6])) == [1])
            #expect(try numbers(\Paper.sender?.second.seal == Seal([1, 2, 3])) == [2])
            #expect(try numbers(\Paper.carrier.stamp?.other == Seal([4, 5])) == [2])
            #expect(try numbers(\Paper.carrier.second.seal == nil) == [1, 2, 3])
            #expect(try numbers(\Paper.copy?.sender?.stamp?.seal == Seal([1, 2, 3])) == [3])
            #expect(try numbers(\Paper.sender?.stamp?.nothing == Nothing()) == [1, 2])
            #expect(try context.fetch(ObjectFetchRequest<Letter>(Key<Seal>("carrier.stamp.seal") == Seal([1, 2, 3]))).map(\.number) == [2])
        }

        @Test("A computed property is refused, also where an element has its type") func computed() {
            #expect(throws: QueryError.self) { try numbers(\Paper.sender?.stamp?.isBroken == Seal([7, 7])) }
            #expect(throws: QueryError.self) { try numbers(\Paper.sender?.stamp?.isBroken != nil) }
            #expect(throws: QueryError.self) { try numbers(\Paper.forged?.stamp?.seal == Seal([7, 7])) }
        }

        @Test("A class that declares no entity asks for such an element by its typed key") func typedKeys() throws {
            let model = try ManagedObjectModel {
                Entity("Parchment", class: Parchment.self) {
                    Attribute(Parchment.stamp)
                    Attribute(Parchment.sender)
                }
            }
            let context = try PersistentContainer(model: model, stores: [StoreDescription(.inMemory)]).newContext()
            Parchment(context: context)[Parchment.stamp] = Stamp(seal: Seal([1, 2]))
            try context.save()
            #expect(try context.count(for: ObjectFetchRequest<Parchment>(Parchment.stamp.seal == Seal([1, 2]))) == 1)
            #expect(try context.count(for: ObjectFetchRequest<Parchment>(\Parchment.sender?.mail == MailAddress("a@b"))) == 0)
            let message =
                "of type …, it references no stored property of …: there is no sample of the type …: name the element by its typed key"
            let error = #expect(throws: QueryError.self) {
                try context.count(for: ObjectFetchRequest<Parchment>(\Parchment.stamp?.seal != nil))
            }
            #expect(masked(error?.message ?? "", message) == message)
        }
    }
#endif
