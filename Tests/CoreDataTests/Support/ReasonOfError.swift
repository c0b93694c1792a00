import CoreData

/// Returns the reason that an error states, `nil` where `body` throws none.
func reasonOfError(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch {
        let info = (error as NSError).userInfo
        return info["reason"] as? String ?? info[NSLocalizedFailureReasonErrorKey] as? String ?? "\(error)"
    }
}
