import StrataPlatform
import StrataStoreTool
import Synchronization

/// The interrupt of an import, which then ends at the next whole row.
enum ImportInterrupt {
    /// A read of the input was interrupted.
    struct Read: Error {}

    private static let number = Atomic<Int32>(0)

    /// Notes SIGINT and SIGTERM from now on.
    static func handle() {
        // A handler may do no more than this. Without SA_RESTART it interrupts a read that waits for input.
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in ImportInterrupt.number.store(number, ordering: .relaxed) }
        // A child has the signals blocked that its parent's thread had.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM] {
            sigaction(number, &action, nil)
            sigaddset(&signals, number)
        }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// The exit code of an interrupted import; `nil` for one that was not.
    static var status: ExitStatus? {
        switch number.load(ordering: .relaxed) {
        case 0: nil
        case SIGTERM: .terminated
        default: .interrupted
        }
    }
}
