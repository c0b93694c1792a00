import Foundation

// The guide "A server" is written for Hummingbird 2, on which this package does not depend. These are the signatures that the guide uses, so
// that its code compiles here as printed.

protocol ResponseGenerator {}

protocol ResponseEncodable: Encodable, ResponseGenerator {}

extension Array: ResponseGenerator where Element: Encodable {}

struct HTTPResponse {
    struct Status: Equatable, Sendable {
        var code: Int

        static let badRequest = Status(code: 400)
        static let notFound = Status(code: 404)
        static let conflict = Status(code: 409)
        static let unprocessableContent = Status(code: 422)
        static let internalServerError = Status(code: 500)
        static let serviceUnavailable = Status(code: 503)
    }
}

struct HTTPError: Error {
    var status: HTTPResponse.Status

    init(_ status: HTTPResponse.Status) { self.status = status }
}

struct Parameters: Sendable {
    var values: [String: String] = [:]

    func get(_ name: String, as type: UUID.Type) -> UUID? { values[name].flatMap(UUID.init(uuidString:)) }
}

struct BasicRequestContext: Sendable {
    var parameters = Parameters()
}

struct Request: Sendable {
    func decode<T: Decodable>(as type: T.Type, context: BasicRequestContext) async throws -> T { throw HTTPError(.badRequest) }
}

final class Router<Context> {
    init(context: Context.Type = BasicRequestContext.self) {}

    func get<R: ResponseGenerator>(_ path: String, use handler: @Sendable @escaping (Request, Context) async throws -> R) {}
    func post<R: ResponseGenerator>(_ path: String, use handler: @Sendable @escaping (Request, Context) async throws -> R) {}
}

protocol Service: Sendable {
    func run() async throws
}

func gracefulShutdown() async throws {}

struct Application {
    struct Configuration {
        enum Address { case hostname(String, port: Int) }

        var address: Address
    }

    init(router: Router<BasicRequestContext>, configuration: Configuration) {}

    mutating func addServices(_ services: any Service...) {}
    func runService() async throws {}
}
