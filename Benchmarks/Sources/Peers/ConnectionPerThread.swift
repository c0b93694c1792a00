import StrataWorkload

/// A participant whose threads have connections of their own: a pool of GRDB's would relax `synchronous`, and a C connection serves one thread.
protocol ConnectionPerThread: Participant {
    var directory: String { get }
    func open() throws
}

extension ConnectionPerThread {
    func reader() throws -> any Participant {
        let reader = try Self(directory: directory)
        try reader.open()
        return reader
    }
}
