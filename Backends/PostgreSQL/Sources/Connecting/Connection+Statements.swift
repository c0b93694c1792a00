import CStrataPostgreSQL
import StrataPlatform
import StrataSQL

/// The results of the statements of one round trip.
struct Answers {
    /// The results of the statements that succeeded, in their order.
    var results: [ResultTable] = []
    /// The failure of the statement after them; the server skips all statements after a failure.
    var failure: (any Error)?
    /// Whether a postponed statement failed, so that none of the requested ones ran.
    fileprivate(set) var isOfPostponed = false

    /// Returns the result of a statement by its index.
    ///
    /// - Throws: The failure, where there is no such result.
    func result(_ index: Int, _ operation: StoreError.Operation) throws -> ResultTable {
        if results.indices.contains(index) { return results[index] }
        throw failure ?? StoreError(.io, operation, "the server answered nothing")
    }
}

extension Connection {
    private static let mostStatements = 256
    private static let mostPostponedBytes = 64 << 10

    /// Postpones a statement to the next round trip: its result is ignored, unless it fails.
    ///
    /// A long one is sent at once.
    ///
    /// - Parameter explain: Maps its failure to the error that the caller gets.
    func postpone(
        _ sql: SQLText, _ operation: StoreError.Operation, _ explain: @escaping (any Error) -> any Error = { $0 }
    ) throws {
        postponed.append((sql, explain))
        let size = sql.bindings.reduce(0) { $0 + ($1.bytes?.count ?? 0) }
        if size > Connection.mostPostponedBytes { try sendPostponed(operation) }
    }

    /// Runs statements with parameters in one round trip after the postponed ones, each text prepared once; the request's cancellation
    /// cancels them.
    ///
    /// - Throws: `StoreError` where they could not be sent.
    func execute(_ statements: [SQLText], _ operation: StoreError.Operation) throws -> Answers {
        let first = postponed
        postponed = []
        var answers = try send(first.map(\.sql) + statements, operation)
        if let failure = answers.failure, answers.results.count < first.count {
            answers.isOfPostponed = true
            answers.failure = first[answers.results.count].explain(failure)
        }
        answers.results.removeFirst(min(first.count, answers.results.count))
        return answers
    }

    /// Runs the postponed statements.
    func sendPostponed(_ operation: StoreError.Operation) throws {
        if postponed.isEmpty { return }
        if let failure = try execute([], operation).failure { throw failure }
    }

    private func send(_ statements: [SQLText], _ operation: StoreError.Operation) throws -> Answers {
        if self.statements.count + statements.count > Connection.mostStatements {
            try run(SQLText("DEALLOCATE ALL"), operation)
            self.statements = [:]
        }
        let messages = try statements.map { (text: $0.text, values: try ParameterBytes($0.bindings, operation)) }
        guard let cancellation = StoreCancellation.current else { return try exchange(messages, operation) }
        var answers = try cancellation.whileRunning({ self.cancel() }, { try exchange(messages, operation) })
        if let failure = answers.failure, cancellation.isCancelled {
            answers.failure = StoreError(.cancelled, operation, "the task that waits for the answer was cancelled", underlying: failure)
        }
        return answers
    }

    /// Runs statements without parameters, one after the other; returns the result of the last one, as text.
    @discardableResult
    func run(_ sql: SQLText, _ operation: StoreError.Operation) throws -> ResultTable {
        try sendPostponed(operation)
        readPending()
        traffic.roundTrips += 1
        return try unsafe check(answer(PQsendQuery(handle, sql.text)), operation)
    }

    // MARK: - Pipelines

    private func exchange(
        _ statements: [(text: String, values: ParameterBytes)], _ operation: StoreError.Operation
    ) throws -> Answers {
        if traffic.pipelines == 0 {
            readPending()
            guard unsafe PQenterPipelineMode(handle) == 1 else { throw lost(operation) }
        }
        traffic.roundTrips += 1
        let messages = send(statements)
        guard unsafe messages.count > 0 && PQpipelineSync(handle) == 1 else {
            shutDown()
            throw lost(operation)
        }
        traffic.pipelines += 1
        // Reads the results of what was posted before.
        while traffic.pipelines > 1, readPipeline() {}
        var answers = Answers()
        for message in messages {
            do {
                let result = try unsafe check(nextAnswer(), operation)
                if let (text, name) = message { self.statements[text] = name } else { answers.results.append(result) }
            } catch {
                answers.failure = error
                break
            }
        }
        readPipelines()
        return answers
    }

