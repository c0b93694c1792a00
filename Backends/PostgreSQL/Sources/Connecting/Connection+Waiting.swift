import CStrataPostgreSQL
import Dispatch
import Glibc
import StrataStore

extension Connection {
    /// The socket.
    var socket: Int32? {
        let socket = unsafe PQsocket(handle)
        return socket >= 0 ? socket : nil
    }

    /// Waits for all that a statement answers.
    ///
    /// - Parameter isSent: What sending it returned.
    /// - Returns: The last answer, the failure where there is one, or what begins a copy; `nil` where the connection was lost.
    func answer(_ isSent: Int32) -> OpaquePointer? {
        guard isSent == 1 else { return nil }
        var last: OpaquePointer?
        while waitForAnswer(), let result = unsafe PQgetResult(handle) {
            // The failure of one of several statements ends them all.
            unsafe PQclear(last)
            unsafe last = result
            if unsafe PQresultStatus(result) == PGRES_COPY_IN || isBroken { break }
        }
        return unsafe last
    }

    /// Waits until the next answer is there whole, or the connection is lost.
    ///
    /// - Returns: Whether the server was waited for to the end; a server that is silent for too long is given up.
    func waitForAnswer() -> Bool {
        let end = patience.map { DispatchTime.now().uptimeNanoseconds + UInt64($0 * 1e9) }
        while unsafe PQisBusy(handle) == 1 {
            guard let socket else { return true }
            let now = DispatchTime.now().uptimeNanoseconds
            if let end, now >= end {
                // Whatever still comes is nobody's any more.
                isGivenUp = true
                Glibc.shutdown(socket, Int32(SHUT_RDWR))
                _ = unsafe PQconsumeInput(handle)
                return false
            }
            var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            let milliseconds = end.map { Int32(truncatingIfNeeded: min(($0 - now) / 1_000_000 + 1, 60_000)) } ?? -1
            _ = unsafe poll(&descriptor, 1, milliseconds)
            if descriptor.revents != 0, unsafe PQconsumeInput(handle) == 0 { return true }
        }
        return true
    }

    /// Takes the notifications that have come.
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
