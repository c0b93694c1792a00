import Foundation
import Hummingbird
import Synchronization
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests to a server of a test.
struct Client {
    let port: Int

    /// Sends a request, expects a status, and returns the body.
    @discardableResult
    func expect(
        _ method: HTTPRequest.Method, _ path: String, _ body: String?, _ status: HTTPResponse.Status,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        var request = try request(path)
        request.httpMethod = method.rawValue
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(body.utf8)
        }
        let session = URLSession(configuration: .ephemeral)
        defer { session.finishTasksAndInvalidate() }
        let (data, response) = try await session.data(for: request)
        #expect((response as? HTTPURLResponse)?.statusCode == status.code, sourceLocation: sourceLocation)
        return String(decoding: data, as: UTF8.self)
    }

    /// Sends a request, expects a status, and returns the value in the body.
    func send<T: Decodable>(
        _ method: HTTPRequest.Method, _ path: String, _ body: String?, _ status: HTTPResponse.Status, _ type: T.Type,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> T {
        let answer = try await expect(method, path, body, status, sourceLocation: sourceLocation)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: Data(answer.utf8))
    }

    /// The server-sent events at a path, until the server ends the stream.
    func events(_ path: String) throws -> AsyncThrowingStream<String, any Error> {
        let (events, continuation) = AsyncThrowingStream.makeStream(of: String.self)
        let session = URLSession(configuration: .ephemeral, delegate: EventReceiver(continuation), delegateQueue: nil)
        session.dataTask(with: try request(path)).resume()
        session.finishTasksAndInvalidate()
        return events
    }

    private func request(_ path: String) throws -> URLRequest {
        URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")), timeoutInterval: 120)
    }
}

/// Splits what a server sends at the empty lines between events.
private final class EventReceiver: NSObject, URLSessionDataDelegate {
    private let events: AsyncThrowingStream<String, any Error>.Continuation
    private let received = Mutex("")

    init(_ events: AsyncThrowingStream<String, any Error>.Continuation) { self.events = events }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        received.withLock { text in
            text += String(decoding: data, as: UTF8.self)
            while let end = text.range(of: "\n\n") {
                events.yield(String(text[..<end.lowerBound]))
                text.removeSubrange(..<end.upperBound)
            }
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        events.finish(throwing: error)
    }
}