    /// - Returns: The messages that the server answers: preparations and, as `nil`, executions; empty where they could not be sent.
    private func send(_ statements: [(text: String, values: ParameterBytes)]) -> [(text: String, name: String)?] {
        var messages: [(text: String, name: String)?] = []
        var names: [String: String] = [:]
        for (text, values) in statements {
            let known = self.statements[text] ?? names[text]
            let name = known ?? "s\(self.statements.count + names.count)"
            if known == nil {
                let types = values.types
                guard unsafe PQsendPrepare(handle, name, text, Int32(truncatingIfNeeded: types.count), types) == 1 else { return [] }
                names[text] = name
                messages.append((text, name))
            }
            let isSent = unsafe values.withPointers { values, lengths, formats in
                unsafe PQsendQueryPrepared(handle, name, Int32(truncatingIfNeeded: lengths.count), values, lengths, formats, 1)
            }
            guard isSent == 1 else { return [] }
            messages.append(nil)
        }
        return messages
    }

    /// Ends a transaction that only read, without waiting for the result.
    func endReading() {
        post { unsafe PQsendQueryParams(handle, "COMMIT", 0, nil, nil, nil, nil, 1) }
    }

    /// Sends a statement without parameters and does not wait for the result, except for the first time, when it is prepared.
    func post(prepared sql: SQLText) {
        guard let name = statements[sql.text] else {
            _ = try? execute([sql], .save)
            return
        }
        post { unsafe PQsendQueryPrepared(handle, name, 0, nil, nil, nil, 1) }
    }

    private func post(_ send: () -> Int32) {
        readPending()
        guard unsafe PQenterPipelineMode(handle) == 1 else { return }
        guard unsafe send() == 1 && PQpipelineSync(handle) == 1 else { return shutDown() }
        traffic.pipelines = 1
        traffic.hasPendingResults = true
    }

    /// Sends statements without waiting for their results.
    func post(_ sql: SQLText) {
        readPending()
        traffic.hasPendingResults = unsafe PQsendQuery(handle, sql.text) == 1
    }

    /// Reads the pending results of what was posted.
    func readPending() {
        guard traffic.hasPendingResults else { return }
        traffic.roundTrips += 1
        if traffic.pipelines > 0 { return readPipelines() }
        traffic.hasPendingResults = false
        while waitForAnswer(), let result = unsafe PQgetResult(handle) { unsafe PQclear(result) }
    }

    /// Reads the results of all pipelines.
    private func readPipelines() {
        while traffic.pipelines > 0, readPipeline() {}
        traffic.hasPendingResults = false
        traffic.pipelines = 0
        if unsafe PQexitPipelineMode(handle) != 1 { shutDown() }
    }

    /// Reads the results of one pipeline.
    ///
    /// - Returns: Whether all of them arrived.
    private func readPipeline() -> Bool {
        while let result = unsafe nextAnswer() {
            defer { unsafe PQclear(result) }
            if unsafe PQresultStatus(result) == PGRES_PIPELINE_SYNC {
                traffic.pipelines -= 1
                return true
            }
        }
        return false
    }

    /// Returns the result of the next message; `nil` where the connection was lost.
    private func nextAnswer() -> OpaquePointer? {
        // libpq returns null once between the results of two messages.
        for _ in 0..<2 {
            guard waitForAnswer() else { return nil }
            if let result = unsafe PQgetResult(handle) { return unsafe result }
        }
        return nil
    }

    /// Shuts the socket down: the protocol is out of step, so that no later result could be assigned to its message.
    private func shutDown() {
        if let socket { StrataPlatform.shutdown(socket, Int32(SHUT_RDWR)) }
        _ = unsafe PQconsumeInput(handle)
    }
}

/// The parameters of a statement in the form that libpq takes.
private struct ParameterBytes {
    let types: [UInt32]
    private var lengths: [Int32] = []
    private var offsets: [Int?] = []
    private var bytes: [UInt8] = []

    init(_ parameters: [SQLParameter], _ operation: StoreError.Operation) throws {
        types = parameters.map(\.oid)
        for parameter in parameters {
            let value = parameter.bytes ?? []
            if value.count > Int(Int32.max) - 64 {
                throw StoreError(.tooLarge, operation, "a value of \(value.count) bytes does not fit into a statement")
            }
            offsets.append(parameter.bytes == nil ? nil : bytes.count)
            lengths.append(Int32(value.count))
            bytes += value
        }
        // Empty values need an address: a null pointer means null.
        bytes.append(0)
    }

    /// Calls `body` with the values, their lengths, and their formats, which are all binary.
    func withPointers<T>(_ body: ([UnsafePointer<CChar>?], [Int32], [Int32]) -> T) -> T {
        unsafe bytes.withUnsafeBytes { buffer in
            let values = unsafe offsets.map { offset in
                unsafe offset.flatMap { offset in unsafe buffer.baseAddress.map { unsafe ($0 + offset).assumingMemoryBound(to: CChar.self) }
                }
            }
            return unsafe body(values, lengths, [Int32](repeating: 1, count: lengths.count))
        }
    }
}
