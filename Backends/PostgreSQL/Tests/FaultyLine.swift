import Foundation
import StrataPlatform
import StrataTestSupport
import Synchronization

/// A line to a server that fails as lines do: it is cut, stays silent, or is slow.
final class FaultyLine: Sendable {
    enum Fault: Equatable {
        case none
        /// Nothing comes through any more, and nobody is told.
        case silence
        /// Nothing is taken any more, and nobody is told.
        case stall
        /// What the server answers is lost; what it is asked gets there.
        case lostAnswers
        /// Everything comes so many microseconds later.
        case delay(UInt32)
        /// The server answers that it is of another version, with as many digits as its own.
        case version(String)
    }

    private struct State {
        var fault = Fault.none
        var ends: [Int32] = []
    }

    private static let port = 5433
    private let state = Mutex(State())
    private let directory: TemporaryDirectory
    private let target: String
    private let listener: Int32

    init(to server: PostgreSQLServer) throws {
        directory = try TemporaryDirectory()
        target = "\(server.directory)/.s.PGSQL.5432"
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = FaultyLine.address("\(directory.path)/.s.PGSQL.\(FaultyLine.port)")
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 && listen(listener, 64) == 0
            }
        }
        guard isBound else { throw PostgreSQLServer.Unavailable(reason: "no socket for the line: errno \(errno)") }
        Thread.detachNewThread { [listener, weak self] in
            while true {
                let end = accept(listener, nil, nil)
                guard end >= 0, let self else { return }
                self.connect(end)
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        cut()
    }

    /// The address of the server behind the line.
    var url: String { "postgresql:///postgres?host=\(directory.path)&port=\(FaultyLine.port)&user=strata" }

    func set(_ fault: Fault) { state.withLock { $0.fault = fault } }

    /// Cuts all connections.
    func cut() { state.withLock { state in for end in state.ends { shutdown(end, Int32(SHUT_RDWR)) } } }

    private static func address(_ path: String) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return address
    }

    private func connect(_ client: Int32) {
        let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = FaultyLine.address(target)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                StrataPlatform.connect(server, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isConnected else {
            close(client)
            close(server)
            return
        }
        state.withLock { $0.ends += [client, server] }
        let ending = Ending(client, server)
        for (from, to, isAnswer) in [(client, server, false), (server, client, true)] {
            Thread.detachNewThread { [weak self] in
                FaultyLine.pump(from, to, isAnswer) { self?.state.withLock { $0.fault } ?? .none }
                shutdown(from, Int32(SHUT_RDWR))
                shutdown(to, Int32(SHUT_RDWR))
                if ending.isLast() {
                    self?.state.withLock { $0.ends.removeAll { $0 == client || $0 == server } }
                    ending.close()
                }
            }
        }
    }

    /// Closes the two ends of a connection when neither direction is used any more.
    private final class Ending: Sendable {
        private let left = Mutex(2)
        private let ends: (Int32, Int32)

        init(_ first: Int32, _ second: Int32) { ends = (first, second) }

        func isLast() -> Bool {
            left.withLock { left in
                left -= 1
                return left == 0
            }
        }

        func close() {
            StrataPlatform.close(ends.0)
            StrataPlatform.close(ends.1)
        }
    }

    private static func pump(_ from: Int32, _ to: Int32, _ isAnswer: Bool, _ fault: () -> Fault) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(from, &buffer, buffer.count)
            if count <= 0 { return }
            switch fault() {
            case .none: break
            case .stall: while fault() == .stall { usleep(10_000) }
            case .silence: continue
            case .lostAnswers: if isAnswer { continue }
            case .delay(let time): usleep(time)
            case .version(let number):
                let name = Array("server_version\0".utf8)
                if isAnswer, let found = buffer[..<count].firstRange(of: name)?.upperBound {
                    buffer.replaceSubrange(found..<(found + number.utf8.count), with: number.utf8)
                }
            }
            var sent = 0
            while sent < count {
                let step = buffer[sent..<count].withUnsafeBytes { send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                if step <= 0 { return }
                sent += step
            }
        }
    }
}
