import CStrataLMDB
import StrataFiles

/// The checksum of a row: the CRC-32C of its bytes, with zero in place of the checksum.
enum RowChecksum {
    /// - Precondition: The length is at least that of a row's header.
    @inline(__always)
    static func checksum(of row: UnsafeRawBufferPointer) -> UInt32 {
        unsafe strata_prefetch_next_row(row.baseAddress, row.count)
        var head = unsafe row.loadUnaligned(as: (UInt64, UInt64, UInt64).self)
        head.2 &= UInt64(0xFFFF_FFFF).littleEndian
        var crc = CRC32C()
        unsafe withUnsafeBytes(of: head) { unsafe crc.update(with: $0) }
        unsafe crc.update(with: UnsafeRawBufferPointer(rebasing: row[24...]))
        return crc.value
    }
}
