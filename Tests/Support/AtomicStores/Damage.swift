package import StrataStore

/// Ways to damage a file.
package enum Damage {
    /// The errors that damage may give.
    package static let codes: Set<StoreError.Code> = [.corrupt, .foreign, .unsupportedVersion]

    /// Flips every bit of a file in turn, and calls a body with the file in that state.
    package static func flips(of file: ScratchFile, _ body: (_ byte: Int, _ bit: Int) throws -> Void) throws {
        let sound = try file.bytes()
        for index in sound.indices {
            for bit in 0..<8 {
                var damaged = sound
                damaged[index] ^= 1 << UInt8(bit)
                try file.put(damaged)
                try body(index, bit)
            }
        }
    }

    /// Cuts a file to every length in turn, and calls a body with the file in that state.
    package static func truncations(of file: ScratchFile, _ body: (_ length: Int) throws -> Void) throws {
        let sound = try file.bytes()
        for length in 0..<sound.count {
            try file.put(Array(sound[..<length]))
            try body(length)
        }
    }
}

/// The error of a store that a body throws, `nil` where it succeeds.
package func storeError(_ body: () throws -> Void) throws -> StoreError? {
    do {
        try body()
        return nil
    } catch let error as StoreError { return error }
}
