import Strata
import StrataStore

/// Transactions of a history that cannot be read.
enum HistoryDamageCases {
    /// Adds a transaction to the history as it is.
    private static func append(_ record: HistoryRecord, _ stack: ConformanceStack) throws {
        let transaction = try stack.store().beginWrite()
        _ = try transaction.append(record)
        try transaction.prepare()
        try transaction.commit()
    }

    /// Returns the bytes of a body of a later version.
    private static func laterVersion(_ body: [UInt8]) -> [UInt8] {
        var writer = ByteWriter<UInt32>()
        writer.put(raw: [body[0] + 2] + body[1...].dropLast(4))
        return writer.sealed(as: UInt32.self)
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase(
            "A damaged transaction, or one of a later version, is an error of the requests that read it, and of nothing else", in: .history,
            requires: .history
        ) { environment in
            let stack = try environment.historyStack(Models.company)
            let history = stack.coordinator.history
            try stack.savePeople(2)
            let sound = try unwrap(stack.store().history(HistoryQuery(limit: 1)).first)
            try expectEqual(try stack.coordinator.verify(stack.store()), [])
            var generator = SeededGenerator(seed: 58)
            var damages: [(record: HistoryRecord, code: StoreError.Code)] = [
                (HistoryRecord(time: 1, origin: sound.origin, body: laterVersion(sound.body)), .unsupportedVersion),
                (HistoryRecord(time: 1, origin: [255], body: sound.body), .corrupt),
                (HistoryRecord(time: 1, origin: sound.origin, body: []), .corrupt),
            ]
            for _ in 0..<Effort.count(8, soak: 500) {
                var body = sound.body
                body[generator.below(body.count)] ^= UInt8(1 << generator.below(8))
                damages.append((HistoryRecord(time: 1, origin: sound.origin, body: body), .corrupt))
                damages.append(
                    (HistoryRecord(time: 1, origin: sound.origin, body: Array(body.prefix(generator.below(body.count)))), .corrupt))
            }
            for (index, damage) in damages.enumerated() {
                let before = try history.currentToken()
                try append(damage.record, stack)
                let error = try expectThrows(StoreError.self) { try history.transactions(after: before) }
                try expectEqual(error.code, damage.code, "damage \(index)")
                // Behind it, the history is read, and objects are in any case.
                let token = try history.currentToken()
                try stack.savePeople(1)
                try expectEqual(try history.transactions(after: token).count, 1)
                try expectEqual(try stack.context().all("Person").count, 3 + index)
            }
            try expectEqual(try stack.coordinator.verify(stack.store(), limit: 1000).count, damages.count)
            // The damaged ones can be deleted.
            let last = try history.currentToken()
            try history.deleteTransactions(before: .token(last))
            try expectEqual(try history.transactions(HistoryRequest()).count, 1)
            try expectEqual(try stack.coordinator.verify(stack.store()), [])
        }
        ConformanceCase(
            "A history that begins anew has no transactions, expires the tokens of before, and notifies its consumers", in: .history,
            requires: .history
        ) { environment in
            var stack = try environment.historyStack(Models.company)
            try stack.savePeople(2)
            let (tokens, first) = (try stack.coordinator.history.currentToken(), try stack.coordinator.history.transactions(after: nil))
            for round in 1...2 {
                let consumer = try stack.coordinator.history.consumer(named: "search")
                try stack.coordinator.history.beginAnew()
                let beginning = try stack.coordinator.history.currentToken()
                try expectStoreError(.historyTokenExpired) { try consumer.transactions() }
                try consumer.advance(to: beginning)
                try expectEqual(try consumer.transactions().count, 0)
                try expectEqual(try stack.coordinator.history.transactions(after: nil).count, 0)
                try expectEqual(try stack.coordinator.history.transactions(after: beginning).count, 0)
                for token in [tokens, first[0].token] {
                    let error = try expectThrows(StoreError.self) { try stack.coordinator.history.transactions(after: token) }
                    try expectEqual(error.code, .historyTokenExpired)
                }
                try stack.savePeople(1)
                if environment.harness.isPersistent {
                    try stack.close()
                    stack = try environment.historyStack(Models.company)
                }
                try expectEqual(try stack.coordinator.history.transactions(after: beginning).count, 1)
                try expectEqual(try stack.context().all("Person").count, 2 + round)
                try expectEqual(try stack.coordinator.verify(stack.store()), [])
            }
        }
    }
}
