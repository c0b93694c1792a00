import Dispatch
import StrataPlatform
import Synchronization

/// A step of a command that takes long, which a terminal shows with its time while it runs.
enum Progress {
    private static let isDone = Mutex(false)

    /// Runs a step.
    ///
    /// - Parameters:
    ///   - name: What the step does: "verifying a.sqlite".
    ///   - written: Returns how much is written already, from any thread; `nil` where that is not known.
    static func during<T>(_ name: String, written: @escaping @Sendable () -> String? = { nil }, _ body: () throws -> T) rethrows -> T {
        guard Console.showsProgress else { return try body() }
        let start = ContinuousClock.now
        isDone.withLock { $0 = false }
        Console.progress(name)
        let timer = DispatchSource.makeTimerSource()
        timer.setEventHandler {
            let parts = [name, written(), "\((ContinuousClock.now - start).components.seconds) s"].compactMap(\.self)
            isDone.withLock { if !$0 { Console.progress(parts.joined(separator: ", ")) } }
        }
        timer.schedule(deadline: .now() + 1, repeating: 1)
        timer.resume()
        defer {
            timer.cancel()
            isDone.withLock {
                $0 = true
                Console.endProgress()
            }
        }
        return try body()
    }
}
