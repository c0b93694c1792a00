import StrataStore

extension StoreMetadata {
    /// A registered reader of the history, up to whose token transactions may be deleted.
    struct HistoryConsumer: Sendable, Hashable {
        /// The number of the last transaction that it has handled.
        var number: Int64
        /// When it was seen last, in seconds since 2001.
        var lastSeen: Double
        /// After how many seconds of silence it is dropped; `nil` for never.
        var timeout: Double?
        /// Whether it was dropped: it is notified when it returns.
        var isDropped = false

        init(number: Int64, lastSeen: Double, timeout: Double?) {
            (self.number, self.lastSeen, self.timeout) = (number, lastSeen, timeout)
        }
    }

    /// The number after which the history was begun anew; 0 where it never was.
    var historyBeginning: Int64 {
        get { if case .int(let number)? = userInfo[StoreMetadata.historyBeginningKey] { number } else { 0 } }
        set { userInfo[StoreMetadata.historyBeginningKey] = .int(newValue) }
    }

    /// The registered consumers of the history by name; `nil` without a history.
    var historyConsumers: [String: HistoryConsumer]? {
        get {
            guard case .dictionary(let known)? = userInfo[StoreMetadata.historyKey] else { return nil }
            return known.compactMapValues { value in
                guard case .array(let list) = value, list.count == 4, case .int(let number) = list[0], let seen = list[1].seconds,
                    let timeout = list[2].seconds, case .bool(let isDropped) = list[3]
                else { return nil }
                var consumer = HistoryConsumer(number: number, lastSeen: seen, timeout: timeout < 0 ? nil : timeout)
                consumer.isDropped = isDropped
                return consumer
            }
        }
        set {
            userInfo[StoreMetadata.historyKey] = newValue.map { consumers in
                .dictionary(
                    consumers.mapValues {
                        .array([.int($0.number), .double($0.lastSeen), .double($0.timeout ?? -1), .bool($0.isDropped)])
                    })
            }
        }
    }
}
