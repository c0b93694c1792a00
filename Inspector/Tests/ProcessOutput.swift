import Foundation

extension FileHandle {
    /// What another process writes, in parts that end with a byte, read by a thread of its own: tests do not block what serves the requests.
    func parts(endedBy byte: UInt8) -> AsyncStream<String> {
        let (parts, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            var rest = Data()
            while case let data = self.availableData, !data.isEmpty {
                rest += data
                while let end = rest.firstIndex(of: byte) {
                    continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
            if !rest.isEmpty { continuation.yield(String(decoding: rest, as: UTF8.self)) }
            continuation.finish()
        }
        return parts
    }
}
