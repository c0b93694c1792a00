import Foundation

/// What happened to a file behind everybody's back.
enum Damage: Sendable, CustomStringConvertible {
    case bit(offset: Int, mask: UInt8)
    case zeros(offset: Int, count: Int)
    case noise(offset: Int, bytes: [UInt8])
    case truncation(Int)
    case appended([UInt8])

    /// Some damage to a file of a size, most of it of a single bit.
    init(size: Int, _ random: inout some RandomNumberGenerator) {
        let offset = Int.random(in: 0..<max(1, size), using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<6 where size > 0: self = .bit(offset: offset, mask: 1 << UInt8.random(in: 0..<8, using: &random))
        case 6 where size > 0: self = .zeros(offset: offset / 512 * 512, count: 512)
        case 7 where size > 0:
            self = .noise(
                offset: offset, bytes: (0..<Int.random(in: 2...9, using: &random)).map { _ in .random(in: 0...255, using: &random) })
        case 8: self = .appended((0..<Int.random(in: 1...64, using: &random)).map { _ in .random(in: 0...255, using: &random) })
        default: self = .truncation(offset)
        }
    }

    /// The content after the damage.
    func applied(to bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        switch self {
        case .bit(let offset, let mask): bytes[offset] ^= mask
        case .zeros(let offset, let count):
            for position in offset..<min(bytes.count, offset + count) { bytes[position] = 0 }
        case .noise(let offset, let noise):
            for (position, byte) in zip(offset..<bytes.count, noise) { bytes[position] = byte }
        case .truncation(let size): bytes.removeLast(bytes.count - size)
        case .appended(let more): bytes += more
        }
        return bytes
    }

    var description: String {
        switch self {
        case .bit(let offset, let mask): "bit \(mask.trailingZeroBitCount) of byte \(offset) flipped"
        case .zeros(let offset, let count): "\(count) zeros at \(offset)"
        case .noise(let offset, let bytes): "\(bytes.count) bytes of noise at \(offset)"
        case .truncation(let size): "cut to \(size) bytes"
        case .appended(let bytes): "\(bytes.count) bytes of noise appended"
        }
    }
}
