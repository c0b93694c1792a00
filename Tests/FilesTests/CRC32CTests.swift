import Testing

@testable import StrataFiles

@Suite("CRC-32C")
struct CRC32CTests {
    @Test(
        "The published vectors come out",
        arguments: [
            (Array("123456789".utf8), 0xE306_9283),
            ([], 0),
            ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
            ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
            (Array(0..<32), 0x46DD_794E),
            (Array((0..<32).reversed()), 0x113F_DB5C),
        ] as [([UInt8], UInt32)])
    func vectors(bytes: [UInt8], expected: UInt32) {
        #expect(CRC32C.checksum(of: bytes) == expected)
    }

    @Test("Every length and alignment agrees with the definition, bit by bit, with and without an instruction of the processor")
    func definition() {
        let bytes = sample(80)
        for start in 0..<9 {
            for end in start...80 {
                var crc: UInt32 = ~0
                for byte in bytes[start..<end] {
                    crc ^= UInt32(byte)
                    for _ in 0..<8 { crc = (crc >> 1) ^ (crc & 1 == 1 ? 0x82F6_3B78 : 0) }
                }
                let answer = bytes.withUnsafeBytes { CRC32C.checksum(of: UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
                #expect(answer == ~crc)
                var byTable = CRC32C()
                bytes.withUnsafeBytes { byTable.update(byTable: UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
                #expect(byTable.value == ~crc)
            }
        }
    }

    @Test("Piece by piece, and resumed from a value, it is the same as at once")
    func incremental() {
        let bytes = sample(1000)
        let whole = CRC32C.checksum(of: bytes)
        for cut in [0, 1, 7, 8, 9, 500, 999, 1000] {
            var crc = CRC32C()
            crc.update(with: Array(bytes[..<cut]))
            var resumed = CRC32C(resuming: crc.value)
            crc.update(with: Array(bytes[cut...]))
            resumed.update(with: Array(bytes[cut...]))
            #expect(crc.value == whole)
            #expect(resumed.value == whole)
        }
    }

    @Test("Every single flipped bit is seen")
    func flips() {
        var bytes = sample(100)
        let whole = CRC32C.checksum(of: bytes)
        for bit in 0..<800 {
            bytes[bit / 8] ^= 1 << (bit % 8)
            #expect(CRC32C.checksum(of: bytes) != whole)
            bytes[bit / 8] ^= 1 << (bit % 8)
        }
    }
}
