import CStrataLMDB
import StrataFiles

/// The checksum of a row: the CRC-32C of its bytes, with zero in place of the checksum.
enum RowChecksum {
    private static let isHardware = strata_has_row_checksum() != 0

    /// - Precondition: The length is a multiple of 8 and at least that of a row's header.
    @inline(__always)
    static func checksum(of row: UnsafeRawBufferPointer) -> UInt32 {
        unsafe isHardware ? strata_row_checksum(row.baseAddress, row.count) : software(row)
    }

    private static func software(_ row: UnsafeRawBufferPointer) -> UInt32 {
        var crc = CRC32C()
        unsafe crc.update(with: UnsafeRawBufferPointer(rebasing: row[..<20]))
        crc.update(with: [0, 0, 0, 0])
        unsafe crc.update(with: UnsafeRawBufferPointer(rebasing: row[24...]))
        return crc.value
    }
}
