package import Foundation
import StrataPlatform

extension Data {
    /// Returns zeros that take no memory, only addresses, as long as they are not copied.
    package static func reserved(_ count: Int) throws -> Data {
        let memory = mmap(nil, count, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        guard let memory, memory != MAP_FAILED else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ENOMEM) }
        return Data(bytesNoCopy: memory, count: count, deallocator: .custom { munmap($0, $1) })
    }
}
