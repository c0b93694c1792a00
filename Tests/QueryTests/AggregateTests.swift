import FoundationEssentials
import StrataEvaluation
import StrataModel
import StrataQuery
import StrataTestRandom
import Testing

@Suite("Aggregates")
struct AggregateTests {
    private let functions: [AggregateFunction] = [
        .count, .sum, .average, .min, .max, .countDistinct, .median, .standardDeviation,
    ]

    private func partial(_ values: some Sequence<Value>, _ function: AggregateFunction) -> AggregatePartial {
        var partial = AggregatePartial()
        for value in values { partial.add(value, for: function) }
        return partial
    }

    private func value(_ function: AggregateFunction, _ values: Value...) throws -> Value {
        try partial(values, function).value(of: function)
    }

    @Test("Of nothing, or of nil alone, the counts and the sum are 0 and the others nil")
    func nothing() throws {
        for values in [[], [Value.null, .null]] {
            for function in functions {
                let isZero = [.count, .sum, .countDistinct].contains(function)
                #expect(try partial(values, function).value(of: function) == (isZero ? 0 : .null), "\(function)")
            }
        }
    }

    @Test("Values that are equal by magnitude count as one, a NaN as one, nil not at all")
    func distinct() throws {
        #expect(try value(.countDistinct, 1, 1.0, .decimal(1), 2, .null, "a", "a", .double(.nan), .double(.nan)) == 4)
        #expect(try value(.count, 1, 1.0, .null, "a") == 3)
    }

    @Test("The least and the greatest pass over a NaN, wherever it comes up")
    func notANumber() throws {
        #expect(try value(.min, .double(.nan), 2.0, 1.0) == 1.0)
        #expect(try value(.max, 1.0, 2.0, .double(.nan)) == 2.0)
        #expect(try value(.min, .double(.nan)) == .double(.nan))
        var late = partial([.double(.nan)], .max)
        late.add(partial([3.0], .max))
        var early = partial([3.0], .max)
        early.add(partial([.double(.nan)], .max))
        #expect(try late.value(of: .max) == 3.0)
        #expect(try early.value(of: .max) == 3.0)
    }

    @Test("Sums and averages of decimals are decimals")
    func decimals() throws {
        let (tenth, fifth) = (try #require(Decimal(string: "0.1")), try #require(Decimal(string: "0.2")))
        #expect(try value(.sum, .decimal(tenth), .decimal(fifth)) == .decimal(try #require(Decimal(string: "0.3"))))
        #expect(try value(.average, .decimal(tenth), .null, .decimal(fifth)) == .decimal(try #require(Decimal(string: "0.15"))))
        #expect(try value(.median, .decimal(tenth), .decimal(fifth)) == .decimal(try #require(Decimal(string: "0.15"))))
    }

    @Test("An average of text, dates and objects is none, and what is no number does not count in one of numbers")
    func otherKinds() throws {
        let date = Value.date(Date(timeIntervalSinceReferenceDate: 5))
        #expect(try value(.average, "a", date) == .null)
        #expect(try value(.sum, "a", date) == 0)
        #expect(try value(.average, 2, "a") == 2.0)
        #expect(try value(.max, date, .date(Date(timeIntervalSinceReferenceDate: 4))) == date)
        #expect(try value(.min, "b", "a") == "a")
    }

    @Test("What is known of the parts is what is known of the whole, however the values are split")
    func combining() throws {
        var random = SeededGenerator(seed: 41)
        let sample: [Value] = [.null, 0, 1, 2, 3, -4, 0.5, 2.5, .decimal(2), .decimal(7), true, .double(.nan)]
        for _ in 0..<300 {
            // Halves, so that a sum does not depend on the order.
            let values = (0..<Int.random(in: 0...12, using: &random)).compactMap { _ in sample.randomElement(using: &random) }
            let cut = Int.random(in: 0...values.count, using: &random)
            for function in functions {
                var combined = partial(values[..<cut], function)
                combined.add(partial(values[cut...], function))
                let (parts, whole) = (try combined.value(of: function), try partial(values, function).value(of: function))
                let isSame = parts == whole || parts.equals(whole)
                if !isSame { Issue.record("\(function) of \(values) cut at \(cut): \(parts), not \(whole)") }
            }
        }
    }

    @Test("The objects of two stores are different ones, though their references are the same")
    func objectsOfStores() throws {
        let person = try Office().person
        func known(_ store: StoreID) -> AggregatePartial {
            var known = partial([1, 2, .null, 1], .countDistinct)
            known.nameObjects(ObjectIDScope(storeID: store, entity: person))
            return known
        }
        var both = known("A")
        both.add(known("B"))
        #expect(try both.value(of: .countDistinct) == 4)
        both.add(known("A"))
        #expect(try both.value(of: .countDistinct) == 4)
    }
}
