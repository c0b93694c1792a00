import Hummingbird
import Strata
import StrataStoreTool

/// An error as a page: a status and a text for a person.
struct PageError: Error {
    let status: HTTPResponse.Status
    let message: String

    init(_ status: HTTPResponse.Status, _ message: String) { (self.status, self.message) = (status, message) }

    /// Returns whether the stores have to be opened again, as after their files were replaced.
    static func needsOpening(_ error: any Error) -> Bool {
        guard let error = error as? StoreError else { return false }
        return error.recovery == .reopen || error.code == .noStore
    }

    /// Creates the page of an error.
    init(_ error: any Error) {
        switch error {
        case let error as PageError: self = error
        case let error as any HTTPResponseError: self.init(error.status, error.status.reasonPhrase)
        case let error as ValidationError: self.init(.unprocessableContent, "\(error)")
        case let error as StoreError where PageError.needsOpening(error): self.init(.serviceUnavailable, "\(error)")
        case is SaveConflictError: self.init(.conflict, "\(error)")
        default:
            let failure = CommandFailure(error)
            self.init(HTTPResponse.Status(failure.status), failure.message)
        }
    }
}

extension HTTPResponse.Status {
    fileprivate init(_ status: ExitStatus) {
        switch status {
        case .usage, .data: self = .badRequest
        case .missing: self = .notFound
        case .denied: self = .forbidden
        case .exists: self = .conflict
        case .unavailable, .locked: self = .serviceUnavailable
        default: self = .internalServerError
        }
    }
}
