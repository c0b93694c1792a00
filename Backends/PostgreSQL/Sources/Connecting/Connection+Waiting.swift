import CStrataPostgreSQL
import Dispatch
import StrataPlatform

extension Connection {
    var socket: Int32? {
        let socket = unsafe PQsocket(handle)
        return socket >= 0 ? socket : nil
    }

    /// Whether it was used just now, and nothing tells that the server is gone since.
    var isFresh: Bool {
        guard let socket, let idleSince, DispatchTime.now() < idleSince + .seconds(1) else { return false }
        if isUnawaited { return unsafe PQconsumeInput(handle) == 1 && !isBroken }
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&descriptor, 1, 0) == 0
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
        var end = deadline
        while unsafe PQisBusy(handle) == 1 {
            guard let goesOn = waitForServer(isSending: unsafe PQflush(handle) == 1, &end) else { return false }
            if !goesOn { return true }
        }
        return true
    }

    /// Sends what was not sent yet.
    ///
    /// - Returns: Whether the server took it; one that takes nothing for too long is given up.
    func flush() -> Bool {
        var end = deadline
        while true {
            let left = unsafe PQflush(handle)
            if left <= 0 { return left == 0 }
            guard waitForServer(isSending: true, &end) == true else { return false }
        }
    }

    /// When a server that neither takes nor sends anything counts as lost.
    private var deadline: UInt64? { patience.map { DispatchTime.now().uptimeNanoseconds + UInt64($0 * 1e9) } }

    /// Waits until the server sends something, or takes some of what is to be sent, which puts the deadline off.
    ///
    /// - Returns: Whether more may come through the connection; `nil` where the server was given up.
    private func waitForServer(isSending: Bool, _ end: inout UInt64?) -> Bool? {
        guard let socket else { return false }
        let now = DispatchTime.now().uptimeNanoseconds
        if let end, now >= end {
            // Whatever still comes is nobody's any more.
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
