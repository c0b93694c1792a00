import Hummingbird
import Logging
import Strata

/// Answers errors of the stores with the status that belongs to them.
///
/// Clients see what they can correct, the log has the rest.
struct ErrorMiddleware<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as any HTTPResponseError {
            throw error
        } catch let error {
            let status = status(of: error)
            context.logger.log(level: status.code < 500 ? .info : .error, "\(status.code)", metadata: ["error": "\(error)"])
            let body = ErrorBody(error: .init(message: message(of: error, status), fields: fields(of: error)))
            return try EditedResponse(status: status, response: body).response(from: request, context: context)
        }
    }
}

func status(of error: any Error) -> HTTPResponse.Status {
    switch error {
    case is ValidationError: .unprocessableContent
    case is SaveConflictError: .conflict
    case let error as StoreError where error.recovery == .retryable || error.code == .closed: .serviceUnavailable
    default: .internalServerError
    }
}

/// What is wrong with each field that a client sent.
func fields(of error: any Error) -> [String: String]? {
    switch error {
    case let error as ValidationError:
        Dictionary(error.failures.map { ($0.key ?? $0.entity, $0.message) }) { "\($0); \($1)" }
    case let error as SaveConflictError:
        Dictionary(error.conflicts.flatMap(\.values.keys).map { ($0, "the value is taken") }) { first, _ in first }
    default:
        nil
    }
}

private func message(of error: any Error, _ status: HTTPResponse.Status) -> String {
    switch error {
    case is ValidationError: "the values break rules"
    case let error as SaveConflictError where error.conflicts.allSatisfy(\.values.isEmpty): "another request changed the object"
    default: status.reasonPhrase
    }
}

struct ErrorBody: ResponseEncodable {
    struct Content: Encodable {
        var message: String
        var fields: [String: String]?
    }

    var error: Content
}
