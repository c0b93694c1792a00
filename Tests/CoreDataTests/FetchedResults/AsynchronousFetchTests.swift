import CoreData
import Testing

@Suite("Asynchronous fetches")
struct AsynchronousFetchTests {
    let stack = CityStack()

    private func execute(
        _ request: NSFetchRequest<Citizen>, estimate: Int = 0, cancels: Bool = false, below parent: Progress? = nil
    ) async -> (names: [String]?, code: Int?, isFinished: Bool?) {
        await withCheckedContinuation { continuation in
            stack.context.performAndWait {
                let asynchronous = NSAsynchronousFetchRequest(fetchRequest: request) { result in
                    let code = (result.operationError as NSError?)?.code
                    continuation.resume(returning: (result.finalResult?.compactMap(\.name), code, result.progress?.isFinished))
                }
                asynchronous.estimatedResultCount = estimate
                parent?.becomeCurrent(withPendingUnitCount: 1)
                let result = (try? stack.context.execute(asynchronous)) as? NSAsynchronousFetchResult<Citizen>
                parent?.resignCurrent()
                if result?.finalResult != nil { Issue.record("the fetch did not return at once") }
                if cancels { result?.cancel() }
            }
        }
    }

    @Test("The completion block is given the objects, with what is not saved")
    func results() async throws {
        try stack.context.performAndWait {
            for name in ["Bo", "Ada"] { stack.add(name) }
            try stack.context.save()
            stack.add("Cy")
        }
        let parent = Progress(totalUnitCount: 1)
        let outcome = await execute(stack.request("name"), estimate: 10, below: parent)
        #expect(outcome.names == ["Ada", "Bo", "Cy"])
        #expect(outcome.code == nil)
        #expect(outcome.isFinished == true)
        #expect(parent.isFinished)
    }

    @Test("A cancelled fetch ends with the error of a user who cancelled")
    func cancelling() async throws {
        stack.context.performAndWait { _ = stack.add("Ada") }
        let outcome = await execute(stack.request("name"), cancels: true)
        #expect(outcome.names == nil)
        #expect(outcome.code == NSUserCancelledError)
    }

    @Test("A failing fetch ends with its error")
    func failing() async throws {
        let outcome = await execute(stack.request("name", where: NSPredicate(format: "nothing == 1")))
        #expect(outcome.names == nil)
        #expect(outcome.code != nil)
    }

    @Test("A fetch is an expression, of its objects or their number, in memory and in another fetch")
    func expressions() throws {
        try stack.context.performAndWait {
            let ada = stack.add("Ada", age: 1)
            stack.add("Bo", age: 7)
            let request = stack.request("name", where: NSPredicate(format: "age < 5"))
            let parts = (NSExpression(forConstantValue: request), NSExpression(forConstantValue: stack.context))
            let objects = NSFetchRequestExpression.expression(forFetch: parts.0, context: parts.1, countOnly: false)
            let count = NSFetchRequestExpression.expression(forFetch: parts.0, context: parts.1, countOnly: true)
            #expect((objects.expressionValue(with: nil, context: nil) as? [Citizen])?.first === ada)
            #expect(count.expressionValue(with: nil, context: nil) as? Int == 1)
            #expect(count.expressionType == .fetchRequest)
            #expect(count != objects)
            let among = NSComparisonPredicate(
                leftExpression: NSExpression.expressionForEvaluatedObject(), rightExpression: objects, modifier: .direct, type: .in,
                options: [])
            #expect(among.evaluate(with: ada))
            let found = try stack.context.fetch(stack.request("name", where: among))
            #expect(found.map(\.name) == ["Ada"])
            let equal = NSComparisonPredicate(
                leftExpression: NSExpression(forKeyPath: "age"), rightExpression: count, modifier: .direct, type: .equalTo, options: [])
            #expect(equal.evaluate(with: ["age": 1]))
            #expect(!equal.evaluate(with: ["age": 2]))
        }
    }
}
