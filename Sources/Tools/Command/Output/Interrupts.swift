import Dispatch
import StrataPlatform
import StrataStoreTool

/// Steps of commands that an interrupt ends with a text, and without the files that are not whole.
enum Interrupts {
    /// Runs a step, in which SIGINT and SIGTERM end the process: the exit code is 128 and the signal's number.
    ///
    /// - Parameter ended: Removes what is not whole, and returns the text; on another thread.
    static func during<T>(_ ended: @escaping @Sendable () -> String, _ body: () throws -> T) rethrows -> T {
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                let text = ended()
                Console.endProgress()
                Console.report(text)
                _exit(128 + number)
            }
            source.resume()
            return source
        }
        defer {
            for source in sources { source.cancel() }
            for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        }
        return try body()
    }
}
