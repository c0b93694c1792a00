import Foundation
import Synchronization

/// What threads found that fetched pages while another one saved.
package struct PagesBesideWriter {
    /// The pages' events.
    package var answer = Answer()
    /// The seconds that each page took.
    package var pages: [Double] = []
    /// How many saves there were meanwhile.
    package var saves = 0

    /// The seconds that so many of a hundred pages take at most.
    package func percentile(_ percent: Int) -> Double {
        let sorted = pages.sorted()
        return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, sorted.count * percent / 100)]
    }

    init(pages: [Double]) { self.pages = pages }

    /// Fetches pages in several threads while another one changes events one by one, until all pages are there.
    package init(_ participant: any EventParticipant, _ work: EventWork) async throws {
        let readers = try (0..<EventWork.readers).map { _ in Unchecked(try participant.reader()) }
        let shared = Shared()
        let writer = Unchecked(participant)
        let saved = DispatchGroup()
        saved.enter()
        Thread.detachNewThread {
            shared.catching {
                var saves = 0
                for id in work.updates where !shared.isRead.load(ordering: .acquiring) {
                    try writer.value.updateDurably(id, delay: EventWork.delay)
                    saves += 1
                }
                shared.state.withLock { $0.saves = saves }
            }
            saved.leave()
        }
        let read = DispatchGroup()
        for (number, reader) in readers.enumerated() {
            read.enter()
            Thread.detachNewThread {
                shared.catching { try Self.read(reader.value, number, shared) }
                read.leave()
            }
        }
        read.wait()
        shared.isRead.store(true, ordering: .releasing)
        saved.wait()
        for reader in readers where reader.value !== participant { try await reader.value.close() }
        let state = shared.state.withLock { $0 }
        if let error = state.error { throw error }
        (answer, pages, saves) = (state.answer, state.pages, state.saves)
    }

    private static func read(_ participant: any EventParticipant, _ number: Int, _ shared: Shared) throws {
        let clock = ContinuousClock()
        var answer = Answer()
        var pages: [Double] = []
        for rank in EventWork.pages(of: number) {
            let start = clock.now
            let page = try participant.page(from: rank)
            pages.append((clock.now - start) / .seconds(1))
            answer.count += page.count
            answer.checksum &+= page.checksum
        }
        shared.state.withLock {
            $0.answer.count += answer.count
            $0.answer.checksum &+= answer.checksum
            $0.pages += pages
        }
    }

    private final class Shared: Sendable {
        struct State {
            var answer = Answer()
            var pages: [Double] = []
            var saves = 0
            var error: (any Error)?
        }

        let state = Mutex(State())
        let isRead = Atomic(false)

        func catching(_ body: () throws -> Void) {
            do { try body() } catch { state.withLock { $0.error = $0.error ?? error } }
        }
    }

    /// A participant that a thread uses: either its own one, or one whose store is open for all threads.
    private struct Unchecked: @unchecked Sendable {
        let value: any EventParticipant

        init(_ value: any EventParticipant) { self.value = value }
    }
}
