import Foundation
import Synchronization

extension Participant {
    /// Changes each version in a save of its own, then changes it back.
    func singles(_ parameters: ArchiveParameters) throws -> Answer {
        var answer = Answer()
        for growth: Int64 in [1, -1] {
            answer.count += try updateSingly(parameters.singles, growth: growth, priority: parameters.updatedPriority).count
        }
        return answer
    }

    /// Walks in several threads while another one saves; no walk reads what the saves change, so that the answers are equal.
    func besideWriter(_ parameters: ArchiveParameters) async throws -> Answer {
        let writer = Shared(participant: self)
        let readers = try (0..<parameters.readers).map { _ in Shared(participant: try reader()) }
        let threads = Threads()
        threads.start { try writer.participant.singles(parameters) }
        for reader in readers { threads.start { try reader.participant.closure(parameters.roots) } }
        let answers = try threads.answers()
        for reader in readers where reader.participant !== self { try await reader.participant.close() }
        return answers.reduce(into: Answer()) { sum, answer in
            sum.count += answer.count
            sum.checksum &+= answer.checksum
        }
    }
}

/// A participant that a thread uses: either its own one, or one whose files are open for all threads.
private struct Shared: @unchecked Sendable {
    let participant: any Participant
}

/// Threads that run at once; tasks would wait for each other where there are few processors.
private final class Threads: Sendable {
    private let results = Mutex<[Result<Answer, any Error>]>([])
    private let group = DispatchGroup()

    func start(_ body: @escaping @Sendable () throws -> Answer) {
        group.enter()
        Thread.detachNewThread { [self] in
            let result = Result { try body() }
            results.withLock { $0.append(result) }
            group.leave()
        }
    }

    /// Waits for all threads.
    ///
    /// - Throws: The first error that one of them threw.
    func answers() throws -> [Answer] {
        group.wait()
        return try results.withLock { $0 }.map { try $0.get() }
    }
}
