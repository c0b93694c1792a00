#if Operations
    import Strata
    import Tracing

    /// The spans of operations, which begin and end with them, within the span of the task that called them.
    struct StoreSpans: Sendable {
        let tracer: (any Tracer)?

        init(_ tracer: (any Tracer)?) { self.tracer = tracer }

        /// The backend; `nil` where none was bootstrapped.
        ///
        /// Its search takes thousands of instructions.
        var backend: (any Tracer)? {
            let tracer: any Tracer = tracer ?? InstrumentationSystem.tracer
            return tracer is NoOpTracer ? nil : tracer
        }

        func record(_ completed: CompletedOperation, end: UInt64, _ context: ServiceContext?, _ tracer: any Tracer) {
            let operation = completed.operation
            let name = operation.entity.map { "\(operation.kind.rawValue) \($0)" } ?? operation.kind.rawValue
            let start = DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: end &- completed.nanoseconds)
            let span = tracer.startSpan(
                name, context: context ?? .topLevel, ofKind: .client, at: start, function: #function, file: #fileID, line: #line)
            defer { span.end(at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: end)) }
            guard span.isRecording else { return }
            let attributes = OperationAttributes(completed)
            span.updateAttributes { all in
                for (key, value) in attributes.dimensions { all[key] = value }
                if let relationship = operation.relationship { all["strata.relationship.name"] = relationship }
                if let count = completed.resultCount { all["db.response.returned_rows"] = count }
                if let rows = completed.rowsRead { all["strata.rows_read"] = rows }
                if completed.stores.count > 1 { all["strata.store.count"] = completed.stores.count }
                if operation.kind == .save { all["db.operation.batch.size"] = operation.inserted + operation.updated + operation.deleted }
            }
            guard let error = completed.error else { return }
            // Its description may have values of the application's.
            span.setStatus(SpanStatus(code: .error, message: attributes.error))
            _ = error
        }
    }
#endif
