import Strata

/// What a user asked for and the notebook cannot do.
enum NotebookError: Error, CustomStringConvertible {
    case noNote(Int)
    case notText

    var description: String {
        switch self {
        case .noNote(let number): "there is no note \(number)"
        case .notText: "the standard input is not UTF-8 text"
        }
    }
}

/// A message for standard error, and the exit code that belongs to it, of those in `sysexits.h`.
struct Failure {
    let message: String
    let exitCode: Int32

    /// - Returns: `nil` for an error that is not one of the notebook or of its store.
    init?(_ error: any Error) {
        switch error {
        case let error as NotebookError:
            (message, exitCode) = ("\(error)", 1)
        case let error as ValidationError:
            let failures = error.failures.map { failure in (failure.key.map { "\($0): " } ?? "") + failure.message }
            (message, exitCode) = (failures.joined(separator: "\n"), 65)
        case is SaveConflictError:
            (message, exitCode) = ("other processes changed the notes at the same time; try again", 75)
        case let error as StoreError where error.recovery == .retryable:
            (message, exitCode) = ("\(error)", 75)
        case let error as StoreError:
            (message, exitCode) = ("\(error)", error.code == .denied ? 77 : error.code == .missing ? 66 : 74)
        default:
            return nil
        }
    }
}
