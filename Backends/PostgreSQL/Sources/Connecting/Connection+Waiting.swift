import CStrataPostgreSQL
import Dispatch
import StrataPlatform

extension Connection {
    var socket: Int32? {
        let socket = unsafe PQsocket(handle)
        return socket >= 0 ? socket : nil
    }

    /// Whether the connection was used within the last second, and the server has not closed it since.
    var isFresh: Bool {
        guard let socket, let idleSince = lending.idleSince, DispatchTime.now() < idleSince + .seconds(1) else { return false }
        if traffic.hasPendingResults { return unsafe PQconsumeInput(handle) == 1 && !isBroken }
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&descriptor, 1, 0) == 0
    }

    /// Waits for all results of a statement.
    ///
    /// - Parameter isSent: The result of the function of libpq that sent it.
    /// - Returns: The last result, the failed one if any, or the start of a copy; `nil` where the connection was lost.
    func answer(_ isSent: Int32) -> OpaquePointer? {
        guard isSent == 1 else { return nil }
        var last: OpaquePointer?
        while waitForAnswer(), let result = unsafe PQgetResult(handle) {
            // If one of several statements fails, the server skips the rest.
            unsafe PQclear(last)
            unsafe last = result
            if unsafe PQresultStatus(result) == PGRES_COPY_IN || isBroken { break }
        }
        return unsafe last
    }

    /// Waits until the next result is complete, or the connection is lost.
    ///
    /// - Returns: False where the server was silent beyond the deadline and the connection was given up.
    func waitForAnswer() -> Bool {
        var end = deadline
        while unsafe PQisBusy(handle) == 1 {
            guard let goesOn = waitForServer(isSending: unsafe PQflush(handle) == 1, &end) else { return false }
            if !goesOn { return true }
        }
        return true
    }

    /// Sends what is still buffered.
    ///
    /// - Returns: False where the server accepted nothing until the deadline and the connection was given up.
    func flush() -> Bool {
        var end = deadline
        while true {
            let left = unsafe PQflush(handle)
            if left <= 0 { return left == 0 }
            guard waitForServer(isSending: true, &end) == true else { return false }
        }
    }

    /// The time at which a server that neither accepts nor sends data counts as lost.
    private var deadline: UInt64? { patience.map { DispatchTime.now().uptimeNanoseconds + UInt64($0 * 1e9) } }

    /// Waits until the server sends data or accepts buffered data, and extends the deadline then.
    ///
    /// - Returns: Whether more data may arrive; `nil` where the server was given up.
    private func waitForServer(isSending: Bool, _ end: inout UInt64?) -> Bool? {
        guard let socket else { return false }
        let now = DispatchTime.now().uptimeNanoseconds
        if let end, now >= end {
            // A given-up connection delivers no results any more.
            isGivenUp = true
            StrataPlatform.shutdown(socket, Int32(SHUT_RDWR))
            _ = unsafe PQconsumeInput(handle)
            return nil
        }
        var descriptor = pollfd(fd: socket, events: Int16(isSending ? POLLIN | POLLOUT : POLLIN), revents: 0)
        let milliseconds = end.map { Int32(truncatingIfNeeded: min(($0 - now) / 1_000_000 + 1, 60_000)) } ?? -1
        _ = unsafe poll(&descriptor, 1, milliseconds)
        let events = Int32(descriptor.revents)
        if events & Int32(POLLOUT) != 0 { end = deadline }
        return unsafe events & ~Int32(POLLOUT) == 0 || PQconsumeInput(handle) == 1
    }

    /// Reads the notifications that have arrived.
    ///
    /// - Returns: Whether there were any, or the connection is lost.
    func takeNotifications() -> Bool {
        guard unsafe PQconsumeInput(handle) == 1 else { return true }
        var isNotified = false
        while let notification = unsafe PQnotifies(handle) {
            unsafe PQfreemem(notification)
            isNotified = true
        }
        return isNotified
    }
}
